package contacts

import (
	"errors"
	"fmt"
	"time"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/state/core"
)

// ErrUnknown means that an operation names a contact that never existed.
var ErrUnknown = errors.New("no such contact")

// CreateContact creates a contact of the given role with drawn attributes, applies the changes, and returns its id.
func (w *Contacts) CreateContact(role string, set ...event.FieldChange) (string, error) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	at := w.UnixNow()
	return w.createDrawn(at, w.Maker.DrawContact(len(w.List), at, at, role == "user"), set)
}

// CreatePlain creates a contact with only the fields of set. The caller holds the lock.
func (w *Book) CreatePlain(at int64, user bool, set []event.FieldChange) (string, error) {
	return w.createDrawn(at, &event.Contact{ID: w.Maker.ContactID(len(w.List), at), Created: at, Updated: at, User: user, Plain: true}, set)
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

// UpdateContact sets fields of a contact, including its role.
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

// RestoreContact sets fields and moves updated_at back, as a backup of the source does that is restored (trap T172).
func (w *Contacts) RestoreContact(id string, back time.Duration, set ...event.FieldChange) error {
	return w.AppendEvent(event.Updated, id, func(e *event.ContactEvent) error {
		trial := *w.List[e.Contact].Doc
		e.Back, e.Set = int64(back/time.Second), core.PlainChanges(set)
		for _, c := range e.Set {
			if err := setField(&trial, c); err != nil {
				return err
			}
		}
		return nil
	})
}

// UpdateFields sets fields of a contact; quiet leaves updated_at unchanged. The caller holds the lock.
func (w *Book) UpdateFields(at int64, id string, quiet bool, set []event.FieldChange) error {
	num, ok := w.ByID[id]
	if !ok {
		return fmt.Errorf("update %s: %w", id, ErrUnknown)
	}
	if len(set) == 0 {
		return nil // an update without fields does not move updated_at
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

// AppendEvent logs one event about a contact; more fills it in and may refuse it.
func (w *Book) AppendEvent(kind event.ContactKind, id string, more func(e *event.ContactEvent) error) error {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	return w.AppendEventOf(kind, id, more)
}

// AppendEventOf is AppendEvent for callers that hold the lock.
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

// mayHappen reports whether an event can happen to a contact with a status. An erased contact stays erased, and only archived or blocked
// contacts come back.
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

// ForceMerge merges any two contacts regardless of role and status, for chains and cycles as imports leave them (trap T25). Conversations and
// tickets keep the merged contact (trap T26), as after the merges of the population and of simulated hours.
func (w *Contacts) ForceMerge(from, into string) error {
	return w.AppendEvent(event.Merged, from, func(e *event.ContactEvent) (err error) {
		e.Other, err = w.contactNumber(into)
		return err
	})
}

// FailMerge logs a failed merge: both contacts stay unchanged (trap T41).
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

// ArchiveContact archives a contact; its own updated_at does not move.
func (w *Contacts) ArchiveContact(id string) error { return w.AppendEvent(event.Archived, id, nil) }

// UnarchiveContact un-archives a contact; bump says whether its updated_at moves (trap T27).
func (w *Contacts) UnarchiveContact(id string, bump bool) error {
	return w.AppendEvent(event.Unarchived, id, func(e *event.ContactEvent) error { e.Quiet = !bump; return nil })
}

// BlockContact blocks a contact; its own updated_at does not move.
func (w *Contacts) BlockContact(id string) error { return w.AppendEvent(event.Blocked, id, nil) }

// UnblockContact un-blocks a contact; bump says whether its updated_at moves.
func (w *Contacts) UnblockContact(id string, bump bool) error {
	return w.AppendEvent(event.Unblocked, id, func(e *event.ContactEvent) error { e.Quiet = !bump; return nil })
}

// DeleteContact deletes a contact like DELETE /contacts/{id}. The knob ListDeletes says whether the list of inactive contacts gets an entry.
func (w *Contacts) DeleteContact(id string) error {
	return w.AppendEvent(event.Deleted, id, func(e *event.ContactEvent) error {
		e.Listed = w.K().ListDeletes.ShouldList(len(w.ContactLog))
		return nil
	})
}

// RequestDeletion sets a contact to pending_deletion.
func (w *Contacts) RequestDeletion(id string) error {
	return w.AppendEvent(event.DeletionRequested, id, nil)
}

// EraseContact sets a contact to permanently_deleted.
func (w *Contacts) EraseContact(id string) error { return w.AppendEvent(event.Erased, id, nil) }

// TagContact adds a tag to a contact; tags are numbered from 0 to 599.
func (w *Contacts) TagContact(id string, tag int) error {
	return w.AppendEvent(event.Tagged, id, func(e *event.ContactEvent) error { return core.SetInt32(&e.Other, tag, w.Setup.Cast.TagCount) })
}

// UntagContact removes a tag. The knob QuietUntag says whether updated_at moves.
func (w *Contacts) UntagContact(id string, tag int) error {
	return w.AppendEvent(event.Untagged, id, func(e *event.ContactEvent) error {
		e.Quiet = w.K().QuietUntag
		return core.SetInt32(&e.Other, tag, w.Setup.Cast.TagCount)
	})
}

// AddContactNote adds a note about a contact, by the first admin.
func (w *Contacts) AddContactNote(id, body string) error { return w.AddContactNoteBy(id, "", body) }

// AddContactNoteBy adds a note about a contact, by the admin with an id, or by the first one when it is "".
func (w *Contacts) AddContactNoteBy(id, by, body string) error {
	return w.AppendEvent(event.Noted, id, func(e *event.ContactEvent) error {
		e.Other, e.Text = w.NextNote(), body
		if by == "" {
			return nil
		}
		admin, err := w.FindAdmin(by)
		e.Set = []event.FieldChange{{Field: "admin_id", Value: admin.ID}}
		return err
	})
}

// NextNote returns the next number of a note, beyond those of the population.
func (w *Book) NextNote() int32 { return 1<<30 + int32(len(w.Notes)) }

// ContactIDs returns the ids of all contacts with a lifecycle word, in the order of creation.
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
