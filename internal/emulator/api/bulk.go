package api

import (
	"net/http"

	"aqueduck/internal/emulator/api/answer"
	"aqueduck/internal/emulator/apiversion"
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/input"
	"aqueduck/internal/emulator/state/jobs"
)

// bulkRoute serves POST, PUT and POST …/delete of /contacts/bulk (workspace-api 4.11) with one job for the whole request. An item that is no
// contact object is refused at once. A contact that the job cannot change is reported by the job.
func bulkRoute(kind jobs.JobKind) func(w *Handlers, q *Request) answer.Answer {
	return writingRoute(func(w *Handlers, q *Request, b *input.Body) answer.Answer {
		b.RequireFields("contacts")
		contacts := []any{}
		for _, one := range b.ReadObjects("contacts") {
			contacts = append(contacts, bulkContact(w.Setup.Cast, one, kind, q.Version))
		}
		if b.IsRefused() {
			return refusedBody(b)
		}
		ids, refused := w.performOperation("jobs.start", map[string]any{"kind": string(kind), "contacts": contacts})
		if refused != nil {
			return *refused
		}
		q.ID = ids["id"]
		a := bulkJobStatus(w, q)
		a.Status = http.StatusAccepted
		return a
	})
}

func bulkContact(cast *event.Cast, b *input.Body, kind jobs.JobKind, v apiversion.Version) map[string]any {
	switch kind {
	case jobs.ContactsCreate:
		role, set := contactToCreate(cast, b, v)
		return map[string]any{"role": role, "set": set}
	case jobs.ContactsUpdate:
		b.RequireFields("id")
		return map[string]any{"id": b.ReadID("id"), "set": contactToUpdate(cast, b, v)}
	}
	b.RequireFields("id")
	return map[string]any{"id": b.ReadID("id")}
}
