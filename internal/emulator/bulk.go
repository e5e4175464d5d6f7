package emulator

import (
	"net/http"
	"time"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/input"
	"aqueduck/internal/emulator/jsontext"
)

// JobContact is what a job does to one contact: of the fields that its kind needs.
type JobContact struct {
	ID   string // of the one that is updated or deleted
	Role string // of the one that is created
	Set  []event.Change
}

// rejection is a contact that a job left as it was.
type rejection struct {
	place             int // in the list that was sent
	id, code, message string
}

// bulk is POST, PUT and POST …/delete of /contacts/bulk (workspace-api 4.11): a job for all that was sent. What is no contact at all is refused
// before there is a job; what cannot be done when its time comes is told by the job.
func bulk(kind JobKind) func(w *server, q *request) answer {
	return writing(func(w *server, q *request, b *input.Body) answer {
		b.Need("contacts")
		contacts := []any{}
		for _, one := range b.Objects("contacts") {
			contacts = append(contacts, bulkContact(one, kind, q.version))
		}
		if b.Refused() {
			return refusedBody(b)
		}
		ids, refused := w.perform("jobs.start", map[string]any{"kind": string(kind), "contacts": contacts})
		if refused != nil {
			return *refused
		}
		q.id = ids["id"]
		a := bulkJobStatus(w, q)
		a.status = http.StatusAccepted
		return a
	})
}

func bulkContact(b *input.Body, kind JobKind, v version) map[string]any {
	switch kind {
	case JobContactsCreate:
		role, set := contactToCreate(b, v)
		return map[string]any{"role": role, "set": set}
	case JobContactsUpdate:
		b.Need("id")
		return map[string]any{"id": b.ID("id"), "set": contactToUpdate(b, v)}
	}
	b.Need("id")
	return map[string]any{"id": b.ID("id")}
}

// jobContacts are the contacts that jobs.start was told of.
func (a args) jobContacts(name string) (list []JobContact) {
	all, _ := a[name].([]args)
	for _, one := range all {
		list = append(list, JobContact{one.text("id"), one.text("role"), one.changes("set")})
	}
	return list
}

// workInBulk does what a job is for when its time has come. The lock is held.
func (w *jobDesk) workInBulk(n int, at int64) {
	j := &w.jobs[n]
	for i, one := range j.plan.Contacts {
		var code, message string
		switch j.kind {
		case JobContactsCreate:
			code, message = w.bulkCreate(at, one)
		default:
			code, message = w.bulkChange(at, j.kind, one)
		}
		if code != "" {
			j.rejected = append(j.rejected, rejection{i, one.ID, code, message})
		}
	}
}

// bulkCreate is strict: whoever has the external id or the e-mail already, lead or user, stays as it is.
func (w *jobDesk) bulkCreate(at int64, one JobContact) (code, message string) {
	set := fieldsOf(one.Set)
	external, _ := set["external_id"].(string)
	email, _ := set["email"].(string)
	if other := w.people.knownAs(external, email, func(*event.Contact) bool { return true }); other != "" {
		return "conflict", alreadyThere(other)
	}
	if _, err := w.people.createOnly(at, one.Role == "user", one.Set); err != nil {
		return "parameter_invalid", err.Error()
	}
	return "", ""
}

func (w *jobDesk) bulkChange(at int64, kind JobKind, one JobContact) (code, message string) {
	d := w.people.activeContact(one.ID)
	if d == nil {
		return "not_found", "Contact Not Found"
	}
	if kind == JobContactsDelete {
		w.people.record(event.ContactEvent{At: at, Kind: event.Deleted, Contact: w.people.byID[one.ID], Listed: w.k().ListDeletes.Lists(len(w.people.events))})
		return "", ""
	}
	if other := w.people.clashing(d, fieldsOf(one.Set)); other != "" {
		return "conflict", alreadyThere(other)
	}
	if err := w.people.update(at, one.ID, false, one.Set); err != nil {
		return "parameter_invalid", err.Error()
	}
	return "", ""
}

// fieldsOf gives changes by their fields.
func fieldsOf(set []event.Change) map[string]any {
	fields := map[string]any{}
	for _, s := range set {
		fields[s.Field] = s.Value
	}
	return fields
}

// over is when a job has done its work.
func (j *job) over() time.Time { return j.made.Add(j.plan.Pending + j.plan.Working) }

// writeRejections writes what a job has left as it was.
func writeRejections(p *jsontext.Writer, list []rejection) {
	p.List("rejected")
	for _, r := range list {
		p.Item()
		p.Int("index", int64(r.place))
		p.Text("id", r.id)
		p.Text("code", r.code)
		p.Text("message", r.message)
		p.Close()
	}
	p.End()
}
