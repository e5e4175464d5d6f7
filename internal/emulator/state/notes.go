package state

import (
	"fmt"
	"strconv"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/state/contacts"
)

// FindNote returns the event that created a note, by the note's id: a note of an active contact, or of a company. The caller holds the lock.
func (w *World) FindNote(id string) (of *event.ContactEvent, ofFirm *event.CompanyEvent, found bool) {
	for num := range w.List {
		c := &w.List[num]
		for _, n := range c.Doc.Notes {
			if c.Status == contacts.Active && strconv.FormatInt(event.NoteID(n), 10) == id {
				return &event.ContactEvent{Kind: event.NoteDeleted, Contact: int32(num), Other: n}, nil, true
			}
		}
	}
	for n := range w.CompanyList {
		for _, note := range w.CompanyList[n].Newest.Notes {
			if strconv.FormatInt(note.ID, 10) == id {
				return nil, &event.CompanyEvent{Kind: event.CompanyNoteDeleted, N: int32(n), Note: note}, true
			}
		}
	}
	return nil, nil, false
}

// DeleteNote deletes a note of a contact, which moves its updated_at, or of a company, which does not.
func (w *World) DeleteNote(id string) error {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	switch note, ofFirm, found := w.FindNote(id); {
	case !found:
		return fmt.Errorf("no note %s of an active contact or of a company", id)
	case note != nil:
		note.At = w.UnixNow()
		w.Contacts.RecordContactEvent(*note)
	default:
		ofFirm.At = w.UnixNow()
		w.RecordCompanyEvent(*ofFirm)
	}
	return nil
}
