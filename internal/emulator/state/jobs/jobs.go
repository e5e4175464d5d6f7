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

// Jobs is the state of all jobs except exports.
type Jobs struct {
	*core.Core
	People  *contacts.Contacts
	Tickets *tickets.Tickets
	JobList []Job
}

// workInBulk carries out a job at its time. The caller holds the lock.
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

// bulkCreate creates strictly: it rejects a contact when any active one, lead or user, has the external id or the e-mail.
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

// Job is a started job. Its status is a function of the time.
type Job struct {
	Kind JobKind
	made time.Time
	Plan JobPlan

	Rejected []Rejection
}

// EndsAt returns when a job is done.
func (j *Job) EndsAt() time.Time { return j.made.Add(j.Plan.Pending + j.Plan.Working) }

// JobKind is the kind of a job.
type JobKind string

// The kinds: creation of a ticket (workspace-api 4.11, tickets/enqueue), and bulk changes of contacts.
const (
	TicketsEnqueue JobKind = "ticket"
	ContactsCreate JobKind = "contacts.create"
	ContactsUpdate JobKind = "contacts.update"
	ContactsDelete JobKind = "contacts.delete"
)

// IsBulk reports whether a job changes contacts in bulk.
func (k JobKind) IsBulk() bool { return k != TicketsEnqueue }

// JobPlan is the course of a job.
type JobPlan struct {
	Pending  time.Duration // time until it starts; 0: a minute
	Working  time.Duration // time until it ends after that; 0: four minutes
	Fails    bool          // it ends as failed
	Resource string        // id of the created ticket

	Contacts []JobContact // changes of a bulk job, carried out when it succeeds
}

// StartJob starts a job and returns its id. The job is pending, then in_progress, then success or failed.
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

// addJob adds a job and returns its number. The caller holds the lock.
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

// JobID returns the id of a job by its number.
func JobID(n int) string { return "job_" + strconv.Itoa(90100+17*n) }

// Status returns the status of a job (workspace-api 3.1).
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
