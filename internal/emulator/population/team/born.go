package team

import (
	"slices"
	"sort"

	"aqueduck/internal/emulator/event"
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

// Conversations draws the talks of the year before hour 0. What is to happen to them later is kept for Hour.
func (s *Script) Conversations(count int, contacts []event.ContactEvent) []event.ThreadEvent {
	s.knowGuests(contacts)
	s.perHour = float64(count) / s.when.sums[len(s.when.sums)-1]
	drawn := make([]*talk, 0, count)
	for i := range count {
		r := event.NewRNG(s.seed, forTalk, uint64(i))
		at := min(s.when.at((float64(i)+r.Float64())/float64(count)), s.start-2*settled)
		t := s.newTalk(r, at, s.drawGuest(r, at))
		for t.at > s.start-settled { // it would wait for the office beyond hour 0
			at -= 5 * 3600
			t = s.newTalk(r, at, s.drawGuest(r, at))
		}
		s.remember(t)
		drawn = append(drawn, t)
	}
	// A teammate's message waits for the office, so the talks are not in order any more.
	slices.SortStableFunc(drawn, func(a, b *talk) int { return int(a.at - b.at) })
	for _, t := range drawn {
		t.open(int32(len(s.talks)), &s.calls)
		s.talks = append(s.talks, t)
	}
	s.noteMessages(contacts)
	s.drawTickets(count / 8)
	events := make([]event.ThreadEvent, len(s.talks))
	for num, t := range s.talks {
		b := t.beginning(s.start - settled)
		events[num] = event.ThreadEvent{At: t.at, Until: t.lastUntil(s.start - settled), Kind: event.ThreadOpened, Num: int32(num), Size: int32(len(b.Parts)), Contacts: b.Contacts,
			With: &event.ThreadArgs{Begun: b}}
		s.keepRest(t, s.start-settled)
	}
	s.sortPending()
	return events
}

// open gives a talk of hour 0 its number, and its calls theirs.
func (t *talk) open(num int32, calls *[]event.Call) {
	t.Num = num
	for i := range t.consulted {
		t.consulted[i].Conv = num
	}
	for i := range t.calls {
		t.calls[i].N, t.calls[i].Conv = int32(len(*calls)), int(num)
		*calls = append(*calls, t.calls[i])
	}
	n := 0
	for i := range t.parts {
		if t.parts[i].Type == "call_summary" && n < len(t.calls) {
			t.parts[i].Call = event.CallID(t.calls[n].N)
			n++
		}
	}
}

// knowGuests notes the contacts that may begin a talk, from the log of contacts.
func (s *Script) knowGuests(contacts []event.ContactEvent) {
	s.guest.gone = map[*event.Contact]int64{}
	byNum := map[int32]*event.Contact{}
	for i := range contacts {
		switch e := &contacts[i]; e.Kind {
		case event.Created:
			byNum[e.Contact] = e.Born
			s.guest.born, s.guest.times = append(s.guest.born, e.Born), append(s.guest.times, e.At)
		case event.Archived, event.Merged, event.Blocked, event.DeletionRequested, event.Erased, event.Deleted:
			if who := byNum[e.Contact]; s.guest.gone[who] == 0 {
				s.guest.gone[who] = e.At
			}
		}
	}
}

// stays reports whether a contact is still there some days after a time.
func (s *Script) stays(who *event.Contact, at int64) bool {
	gone := s.guest.gone[who]
	return gone == 0 || gone > at+10*event.Day
}

// noteMessages writes into the contacts when they last wrote, and when the workspace last wrote to them, by the talks of hour 0. Messages of a contact that
// was merged count for the one that it was merged into. Only older conversations, which are not stored, are drawn.
func (s *Script) noteMessages(contacts []event.ContactEvent) {
	for _, who := range s.guest.born {
		if who.LastReplied >= s.when.begin-event.Day {
			who.LastReplied = 0
		}
	}
	for _, t := range s.talks {
		who := t.born.Contacts[0]
		note := func(at int64, by event.Author) {
			if by.ID == who.ID {
				who.LastReplied = max(who.LastReplied, at)
			} else {
				who.LastContacted = max(who.LastContacted, at)
			}
		}
		note(t.at, t.born.Source.Author)
		for i := range t.parts {
			if p := &t.parts[i]; p.At <= s.start-settled && p.Body != "" && p.Type != "note" {
				note(p.At, p.Author)
			}
		}
	}
	byNum := map[int32]*event.Contact{}
	for i := range contacts { // a chain of merges comes in the order of time
		switch e := &contacts[i]; e.Kind {
		case event.Created:
			byNum[e.Contact] = e.Born
		case event.Merged:
			from, into := byNum[e.Contact], byNum[e.Other]
			into.LastReplied, into.LastContacted = max(into.LastReplied, from.LastReplied), max(into.LastContacted, from.LastContacted)
		}
	}
	for _, who := range s.guest.born {
		if who.LastSeen != 0 {
			who.LastSeen = max(who.LastSeen, who.LastReplied)
		}
	}
}

// drawGuest draws who begins a talk: somebody who came lately and comes again, or anybody known by then, rather those of the last months. Nobody comes
// after having left.
func (s *Script) drawGuest(r *event.RNG, at int64) *event.Contact {
	who := s.drawKnown(r, at)
	other := event.NewRNG(s.seed, forGuest, uint64(at))
	for range 40 {
		if s.stays(who, at) {
			break
		}
		who = s.drawKnown(other, at)
	}
	return who
}

func (s *Script) drawKnown(r *event.RNG, at int64) *event.Contact {
	if r.Chance(0.16) {
		for range 6 {
			if n := len(s.lately); n > 0 {
				if v := s.lately[r.IntN(n)]; v.end < at && v.end > at-6*event.Day {
					return v.who
				}
			}
		}
	}
	known := max(1, sort.Search(len(s.guest.times), func(i int) bool { return s.guest.times[i] > at }))
	who := r.IntN(known)
	if r.Chance(0.45) {
		who = known - 1 - r.IntN(min(known, known/6+1))
	}
	return s.guest.born[who]
}

// Calls returns the calls of hour 0.
func (s *Script) Calls() []event.Call { return s.calls }

// Bodies returns texts for what operations write without words.
func (s *Script) Bodies() (list []string) {
	for _, l := range languages {
		for _, t := range l.of.topics {
			for _, text := range append(append([]string{}, t.ask...), t.answer...) {
				list = append(list, "<p>"+plain(event.NewRNG(s.seed), []string{text})+"</p>")
			}
		}
	}
	return list
}
