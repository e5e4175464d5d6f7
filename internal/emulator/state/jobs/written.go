package jobs

import (
	"fmt"
	"slices"
	"time"

	"aqueduck/internal/emulator/state/tickets"
)

// EnqueueTicket starts a job that creates a ticket when it succeeds, and returns the job's id. An invalid ticket is refused at once. The job
// fails when one of its contacts is no longer active by then. Durations of 0 are the defaults of JobPlan.
func (w *Jobs) EnqueueTicket(n tickets.NewTicket, pending, working time.Duration) (string, error) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	if _, err := w.Tickets.PlanTicket(n); err != nil {
		return "", fmt.Errorf("enqueue a ticket: %w", err)
	}
	place := w.addJob(TicketsEnqueue, JobPlan{Pending: pending, Working: working})
	w.Schedule(w.JobList[place].EndsAt(), func(at int64) {
		j := &w.JobList[place]
		open, err := w.Tickets.PlanTicket(n)
		anyInactive := slices.ContainsFunc(n.Contacts, func(id string) bool { return w.People.ActiveContact(id) == nil })
		if j.Plan.Fails = anyInactive || err != nil; !j.Plan.Fails {
			j.Plan.Resource = open(at)
		}
	})
	return JobID(place), nil
}
