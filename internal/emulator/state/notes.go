package state

import (
	"fmt"
	"strconv"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/state/contacts"
)

// FindNote finds a note by its id: as what deletes it from an active contact, or else from a company. The lock is held.
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

// DeleteNote deletes a note of a contact, whose updated_at moves, or of a company, where it does not.
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
