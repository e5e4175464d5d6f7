package tickets

import (
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
	"aqueduck/internal/emulator/state/contacts"
	"aqueduck/internal/emulator/state/conversations"
)

// ticketOp is one simulated operation on tickets. It returns false when no ticket fits.
type ticketOp func(w *Desk, r *event.RNG, at int64) bool

// ticketLife is the order of simulated operations on tickets, repeated.
var ticketLife = [...]ticketOp{
	ticketOpens, addTicketPartOp(population.AsTicketPart((*population.Conversations).FillCustomerReply)), addTicketPartOp(population.Tickets.FillStateMove), addTicketPartOp(population.AsTicketPart((*population.Conversations).FillAdminReply)),
	addTicketPartOp(population.Tickets.FillAttributeChange), addTicketPartOp(population.Tickets.FillTicketAssignment), ticketOpens, addTicketPartOp(population.Tickets.FillResolution), ticketLinks,
	addTicketPartOp(population.Tickets.FillTicketNote), addTicketPartOp(population.AsTicketPart((*population.Conversations).FillCustomerReply)), addTicketPartOp(population.Tickets.FillStateMove), ticketRedacts,
	addTicketPartOp(population.AsTicketPart((*population.Conversations).FillSnooze)), addTicketPartOp(population.Tickets.FillAttributeChange), addTicketPartOp(population.Tickets.FillResolution),
}

// SimulateTicketsHour carries out the operations of a simulated hour on tickets.
func (w *Desk) SimulateTicketsHour(base int64) {
	if w.Setup.Tickets == 0 {
		return
	}
	r := event.NewRNG(w.Setup.Seed, event.ForTicketLife, 2, uint64(w.HoursLived))
	w.SpreadTurns(base, w.Setup.Tickets, func(at int64) {
		if op := ticketLife[w.ticketTurns%len(ticketLife)]; !op(w, r, at) {
			ticketOpens(w, r, at)
		}
		w.ticketTurns++
	})
}

func ticketOpens(w *Desk, r *event.RNG, at int64) bool {
	num, ok := w.People.DrawContact(r, contacts.IsActive)
	if ok {
		w.openTicket(at, []*event.Contact{w.People.List[num].Doc}, r.IntN(len(w.Setup.Cast.TicketTypes)), nil)
	}
	return ok
}

// logDrawnTicketEvent draws a ticket, mostly a late one, and logs the event that fill makes.
func (w *Desk) logDrawnTicketEvent(r *event.RNG, at int64, fill func(t *Ticket, e *event.ThreadEvent) bool) bool {
	from := w.TicketDrawer()
	return conversations.DrawThread(r, w.TicketList, at, func(num int32, th *conversations.Thread) bool {
		e := event.ThreadEvent{At: at, Num: num, With: &event.ThreadArgs{}}
		fits := fill(from.DrawTicket(th.Newest), &e)
		if fits {
			w.RecordTicketEvent(e)
		}
		return fits
	})
}

// addTicketPartOp returns a simulated operation that adds a part.
func addTicketPartOp(draw func(m population.Tickets, r *event.RNG, s *population.Scene, p *event.Part)) ticketOp {
	return func(w *Desk, r *event.RNG, at int64) bool {
		return w.logDrawnTicketEvent(r, at, func(t *Ticket, e *event.ThreadEvent) bool {
			w.Talks.AddPartTo(t.Conversation, e, func(p *event.Part) { draw(w.Maker, r, t.ticketScene(), p) })
			return true
		})
	}
}

func ticketLinks(w *Desk, r *event.RNG, at int64) bool {
	return len(w.Talks.Threads) > 0 && w.logDrawnTicketEvent(r, at, func(t *Ticket, e *event.ThreadEvent) bool {
		e.Kind, e.With.Linked = event.ThreadLinked, event.LinkedObject{Type: "conversation", ID: event.ConversationID(int32(r.IntN(len(w.Talks.Threads))))}
		return !t.Bare && !t.isLinkedTo(e.With.Linked.ID)
	})
}

func ticketRedacts(w *Desk, r *event.RNG, at int64) bool {
	return w.logDrawnTicketEvent(r, at, func(t *Ticket, e *event.ThreadEvent) bool {
		e.Kind, e.Quiet, e.Place = event.ThreadRedacted, w.Talks.DrawQuiet(r), int32(r.IntN(len(t.Parts)))
		return len(t.Parts) > 0 && t.Parts[e.Place].Body != ""
	})
}
