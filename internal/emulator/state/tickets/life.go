package tickets

import (
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
	"aqueduck/internal/emulator/state/contacts"
	"aqueduck/internal/emulator/state/conversations"
)

// ticketOp is one thing that happens to tickets in an hour of life. It says whether it could.
type ticketOp func(w *Desk, r *event.RNG, at int64) bool

// ticketLife is the order in which things happen to tickets, again and again.
var ticketLife = [...]ticketOp{
	ticketOpens, ticketSays(population.InTicket((*population.Conversations).CustomerSays)), ticketSays(population.Tickets.Moved), ticketSays(population.InTicket((*population.Conversations).AdminSays)),
	ticketSays(population.Tickets.Changed), ticketSays(population.Tickets.Assigned), ticketOpens, ticketSays(population.Tickets.Resolved), ticketLinks,
	ticketSays(population.Tickets.Noted), ticketSays(population.InTicket((*population.Conversations).CustomerSays)), ticketSays(population.Tickets.Moved), ticketRedacts,
	ticketSays(population.InTicket((*population.Conversations).Snoozes)), ticketSays(population.Tickets.Changed), ticketSays(population.Tickets.Resolved),
}

// LiveHour lets an hour pass for the tickets.
func (w *Desk) LiveHour(base int64) {
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
		w.openTicket(at, []*event.Contact{w.People.List[num].Doc}, r.N(len(event.TicketTypes)), nil)
	}
	return ok
}

// someTicket draws a ticket, mostly a late one, and logs the event that fill makes of it.
func (w *Desk) someTicket(r *event.RNG, at int64, fill func(t *Ticket, e *event.ThreadEvent) bool) bool {
	from := w.TicketDrawer()
	return conversations.DrawThread(r, w.TicketList, at, func(num int32, th *conversations.Thread) bool {
		e := event.ThreadEvent{At: at, Num: num, With: &event.ThreadArgs{}}
		fits := fill(from.Draw(th.Newest), &e)
		if fits {
			w.Record(e)
		}
		return fits
	})
}

// ticketSays is a turn of life that adds a part.
func ticketSays(draw func(m population.Tickets, r *event.RNG, s *population.Scene, p *event.Part)) ticketOp {
	return func(w *Desk, r *event.RNG, at int64) bool {
		return w.someTicket(r, at, func(t *Ticket, e *event.ThreadEvent) bool {
			w.Talks.AddPartTo(t.Conversation, e, func(p *event.Part) { draw(w.Maker, r, t.scene(), p) })
			return true
		})
	}
}

func ticketLinks(w *Desk, r *event.RNG, at int64) bool {
	return len(w.Talks.Threads) > 0 && w.someTicket(r, at, func(t *Ticket, e *event.ThreadEvent) bool {
		e.Kind, e.With.Linked = event.ThreadLinked, event.LinkedObject{Type: "conversation", ID: event.ConversationID(int32(r.N(len(w.Talks.Threads))))}
		return !t.Bare && !t.links(e.With.Linked.ID)
	})
}

func ticketRedacts(w *Desk, r *event.RNG, at int64) bool {
	return w.someTicket(r, at, func(t *Ticket, e *event.ThreadEvent) bool {
		e.Kind, e.Quiet, e.Place = event.ThreadRedacted, w.Talks.DrawQuiet(r), int32(r.N(len(t.Parts)))
		return len(t.Parts) > 0 && t.Parts[e.Place].Body != ""
	})
}
