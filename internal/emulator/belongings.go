package emulator

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/input"
)

// What is written of the things that a contact has: companies, subscriptions, notes.

// attachCompany is POST /contacts/{id}/companies (workspace-api 4.5).
func attachCompany(w *server, q *request, b *input.Body) answer {
	b.Need("id")
	id := b.ID("id")
	if w.activeNow(q.id) == nil {
		return notFound("Contact")
	}
	if b.Refused() {
		return refusedBody(b)
	}
	return w.linkCompany("contacts.attach", q.id, id, func(int32) bool { return true })
}

// detachCompany is DELETE /contacts/{contact_id}/companies/{id}.
func detachCompany(w *server, q *request, _ *input.Body) answer {
	d := w.activeNow(q.id)
	if d == nil {
		return notFound("Contact")
	}
	return w.linkCompany("contacts.detach", q.id, q.inner, func(n int32) bool { return slices.Contains(d.Companies, n) })
}

// linkCompany does something with a contact and a company that fits, and answers the company.
func (w *server) linkCompany(do, contact, company string, fits func(n int32) bool) answer {
	w.mu.Lock()
	n, known := w.companyNamed(company)
	w.mu.Unlock()
	if !known || !fits(n) {
		return failure(http.StatusNotFound, "company_not_found", "Company Not Found")
	}
	if _, refused := w.perform(do, map[string]any{"id": contact, "company": company}); refused != nil {
		return *refused
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return ok(w.appendCompany(nil, n))
}

// subscribed are the subscriptions that a contact is in now.
func (w *contactBook) subscribed(d *event.Contact) []int32 {
	return union(slices.DeleteFunc(w.make.Subscriptions(d), func(n int32) bool { return slices.Contains(d.Left, n) }), d.Joined)
}

// leaveSubscription is DELETE /contacts/{contact_id}/subscriptions/{id} (workspace-api 3.2, 4.4).
func leaveSubscription(w *server, q *request, _ *input.Body) answer {
	d := w.activeNow(q.id)
	if d == nil {
		return notFound("Contact")
	}
	for _, n := range w.subscribed(d) {
		if strconv.FormatInt(event.SubscriptionID(n), 10) != q.inner {
			continue
		}
		if _, refused := w.perform("contacts.unsubscribe", map[string]any{"id": q.id, "subscription": q.inner}); refused != nil {
			return *refused
		}
		return ok(appendSubscription(nil, n))
	}
	return notFound("Subscription type")
}

// Unsubscribe takes a contact out of a subscription, by the id that the API tells. Nothing of the contact itself changes.
func (w *contactOps) Unsubscribe(id, subscription string) error {
	return w.event(event.SubscriptionLeft, id, func(e *event.ContactEvent) error {
		for _, n := range w.subscribed(w.contacts[e.Contact].doc) {
			if strconv.FormatInt(event.SubscriptionID(n), 10) == subscription {
				e.Other, e.Quiet = n, true
				return nil
			}
		}
		return errors.New("it is not in the subscription " + subscription)
	})
}

// Subscribe puts a contact into a subscription, by the id that the API tells: one of those that contacts have. Nothing of the contact itself
// changes.
func (w *contactOps) Subscribe(id, subscription string) error {
	return w.event(event.SubscriptionJoined, id, func(e *event.ContactEvent) error {
		for n := range int32(event.SubscriptionCount) {
			if strconv.FormatInt(event.SubscriptionID(n), 10) == subscription && !slices.Contains(w.subscribed(w.contacts[e.Contact].doc), n) {
				e.Other, e.Quiet = n, true
				return nil
			}
		}
		return fmt.Errorf("it is in the subscription %s already, or there is none: they are %d to %d", subscription, event.SubscriptionID(0), event.SubscriptionID(event.SubscriptionCount-1))
	})
}

// deleteNote is DELETE /notes/{id} (workspace-api 4.11): of a contact or of a company. No other kind is known by such an id.
func deleteNote(w *server, q *request, _ *input.Body) answer {
	w.mu.Lock()
	_, _, found := w.noteNamed(q.id)
	w.mu.Unlock()
	if !found {
		return notFound("Note")
	}
	if _, refused := w.perform("notes.delete", map[string]any{"id": q.id}); refused != nil {
		return *refused
	}
	return deletedAnswer("note", q.id)
}

// noteNamed finds a note by its id: as what deletes it from an active contact, or else from a company. The lock is held.
func (w *world) noteNamed(id string) (of *event.ContactEvent, ofFirm *event.CompanyEvent, found bool) {
	for num := range w.contacts {
		c := &w.contacts[num]
		for _, n := range c.doc.Notes {
			if c.status == active && strconv.FormatInt(event.NoteID(n), 10) == id {
				return &event.ContactEvent{Kind: event.NoteDeleted, Contact: int32(num), Other: n}, nil, true
			}
		}
	}
	for n := range w.firms {
		for _, note := range w.firms[n].now.Notes {
			if strconv.FormatInt(note.ID, 10) == id {
				return nil, &event.CompanyEvent{Kind: event.CompanyNoteDeleted, N: int32(n), Note: note}, true
			}
		}
	}
	return nil, nil, false
}

// DeleteNote deletes a note of a contact, whose updated_at moves, or of a company, where it does not.
func (w *world) DeleteNote(id string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch note, ofFirm, found := w.noteNamed(id); {
	case !found:
		return fmt.Errorf("no note %s of an active contact or of a company", id)
	case note != nil:
		note.At = w.now()
		w.record(*note)
	default:
		ofFirm.At = w.now()
		w.recordFirm(*ofFirm)
	}
	return nil
}
