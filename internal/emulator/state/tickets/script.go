package tickets

import (
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
	"aqueduck/internal/emulator/state/conversations"
)

// PlayTicket logs what a script has for a ticket.
func (w *Desk) PlayTicket(h *population.ThreadHappening) {
	e := h.Event
	if e.Kind == event.ThreadOpened {
		h.Thread.Num = int32(len(w.TicketList))
	}
	if e.Num = h.Thread.Num; conversations.FitThreadEvent(&e, w.TicketList) {
		w.RecordTicketEvent(e)
	}
}
