package state

import (
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
	"aqueduck/internal/emulator/state/contacts"
)

// playHour carries out what the script of the population has for a simulated hour. Threads and calls get their numbers now.
func (w *World) playHour(base int64) {
	active := func(r *event.RNG) *event.Contact {
		num, ok := w.Contacts.DrawContact(r, contacts.IsActive)
		if !ok {
			return nil
		}
		return w.List[num].Doc
	}
	for _, h := range w.Setup.Origin.Script.Hour(w.HoursLived, base, active) {
		switch {
		case h.Action != nil:
			w.Happen(h.Action.At, func(int64) {
				h.Action.N = int32(len(w.ActionLog))
				w.AddActions([]event.AdminAction{population.NewAction(w.Setup.Seed, *h.Action)})
			})
		case h.Call != nil:
			w.Happen(h.Call.Initiated, func(int64) { w.Calls.PlayCall(h.Thread.Thread, *h.Call, base) })
		case h.Consultation != nil:
			w.Happen(h.Consultation.At, func(int64) { w.Conversations.PlayConsultation(h.Thread.Thread, *h.Consultation, base) })
		case h.Thread.Ticket:
			w.Happen(h.Thread.Event.At, func(int64) { w.Tickets.PlayTicket(h.Thread) })
		default:
			w.Happen(h.Thread.Event.At, func(int64) {
				if id, at := w.Conversations.PlayThread(h.Thread); id != "" {
					w.Contacts.NoteReply(id, at)
				}
			})
		}
	}
}
