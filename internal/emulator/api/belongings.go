package api

import (
	"net/http"
	"slices"
	"strconv"

	"aqueduck/internal/emulator/api/answer"
	"aqueduck/internal/emulator/api/render"
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/input"
	"aqueduck/internal/emulator/jsontext"
	"aqueduck/internal/emulator/state/contacts"
)

// Routes that write the companies, subscriptions and notes of a contact.

// attachCompany serves POST /contacts/{id}/companies (workspace-api 4.5).
func attachCompany(w *Handlers, q *Request, b *input.Body) answer.Answer {
	b.RequireFields("id")
	id := b.ReadID("id")
	if w.FindActive(q.ID) == nil {
		return answer.NotFound("Contact")
	}
	if b.IsRefused() {
		return refusedBody(b)
	}
	return w.linkCompany("contacts.attach", q.ID, id, func(int32) bool { return true })
}

// detachCompany serves DELETE /contacts/{contact_id}/companies/{id}.
func detachCompany(w *Handlers, q *Request, _ *input.Body) answer.Answer {
	d := w.FindActive(q.ID)
	if d == nil {
		return answer.NotFound("Contact")
	}
	return w.linkCompany("contacts.detach", q.ID, q.Inner, func(n int32) bool { return slices.Contains(d.Companies, n) })
}

// linkCompany carries out an operation on a contact and a company, and answers the company. fits says which companies the request may name.
func (w *Handlers) linkCompany(do, contact, company string, fits func(n int32) bool) answer.Answer {
	w.Mu.Lock()
	n, known := w.FindCompany(company)
	w.Mu.Unlock()
	if !known || !fits(n) {
		return answer.Failure(http.StatusNotFound, "company_not_found", "Company Not Found")
	}
	if _, refused := w.performOperation(do, map[string]any{"id": contact, "company": company}); refused != nil {
		return *refused
	}
	w.Mu.Lock()
	defer w.Mu.Unlock()
	return answer.OK(w.appendCompany(nil, n))
}

// leaveSubscription serves DELETE /contacts/{contact_id}/subscriptions/{id} (workspace-api 3.2, 4.4).
func leaveSubscription(w *Handlers, q *Request, _ *input.Body) answer.Answer {
	d := w.FindActive(q.ID)
	if d == nil {
		return answer.NotFound("Contact")
	}
	for _, n := range w.Subscriptions(d) {
		if strconv.FormatInt(event.SubscriptionID(n), 10) != q.Inner {
			continue
		}
		if _, refused := w.performOperation("contacts.unsubscribe", map[string]any{"id": q.ID, "subscription": q.Inner}); refused != nil {
			return *refused
		}
		return answer.OK(render.AppendSubscription(w.Setup.Cast, nil, n))
	}
	return answer.NotFound("Subscription type")
}

// deleteNote serves DELETE /notes/{id} (workspace-api 4.11), for notes of contacts and of companies. Other notes are not found by such an id.
func deleteNote(w *Handlers, q *Request, _ *input.Body) answer.Answer {
	w.Mu.Lock()
	_, _, found := w.FindNote(q.ID)
	w.Mu.Unlock()
	if !found {
		return answer.NotFound("Note")
	}
	if _, refused := w.performOperation("notes.delete", map[string]any{"id": q.ID}); refused != nil {
		return *refused
	}
	return deletedAnswer("note", q.ID)
}

// Routes that archive, block and bring back contacts.

func archiveContact(w *Handlers, q *Request, _ *input.Body) answer.Answer {
	return moveContact(w, q, "contacts.archive", contacts.Active, "archived", true)
}

// unarchiveContact serves POST /contacts/{id}/unarchive, for archived contacts.
func unarchiveContact(w *Handlers, q *Request, _ *input.Body) answer.Answer {
	return moveContact(w, q, "contacts.unarchive", contacts.Archived, "archived", false)
}

func blockContact(w *Handlers, q *Request, _ *input.Body) answer.Answer {
	return moveContact(w, q, "contacts.block", contacts.Active, "blocked", true)
}

// moveContact carries out an operation on a contact that has a status, and answers with a flag.
func moveContact(w *Handlers, q *Request, do string, from contacts.Status, flag string, value bool) answer.Answer {
	w.Mu.Lock()
	num, known := w.ByID[q.ID]
	known = known && w.List[num].Status == from
	w.Mu.Unlock()
	if !known {
		return answer.NotFound("Contact")
	}
	if _, refused := w.performOperation(do, map[string]any{"id": q.ID}); refused != nil {
		return *refused
	}
	w.Mu.Lock()
	defer w.Mu.Unlock()
	p := &jsontext.Writer{}
	p.Open("")
	p.TextOrNull("type", "contact")
	p.TextOrNull("id", q.ID)
	p.TextOrNull("external_id", w.List[num].Doc.ExternalID)
	p.Bool(flag, value)
	p.Close()
	return answer.OK(p.Bytes)
}
