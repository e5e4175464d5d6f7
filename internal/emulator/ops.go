package emulator

import (
	"errors"
	"fmt"
	"strconv"

	"aqueduck/internal/emulator/event"
)

// ErrUnknown is answered when an operation names a contact that never was.
var ErrUnknown = errors.New("no such contact")

// CreateContact makes a contact of the given role with drawn attributes, then the changes, and gives its id.
func (w *contactOps) CreateContact(role string, set ...event.Change) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	at := w.now()
	return w.create(at, w.make.Contact(len(w.contacts), at, at, role == "user"), set)
}

// createOnly makes a contact that has nothing but what is set. The lock is held.
func (w *contactBook) createOnly(at int64, user bool, set []event.Change) (string, error) {
	return w.create(at, &event.Contact{ID: w.make.ID(len(w.contacts), at), Created: at, Updated: at, User: user, Only: true}, set)
}

func (w *contactBook) create(at int64, d *event.Contact, set []event.Change) (string, error) {
	num := len(w.contacts)
	set = plain(set)
	for _, c := range set {
		if err := setField(d, c); err != nil {
			return "", fmt.Errorf("create a contact: %w", err)
		}
	}
	w.record(event.ContactEvent{At: at, Kind: event.Created, User: d.User, Contact: int32(num), Born: d})
	return d.ID, nil
}

// UpdateContact sets fields of a contact, its role among them.
func (w *contactOps) UpdateContact(id string, set ...event.Change) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.update(w.now(), id, false, set)
}

// UpdateQuietly sets fields without moving updated_at, as last_seen_at does in practice (trap T47).
func (w *contactOps) UpdateQuietly(id string, set ...event.Change) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.update(w.now(), id, true, set)
}

func (w *contactBook) update(at int64, id string, quiet bool, set []event.Change) error {
	num, ok := w.byID[id]
	if !ok {
		return fmt.Errorf("update %s: %w", id, ErrUnknown)
	}
	if len(set) == 0 {
		return nil // nothing is an update that moves no updated_at
	}
	trial, rest := *w.contacts[num].doc, []event.Change{}
	for _, c := range plain(set) {
		if c.Field == "role" && (c.Value == "user" || c.Value == "lead") {
			trial.User = c.Value == "user"
			continue
		}
		if err := setField(&trial, c); err != nil {
			return fmt.Errorf("update %s: %w", id, err)
		}
		rest = append(rest, c)
	}
	if trial.User != w.contacts[num].doc.User {
		w.record(event.ContactEvent{At: at, Kind: event.RoleChanged, Contact: num, User: trial.User, Quiet: quiet})
	}
	w.record(event.ContactEvent{At: at, Kind: event.Updated, Contact: num, Set: rest, Quiet: quiet})
	return nil
}

// event logs one event about a contact, filled in by what the operation adds.
func (w *contactBook) event(kind event.ContactKind, id string, more func(e *event.ContactEvent) error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.logEvent(kind, id, more)
}

// logEvent is event with the lock held.
func (w *contactBook) logEvent(kind event.ContactKind, id string, more func(e *event.ContactEvent) error) error {
	num, ok := w.byID[id]
	if !ok {
		return fmt.Errorf("contact %s: %w", id, ErrUnknown)
	}
	e := event.ContactEvent{At: w.now(), Kind: kind, Contact: num}
	if word := w.contacts[num].status; !mayHappen(kind, word) {
		return fmt.Errorf("contact %s is %s: %w", id, word, errNotNow)
	}
	if more != nil {
		if err := more(&e); err != nil {
			return fmt.Errorf("contact %s: %w", id, err)
		}
	}
	w.record(e)
	return nil
}

var errNotNow = errors.New("that does not happen to such a one")

// mayHappen says whether something can happen to a contact that stands so. Who was erased stays so, and only who was put away,
// or blocked, comes back.
func mayHappen(kind event.ContactKind, stands status) bool {
	switch kind {
	case event.Unarchived:
		return stands == archived
	case event.Unblocked:
		return stands == blocked
	case event.Archived, event.Blocked:
		return stands != merged && stands != permanentlyDeleted
	}
	return stands != permanentlyDeleted
}

// Promote makes a lead a user.
func (w *contactOps) Promote(id string) error {
	return w.event(event.RoleChanged, id, func(e *event.ContactEvent) error { e.User = true; return nil })
}

// Merge merges a lead into a user, who has the lead's conversations and tickets from then on. What the API refuses is refused: anything
// but an active lead into an active user.
func (w *world) Merge(lead, user string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	err := w.logEvent(event.Merged, lead, func(e *event.ContactEvent) error {
		into, ok := w.byID[user]
		if !ok {
			return ErrUnknown
		}
		from, to := &w.contacts[e.Contact], &w.contacts[into]
		if from.doc.User || !to.doc.User || from.status != active || to.status != active {
			return errors.New("only an active lead is merged into an active user")
		}
		e.Other = into
		return nil
	})
	if err == nil {
		w.passOn(w.byID[lead], w.byID[user])
	}
	return err
}

// MergeAnyway merges whatever the roles and the states: chains and cycles as imports leave them (trap T25). Conversations and tickets
// still name who was merged away (trap T26), as they do after the merges of the population and of its life.
func (w *contactOps) MergeAnyway(from, into string) error {
	return w.event(event.Merged, from, func(e *event.ContactEvent) (err error) {
		e.Other, err = w.number(into)
		return err
	})
}

// FailMerge logs a merge that failed: both contacts stay as they are (trap T41).
func (w *contactOps) FailMerge(from, into, reason string) error {
	return w.event(event.MergeFailed, from, func(e *event.ContactEvent) (err error) {
		e.Text = reason
		e.Other, err = w.number(into)
		return err
	})
}

func (w *contactBook) number(id string) (int32, error) {
	num, ok := w.byID[id]
	if !ok {
		return 0, ErrUnknown
	}
	return num, nil
}

// Archive puts a contact away; its own updated_at does not move.
func (w *contactOps) Archive(id string) error { return w.event(event.Archived, id, nil) }

// Unarchive brings it back; bump says whether its updated_at moves (trap T27).
func (w *contactOps) Unarchive(id string, bump bool) error {
	return w.event(event.Unarchived, id, func(e *event.ContactEvent) error { e.Quiet = !bump; return nil })
}

// Block blocks a contact; its own updated_at does not move.
func (w *contactOps) Block(id string) error { return w.event(event.Blocked, id, nil) }

// Unblock brings it back; bump says whether its updated_at moves.
func (w *contactOps) Unblock(id string, bump bool) error {
	return w.event(event.Unblocked, id, func(e *event.ContactEvent) error { e.Quiet = !bump; return nil })
}

// Delete is DELETE /contacts/{id}. Whether the contact is then listed as inactive is a knob.
func (w *contactOps) Delete(id string) error {
	return w.event(event.Deleted, id, func(e *event.ContactEvent) error {
		e.Listed = w.k().ListDeletes.Lists(len(w.events))
		return nil
	})
}

// RequestDeletion makes a contact pending_deletion.
func (w *contactOps) RequestDeletion(id string) error {
	return w.event(event.DeletionRequested, id, nil)
}

// Erase makes a contact permanently_deleted.
func (w *contactOps) Erase(id string) error { return w.event(event.Erased, id, nil) }

// Tag puts a tag on a contact; tags are numbered from 0 to 599.
func (w *contactOps) Tag(id string, tag int) error {
	return w.event(event.Tagged, id, func(e *event.ContactEvent) error { return place32(&e.Other, tag, event.TagCount) })
}

// Untag takes a tag off. Whether that moves updated_at is a knob.
func (w *contactOps) Untag(id string, tag int) error {
	return w.event(event.Untagged, id, func(e *event.ContactEvent) error {
		e.Quiet = w.k().QuietUntag
		return place32(&e.Other, tag, event.TagCount)
	})
}

// AddNote writes a note about a contact.
func (w *contactOps) AddNote(id, body string) error {
	return w.event(event.Noted, id, func(e *event.ContactEvent) error {
		e.Other, e.Text = w.nextNote(), body
		return nil
	})
}

// nextNote numbers notes beyond those that the population was born with.
func (w *contactBook) nextNote() int32 { return 1<<30 + int32(len(w.notes)) }

// AddCompany attaches a company, numbered from 0, to a contact.
func (w *companyDesk) AddCompany(id string, company int) error {
	return w.people.event(event.CompanyAttached, id, func(e *event.ContactEvent) error { return place32(&e.Other, company, len(w.firms)) })
}

// RemoveCompany detaches a company from a contact.
func (w *companyDesk) RemoveCompany(id string, company int) error {
	return w.people.event(event.CompanyDetached, id, func(e *event.ContactEvent) error { return place32(&e.Other, company, len(w.firms)) })
}

func place32(into *int32, n, limit int) error {
	if n < 0 || n >= limit {
		return errors.New("number " + strconv.Itoa(n) + " is not below " + strconv.Itoa(limit))
	}
	*into = int32(n)
	return nil
}

// ExpireCursors makes every cursor handed out so far invalid, as a restart of the service would (trap T12).
func (w *core) ExpireCursors() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.epoch++
}

// IDs gives the ids of all contacts that stand at the given lifecycle word, in the order of creation.
func (w *contactOps) IDs(lifecycle string) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var ids []string
	for i := range w.contacts {
		c := &w.contacts[i]
		word := c.status.String()
		if c.listed {
			word = c.status.entry()
		}
		if word == lifecycle {
			ids = append(ids, c.doc.ID)
		}
	}
	return ids
}

// plain gives a copy of changes whose integers are all int64, as the log has them.
func plain(set []event.Change) []event.Change {
	out := make([]event.Change, len(set))
	for i, c := range set {
		if n, ok := c.Value.(int); ok {
			c.Value = int64(n)
		}
		out[i] = c
	}
	return out
}
