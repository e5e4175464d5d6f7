package team

import (
	"slices"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
)

// ticket is one ticket with its whole life.
type ticket struct {
	population.ScriptedThread
	at    int64
	kind  int
	born  event.Beginning
	parts []event.Part
	talk  *talk // that it comes from; nil: none
}

// The states of tickets by their places.
const (
	submitted = iota
	inProgress
	waitingOnCustomer
	resolved
)

// drawTickets draws the tickets of the year before hour 0, most of them from talks, and links both.
func (s *Script) drawTickets(count int) {
	var from []*talk
	for _, t := range s.talks {
		if t.end() > t.at && slices.ContainsFunc(t.parts, func(p event.Part) bool { return isAnswer(&p) }) {
			from = append(from, t)
		}
	}
	if len(from) == 0 {
		return
	}
	var drawn []*ticket
	for i := range count {
		r := event.NewRNG(s.seed, forTicket, uint64(i))
		t := s.newTicket(r, from[(i*len(from)+r.IntN(len(from)))/count%len(from)])
		drawn = append(drawn, t)
	}
	slices.SortStableFunc(drawn, func(a, b *ticket) int { return int(a.at - b.at) })
	for _, t := range drawn {
		if t.at > s.start-settled {
			s.keepTicket(t, 0)
			continue
		}
		t.Num = int32(len(s.tickets))
		s.tickets = append(s.tickets, t)
		if t.talk != nil {
			t.born.Linked = []event.LinkedObject{{Type: "conversation", ID: event.ConversationID(t.talk.Num)}}
			l := event.LinkedObject{Type: "ticket", ID: event.TicketID(t.Num), Category: Cast.TicketTypes[t.kind].Category}
			t.talk.born.Linked = append(t.talk.born.Linked, l)
		}
		s.keepTicket(t, s.start-settled)
	}
}

// newTicket draws a ticket from a talk: its customer, its topic, and what is done about it.
func (s *Script) newTicket(r *event.RNG, from *talk) *ticket {
	who := from.born.Contacts[0]
	t := &ticket{ScriptedThread: population.ScriptedThread{Num: -1}, at: afterOffice(from.at, 1800+int64(r.IntN(2*3600)))}
	if r.Chance(0.8) {
		t.talk = from
	}
	t.kind = pick(r, 52, 24, 6, 18)
	say := newSpeech(r, who.Language, from.subject, who.Name)
	t.born = event.Beginning{Company: -1, Contacts: []*event.Contact{who}, Kind: t.kind,
		Attrs: []event.Attribute{{Name: "_default_title_", Raw: `"` + say.about.title + `"`}, {Name: "Severity", Raw: []string{`"Low"`, `"Medium"`, `"High"`}[pick(r, 45, 40, 15)]}}}
	if r.Chance(0.5) {
		t.born.Attrs = append(t.born.Attrs, event.Attribute{Name: "Customers affected", Raw: []string{"1", "2", "5", "12"}[pick(r, 60, 25, 10, 5)]})
	}
	now, state, stage := t.at, "open", submitted
	team := topics[from.subject].team
	me := s.onDuty(r, team, now)
	by := population.AdminAuthor(everyone[me])
	add := func(p event.Part) {
		p.At, p.Updated, p.Notified, p.State = now, now, now, state
		if p.Type == "note" || p.Ticket != nil {
			p.Notified = 0
		}
		t.parts = append(t.parts, p)
	}
	move := func(to int) {
		if to == resolved {
			state = "closed"
		}
		add(event.Part{Type: "ticket_state_updated_by_admin", Author: by, Ticket: &event.TicketChange{Moved: true, From: stage, To: to}})
		stage = to
	}
	now += 2
	add(event.Part{Type: "assignment", Author: event.Bot, Assigned: event.Assigned{As: event.AssignTeamAndTeammate, Team: teams[team].ID, Admin: everyone[me].ID}})
	// Customers read their own tickets, and every second one of the back office; all others have notes only.
	category := Cast.TicketTypes[t.kind].Category
	talks := category == event.CustomerTicket
	took := min(3*3600+spread(r, 1.4*float64(event.Day), 6.6*float64(event.Day)), 55*event.Day) // from the beginning to the end
	now = afterOffice(now, min(spread(r, 2.2*3600, 14*3600), took/3))
	if talks {
		add(event.Part{Type: "comment", Author: by, Body: say.say(r, say.of.waits, by.Name)})
		now += 20
	}
	move(inProgress)
	for range pick(r, 40, 35, 25) {
		now = afterOffice(now+took/5, 600)
		if talks && r.Chance(0.5) {
			add(event.Part{Type: "comment", Author: population.ContactAuthor(who), Body: say.say(r, say.of.nudge, by.Name), Files: say.files(r, 0.3)})
			now = afterOffice(now, spread(r, 1.4*3600, 7*3600))
			add(event.Part{Type: "comment", Author: by, Body: say.say(r, say.of.waits, by.Name)})
			continue
		}
		add(event.Part{Type: "note", Author: by, Body: "<p>" + r.PickText(notes) + "</p>"})
	}
	end := max(afterOffice(t.at+took, 60), now+300)
	switch x := r.Float64(); {
	case x < 0.12: // the customer never answers, and it is closed
		now = afterOffice(end-took/4, 60)
		now = max(now, t.parts[len(t.parts)-1].At+60)
		move(waitingOnCustomer)
		now, state = afterOffice(now+6*event.Day, 0), "closed"
		add(event.Part{Type: "close", Author: by})
	default:
		now = end
		if talks {
			add(event.Part{Type: "comment", Author: by, Body: say.say(r, say.answer(), by.Name)})
			now += 5
		}
		move(resolved)
	}
	return t
}

// Tickets returns the openings of the tickets of hour 0, which were drawn with the conversations.
func (s *Script) Tickets(int) []event.ThreadEvent {
	events := make([]event.ThreadEvent, len(s.tickets))
	for num, t := range s.tickets {
		b := t.beginning(s.start - settled)
		last := t.at
		if n := len(b.Parts); n > 0 {
			last = max(last, b.Parts[n-1].At)
		}
		events[num] = event.ThreadEvent{At: t.at, Until: last, Kind: event.ThreadOpened, Num: int32(num), Place: int32(t.kind), Size: int32(len(b.Parts)), Contacts: b.Contacts,
			With: &event.ThreadArgs{Begun: b}}
	}
	return events
}

// beginning returns the content of a ticket as of a time.
func (t *ticket) beginning(until int64) *event.Beginning {
	b := t.born
	b.Num = t.Num
	for _, p := range t.parts {
		if p.At <= until {
			p.ID = event.PartID(t.Num, len(b.Parts))
			b.Parts = append(b.Parts, p)
		}
	}
	return &b
}
