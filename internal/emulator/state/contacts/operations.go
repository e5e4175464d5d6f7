package contacts

import (
	"errors"
	"fmt"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/state/core"
)

// ErrUnknown is answered when an operation names a contact that never was.
var ErrUnknown = errors.New("no such contact")

// CreateContact makes a contact of the given role with drawn attributes, then the changes, and gives its id.
func (w *Contacts) CreateContact(role string, set ...event.FieldChange) (string, error) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	at := w.UnixNow()
	return w.createDrawn(at, w.Maker.DrawContact(len(w.List), at, at, role == "user"), set)
}

// CreatePlain makes a contact that has nothing but what is set. The lock is held.
func (w *Book) CreatePlain(at int64, user bool, set []event.FieldChange) (string, error) {
	return w.createDrawn(at, &event.Contact{ID: w.Maker.ContactID(len(w.List), at), Created: at, Updated: at, User: user, Only: true}, set)
}

func (w *Book) createDrawn(at int64, d *event.Contact, set []event.FieldChange) (string, error) {
	num := len(w.List)
	set = core.PlainChanges(set)
	for _, c := range set {
		if err := setField(d, c); err != nil {
			return "", fmt.Errorf("create a contact: %w", err)
		}
	}
	w.RecordContactEvent(event.ContactEvent{At: at, Kind: event.Created, User: d.User, Contact: int32(num), Born: d})
	return d.ID, nil
}

// UpdateContact sets fields of a contact, its role among them.
func (w *Contacts) UpdateContact(id string, set ...event.FieldChange) error {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	return w.UpdateFields(w.UnixNow(), id, false, set)
}

// UpdateQuietly sets fields without moving updated_at, as last_seen_at does in practice (trap T47).
func (w *Contacts) UpdateQuietly(id string, set ...event.FieldChange) error {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	return w.UpdateFields(w.UnixNow(), id, true, set)
}

// UpdateFields sets fields of a contact, quietly where updated_at is to stay as it is. The lock is held.
func (w *Book) UpdateFields(at int64, id string, quiet bool, set []event.FieldChange) error {
	num, ok := w.ByID[id]
	if !ok {
		return fmt.Errorf("update %s: %w", id, ErrUnknown)
	}
	if len(set) == 0 {
		return nil // nothing is an update that moves no updated_at
	}
	trial, rest := *w.List[num].Doc, []event.FieldChange{}
	for _, c := range core.PlainChanges(set) {
		if c.Field == "role" && (c.Value == "user" || c.Value == "lead") {
			trial.User = c.Value == "user"
			continue
		}
		if err := setField(&trial, c); err != nil {
			return fmt.Errorf("update %s: %w", id, err)
		}
		rest = append(rest, c)
	}
	if trial.User != w.List[num].Doc.User {
		w.RecordContactEvent(event.ContactEvent{At: at, Kind: event.RoleChanged, Contact: num, User: trial.User, Quiet: quiet})
	}
	w.RecordContactEvent(event.ContactEvent{At: at, Kind: event.Updated, Contact: num, Set: rest, Quiet: quiet})
	return nil
}

// AppendEvent logs one event about a contact, filled in by what the operation adds.
func (w *Book) AppendEvent(kind event.ContactKind, id string, more func(e *event.ContactEvent) error) error {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	return w.AppendEventOf(kind, id, more)
}

// AppendEventOf is event with the lock held.
func (w *Book) AppendEventOf(kind event.ContactKind, id string, more func(e *event.ContactEvent) error) error {
	num, ok := w.ByID[id]
	if !ok {
		return fmt.Errorf("contact %s: %w", id, ErrUnknown)
	}
	e := event.ContactEvent{At: w.UnixNow(), Kind: kind, Contact: num}
	if word := w.List[num].Status; !mayHappen(kind, word) {
		return fmt.Errorf("contact %s is %s: %w", id, word, errNotNow)
	}
	if more != nil {
		if err := more(&e); err != nil {
			return fmt.Errorf("contact %s: %w", id, err)
		}
	}
	w.RecordContactEvent(e)
	return nil
}

var errNotNow = errors.New("that does not happen to such a one")

// mayHappen says whether something can happen to a contact that stands so. Who was erased stays so, and only who was put away,
// or blocked, comes back.
func mayHappen(kind event.ContactKind, stands Status) bool {
	switch kind {
	case event.Unarchived:
		return stands == Archived
	case event.Unblocked:
		return stands == Blocked
	case event.Archived, event.Blocked:
		return stands != Merged && stands != PermanentlyDeleted
	}
	return stands != PermanentlyDeleted
}

// PromoteLead makes a lead a user.
func (w *Contacts) PromoteLead(id string) error {
	return w.AppendEvent(event.RoleChanged, id, func(e *event.ContactEvent) error { e.User = true; return nil })
}

// ForceMerge merges whatever the roles and the states: chains and cycles as imports leave them (trap T25). Conversations and tickets
// still name who was merged away (trap T26), as they do after the merges of the population and of its life.
func (w *Contacts) ForceMerge(from, into string) error {
	return w.AppendEvent(event.Merged, from, func(e *event.ContactEvent) (err error) {
		e.Other, err = w.contactNumber(into)
		return err
	})
}

// FailMerge logs a merge that failed: both contacts stay as they are (trap T41).
func (w *Contacts) FailMerge(from, into, reason string) error {
	return w.AppendEvent(event.MergeFailed, from, func(e *event.ContactEvent) (err error) {
		e.Text = reason
		e.Other, err = w.contactNumber(into)
		return err
	})
}

func (w *Book) contactNumber(id string) (int32, error) {
	num, ok := w.ByID[id]
	if !ok {
		return 0, ErrUnknown
	}
	return num, nil
}

// ArchiveContact puts a contact away; its own updated_at does not move.
func (w *Contacts) ArchiveContact(id string) error { return w.AppendEvent(event.Archived, id, nil) }

// UnarchiveContact brings it back; bump says whether its updated_at moves (trap T27).
func (w *Contacts) UnarchiveContact(id string, bump bool) error {
	return w.AppendEvent(event.Unarchived, id, func(e *event.ContactEvent) error { e.Quiet = !bump; return nil })
}

// BlockContact blocks a contact; its own updated_at does not move.
func (w *Contacts) BlockContact(id string) error { return w.AppendEvent(event.Blocked, id, nil) }

// UnblockContact brings it back; bump says whether its updated_at moves.
func (w *Contacts) UnblockContact(id string, bump bool) error {
	return w.AppendEvent(event.Unblocked, id, func(e *event.ContactEvent) error { e.Quiet = !bump; return nil })
}

// DeleteContact is DELETE /contacts/{id}. Whether the contact is then listed as inactive is a knob.
func (w *Contacts) DeleteContact(id string) error {
	return w.AppendEvent(event.Deleted, id, func(e *event.ContactEvent) error {
		e.Listed = w.K().ListDeletes.ShouldList(len(w.ContactLog))
		return nil
	})
}

// RequestDeletion makes a contact pending_deletion.
func (w *Contacts) RequestDeletion(id string) error {
	return w.AppendEvent(event.DeletionRequested, id, nil)
}

// EraseContact makes a contact permanently_deleted.
func (w *Contacts) EraseContact(id string) error { return w.AppendEvent(event.Erased, id, nil) }

// TagContact puts a tag on a contact; tags are numbered from 0 to 599.
func (w *Contacts) TagContact(id string, tag int) error {
	return w.AppendEvent(event.Tagged, id, func(e *event.ContactEvent) error { return core.SetInt32(&e.Other, tag, event.TagCount) })
}

// UntagContact takes a tag off. Whether that moves updated_at is a knob.
func (w *Contacts) UntagContact(id string, tag int) error {
	return w.AppendEvent(event.Untagged, id, func(e *event.ContactEvent) error {
		e.Quiet = w.K().QuietUntag
		return core.SetInt32(&e.Other, tag, event.TagCount)
	})
}

// AddContactNote writes a note about a contact.
func (w *Contacts) AddContactNote(id, body string) error {
	return w.AppendEvent(event.Noted, id, func(e *event.ContactEvent) error {
		e.Other, e.Text = w.NextNote(), body
		return nil
	})
}

// NextNote numbers notes beyond those that the population was born with.
func (w *Book) NextNote() int32 { return 1<<30 + int32(len(w.Notes)) }

// ContactIDs gives the ids of all contacts that stand at the given lifecycle word, in the order of creation.
func (w *Contacts) ContactIDs(lifecycle string) []string {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	var ids []string
	for i := range w.List {
		c := &w.List[i]
		word := c.Status.String()
		if c.Listed {
			word = c.Status.ListedAs()
		}
		if word == lifecycle {
			ids = append(ids, c.Doc.ID)
		}
	}
	return ids
}
