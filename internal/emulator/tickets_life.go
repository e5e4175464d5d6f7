package emulator

import (
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
)

// ticketOp is one thing that happens to tickets in an hour of life. It says whether it could.
type ticketOp func(w *ticketDesk, r *event.RNG, at int64) bool

// ticketLife is the order in which things happen to tickets, again and again.
var ticketLife = [...]ticketOp{
	ticketOpens, ticketSays(population.InTicket((*population.Conversations).CustomerSays)), ticketSays(population.Tickets.Moved), ticketSays(population.InTicket((*population.Conversations).AdminSays)),
	ticketSays(population.Tickets.Changed), ticketSays(population.Tickets.Assigned), ticketOpens, ticketSays(population.Tickets.Resolved), ticketLinks,
	ticketSays(population.Tickets.Noted), ticketSays(population.InTicket((*population.Conversations).CustomerSays)), ticketSays(population.Tickets.Moved), ticketRedacts,
	ticketSays(population.InTicket((*population.Conversations).Snoozes)), ticketSays(population.Tickets.Changed), ticketSays(population.Tickets.Resolved),
}

// hourOfTickets lets an hour pass for the tickets.
func (w *ticketDesk) hourOfTickets(base int64) {
	if w.cfg.Tickets == 0 {
		return
	}
	r := event.NewRNG(w.cfg.Seed, event.ForTicketLife, 2, uint64(w.hours))
	w.turnsOf(base, w.cfg.Tickets, func(at int64) {
		if op := ticketLife[w.ticketTurns%len(ticketLife)]; !op(w, r, at) {
			ticketOpens(w, r, at)
		}
		w.ticketTurns++
	})
}

func ticketOpens(w *ticketDesk, r *event.RNG, at int64) bool {
	num, ok := w.people.someone(r, isActive)
	if ok {
		w.openTicket(at, []*event.Contact{w.people.contacts[num].doc}, r.N(len(event.TicketTypes)), nil)
	}
	return ok
}

// someTicket draws a ticket, mostly a late one, and logs the event that fill makes of it.
func (w *ticketDesk) someTicket(r *event.RNG, at int64, fill func(t *ticket, e *event.ThreadEvent) bool) bool {
	from := w.ticketDrawer()
	return someThread(r, w.ticketList, at, func(num int32, th *thread) bool {
		e := event.ThreadEvent{At: at, Num: num, With: &event.ThreadArgs{}}
		fits := fill(from.draw(th.now), &e)
		if fits {
			w.recordTicket(e)
		}
		return fits
	})
}

// ticketSays is a turn of life that adds a part.
func ticketSays(draw func(m population.Tickets, r *event.RNG, s *population.Scene, p *event.Part)) ticketOp {
	return func(w *ticketDesk, r *event.RNG, at int64) bool {
		return w.someTicket(r, at, func(t *ticket, e *event.ThreadEvent) bool {
			w.talks.speak(t.conversation, e, func(p *event.Part) { draw(w.ticketing, r, t.scene(), p) })
			return true
		})
	}
}

func ticketLinks(w *ticketDesk, r *event.RNG, at int64) bool {
	return len(w.talks.threads) > 0 && w.someTicket(r, at, func(t *ticket, e *event.ThreadEvent) bool {
		e.Kind, e.With.Linked = event.ThreadLinked, event.LinkedObject{Type: "conversation", ID: event.ConversationID(int32(r.N(len(w.talks.threads))))}
		return !t.bare && !t.links(e.With.Linked.ID)
	})
}

func ticketRedacts(w *ticketDesk, r *event.RNG, at int64) bool {
	return w.someTicket(r, at, func(t *ticket, e *event.ThreadEvent) bool {
		e.Kind, e.Quiet, e.Place = event.ThreadRedacted, w.talks.quietly(r), int32(r.N(len(t.Parts)))
		return len(t.Parts) > 0 && t.Parts[e.Place].Body != ""
	})
}
