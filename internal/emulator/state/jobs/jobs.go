package jobs

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/state/contacts"
	"aqueduck/internal/emulator/state/core"
	"aqueduck/internal/emulator/state/tickets"
)

// Jobs keeps the other jobs.
type Jobs struct {
	*core.Core
	People  *contacts.Contacts
	Tickets *tickets.Tickets
	JobList []Job
}

// workInBulk does what a job is for when its time has come. The lock is held.
func (w *Jobs) workInBulk(n int, at int64) {
	j := &w.JobList[n]
	for i, one := range j.Plan.Contacts {
		var code, message string
		switch j.Kind {
		case ContactsCreate:
			code, message = w.bulkCreate(at, one)
		default:
			code, message = w.bulkChange(at, j.Kind, one)
		}
		if code != "" {
			j.Rejected = append(j.Rejected, Rejection{i, one.ID, code, message})
		}
	}
}

// bulkCreate is strict: whoever has the external id or the e-mail already, lead or user, stays as it is.
func (w *Jobs) bulkCreate(at int64, one JobContact) (code, message string) {
	set := fieldsOf(one.Set)
	external, _ := set["external_id"].(string)
	email, _ := set["email"].(string)
	if other := w.People.FindByIdentity(external, email, func(*event.Contact) bool { return true }); other != "" {
		return "conflict", contacts.ClashMessage(other)
	}
	if _, err := w.People.CreatePlain(at, one.Role == "user", one.Set); err != nil {
		return "parameter_invalid", err.Error()
	}
	return "", ""
}

func (w *Jobs) bulkChange(at int64, kind JobKind, one JobContact) (code, message string) {
	d := w.People.ActiveContact(one.ID)
	if d == nil {
		return "not_found", "Contact Not Found"
	}
	if kind == ContactsDelete {
		w.People.RecordContactEvent(event.ContactEvent{At: at, Kind: event.Deleted, Contact: w.People.ByID[one.ID], Listed: w.K().ListDeletes.ShouldList(len(w.People.ContactLog))})
		return "", ""
	}
	if other := w.People.FindClashOf(d, fieldsOf(one.Set)); other != "" {
		return "conflict", contacts.ClashMessage(other)
	}
	if err := w.People.UpdateFields(at, one.ID, false, one.Set); err != nil {
		return "parameter_invalid", err.Error()
	}
	return "", ""
}

// Job is one that was started. Where it stands is a function of the time.
type Job struct {
	Kind JobKind
	made time.Time
	Plan JobPlan

	Rejected []Rejection
}

// EndsAt is when a job has done its work.
func (j *Job) EndsAt() time.Time { return j.made.Add(j.Plan.Pending + j.Plan.Working) }

// JobKind is what a job makes or changes.
type JobKind string

// The kinds: what makes a ticket (workspace-api 4.11, tickets/enqueue), and what changes contacts in bulk.
const (
	TicketsEnqueue JobKind = "ticket"
	ContactsCreate JobKind = "contacts.create"
	ContactsUpdate JobKind = "contacts.update"
	ContactsDelete JobKind = "contacts.delete"
)

// IsBulk says whether a job is one of many contacts.
func (k JobKind) IsBulk() bool { return k != TicketsEnqueue }

// JobPlan is how a job will go.
type JobPlan struct {
	Pending  time.Duration // how long it waits; 0: a minute
	Working  time.Duration // how long it works after that; 0: four minutes
	Fails    bool          // it ends as failed
	Resource string        // the id of what a ticket's job has made when it succeeds

	Contacts []JobContact // what a job of contacts does when it succeeds
}

// StartJob starts a job and gives its id: it is pending, in_progress after a while, then success or failed.
func (w *Jobs) StartJob(kind JobKind, plan JobPlan) (string, error) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	if !slices.Contains([]JobKind{TicketsEnqueue, ContactsCreate, ContactsUpdate, ContactsDelete}, kind) {
		return "", fmt.Errorf("start a job: no kind %q", kind)
	}
	if kind == TicketsEnqueue && !plan.Fails {
		if plan.Resource == "" {
			return "", errors.New("start a job: resource is missing: it is the id of the ticket that a ticket's job makes, unless it fails")
		}
		if _, err := w.Tickets.FindTicket(plan.Resource); err != nil {
			return "", fmt.Errorf("start a job: %w", err)
		}
	}
	return JobID(w.addJob(kind, plan)), nil
}

// addJob adds one and gives its place. The lock is held.
func (w *Jobs) addJob(kind JobKind, plan JobPlan) int {
	if plan.Pending == 0 {
		plan.Pending = time.Minute
	}
	if plan.Working == 0 {
		plan.Working = 4 * time.Minute
	}
	n := len(w.JobList)
	w.JobList = append(w.JobList, Job{Kind: kind, made: w.TimeHeld(), Plan: plan})
	if len(plan.Contacts) > 0 && !plan.Fails {
		w.Schedule(w.JobList[n].EndsAt(), func(at int64) { w.workInBulk(n, at) })
	}
	return n
}

// JobID is the id of a job by its number.
func JobID(n int) string { return "job_" + strconv.Itoa(90100+17*n) }

// Status is where a job stands (workspace-api 3.1).
func (j *Job) Status(now time.Time) string {
	switch age := now.Sub(j.made); {
	case age < j.Plan.Pending:
		return "pending"
	case age < j.Plan.Pending+j.Plan.Working:
		return "in_progress"
	case j.Plan.Fails:
		return "failed"
	}
	return "success"
}
