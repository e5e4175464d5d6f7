package state

import (
	"errors"
	"slices"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/state/contacts"
	"aqueduck/internal/emulator/state/conversations"
)

// moveThreadsToSurvivor makes the survivor of a merge a contact of the lead's conversations and tickets, and of those of contacts merged into
// the lead (workspace-api 2.10). Authors and ratings stay: they say who wrote then. The caller holds the lock.
func (w *World) moveThreadsToSurvivor(lead, user int32) {
	at, into, ids := w.UnixNow(), w.List[user].Doc, w.IDsOf(w.List[lead].Doc)
	pass := func(log []event.ThreadEvent, list []conversations.Thread, record func(e event.ThreadEvent)) {
		for i := range list {
			var who []*event.Contact
			had := list[i].CurrentContacts(log)
			for _, d := range had {
				// The survivor may take part already, perhaps in an older version: it must not be there twice.
				if ids[d.ID] || d.ID == into.ID {
					d = into
				}
				if !slices.Contains(who, d) {
					who = append(who, d)
				}
			}
			if !list[i].Deleted && slices.ContainsFunc(had, func(d *event.Contact) bool { return ids[d.ID] }) {
				record(event.ThreadEvent{At: at, Kind: event.ThreadContactsChanged, Num: int32(i), Contacts: who})
			}
		}
	}
	pass(w.ConversationLog, w.Threads, w.Conversations.RecordThreadEvent)
	pass(w.TicketLog, w.TicketList, w.Tickets.RecordTicketEvent)
}

// MergeContacts merges a lead into a user, who takes over the lead's conversations and tickets. Like the API it refuses anything but an active
// lead into an active user.
func (w *World) MergeContacts(lead, user string) error {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	err := w.AppendEventOf(event.Merged, lead, func(e *event.ContactEvent) error {
		into, ok := w.ByID[user]
		if !ok {
			return contacts.ErrUnknown
		}
		from, to := &w.List[e.Contact], &w.List[into]
		if from.Doc.User || !to.Doc.User || from.Status != contacts.Active || to.Status != contacts.Active {
			return errors.New("only an active lead is merged into an active user")
		}
		e.Other = into
		return nil
	})
	if err == nil {
		w.moveThreadsToSurvivor(w.ByID[lead], w.ByID[user])
	}
	return err
}
