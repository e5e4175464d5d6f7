package tickets

import (
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
	"aqueduck/internal/emulator/search"
	"aqueduck/internal/emulator/state/contacts"
	"aqueduck/internal/emulator/state/conversations"
	"aqueduck/internal/emulator/state/core"
)

// Desk is the state of tickets: their own log, which is the truth about them, and what follows from it.
type Desk struct {
	*core.Core
	People      *contacts.Book
	Talks       *conversations.Conversations
	Maker       population.Tickets
	TicketLog   []event.ThreadEvent // Num is the number of the ticket
	TicketList  []conversations.Thread
	TicketIndex search.Index[conversations.Edition]
	ticketTurns int // simulated operations so far
	lastTicket  struct {
		edition *conversations.Edition
		ticket  *Ticket
	}
}

// LoadTicket replays a ticket that exists; nil where there is none.
func (w *Desk) LoadTicket(id string) *Ticket {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	if num, err := w.FindTicket(id); err == nil {
		return w.TicketDrawer().DrawTicket(w.TicketList[num].Newest)
	}
	return nil
}
