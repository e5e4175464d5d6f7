package team

import (
	"cmp"
	"slices"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
)

// keep keeps a whole talk for Hour.
func (s *Script) keep(t *talk) {
	b := t.beginning(t.at)
	b.Parts = nil
	s.later(t.at, population.Happening{Thread: &population.ThreadHappening{Thread: &t.ScriptedThread,
		Event: event.ThreadEvent{At: t.at, Until: t.at, Kind: event.ThreadOpened, Contacts: b.Contacts, With: &event.ThreadArgs{Begun: b}}}})
	s.keepRest(t, t.at-2*event.Day)
}

// keepRest keeps what happens to a talk after a time.
func (s *Script) keepRest(t *talk, after int64) {
	add := func(at int64, kind event.ThreadKind, with event.ThreadArgs) {
		if at <= after {
			return
		}
		with.Figures = t.figuresAt(at)
		s.later(max(at, t.at), population.Happening{Thread: &population.ThreadHappening{Thread: &t.ScriptedThread, Event: event.ThreadEvent{At: at, Kind: kind, With: &with}}})
	}
	calls := t.calls
	for i := range t.parts {
		p := t.parts[i]
		if p.Type == "call_summary" && len(calls) > 0 {
			if one := calls[0]; p.At > after && t.Num < 0 {
				s.later(one.Initiated, population.Happening{Call: &one, Thread: &population.ThreadHappening{Thread: &t.ScriptedThread}})
			}
			calls = calls[1:]
		}
		add(p.At, event.ThreadPartAdded, event.ThreadArgs{Part: p})
	}
	if t.asked != 0 {
		if t.rating == nil || t.rating.Created > after {
			add(t.asked, event.ThreadRated, event.ThreadArgs{Rating: *t.ratingAt(t.asked)})
		}
		if t.rating != nil {
			add(t.rating.Created, event.ThreadRated, event.ThreadArgs{Rating: *t.rating})
		}
	}
	for _, tag := range t.tags {
		if tag.At > after {
			s.later(max(tag.At, t.at+1), population.Happening{Thread: &population.ThreadHappening{Thread: &t.ScriptedThread,
				Event: event.ThreadEvent{At: tag.At, Kind: event.ThreadTagged, Place: tag.Tag, With: &event.ThreadArgs{By: tag.By}}}})
		}
	}
	for _, c := range t.cards {
		add(c.at, event.ThreadReviewed, event.ThreadArgs{Scorecard: c.card})
	}
	for _, e := range t.evaluations {
		add(e.At, event.ThreadEvaluated, event.ThreadArgs{Evaluation: e})
	}
	for _, c := range t.consulted {
		if c.At > after {
			s.later(c.At, population.Happening{Consultation: &c, Thread: &population.ThreadHappening{Thread: &t.ScriptedThread}})
		}
	}
}

// keepTicket keeps what happens to a ticket after a time; 0: everything, with its opening.
func (s *Script) keepTicket(t *ticket, after int64) {
	if after == 0 {
		b := t.beginning(t.at)
		b.Parts, b.Linked = nil, nil
		s.later(t.at, population.Happening{Thread: &population.ThreadHappening{Ticket: true, Thread: &t.ScriptedThread,
			Event: event.ThreadEvent{At: t.at, Until: t.at, Kind: event.ThreadOpened, Place: int32(t.kind), Contacts: b.Contacts, With: &event.ThreadArgs{Begun: b}}}})
	}
	for _, p := range t.parts {
		if p.At > after {
			s.later(p.At, population.Happening{Thread: &population.ThreadHappening{Ticket: true, Thread: &t.ScriptedThread,
				Event: event.ThreadEvent{At: p.At, Kind: event.ThreadPartAdded, With: &event.ThreadArgs{Part: p}}}})
		}
	}
}

func (s *Script) later(at int64, h population.Happening) {
	s.pending = append(s.pending, happening{at, h})
}

func (s *Script) sortPending() {
	slices.SortStableFunc(s.pending, func(a, b happening) int { return cmp.Compare(a.at, b.at) })
}

// Hour plays one hour: talks that begin, and what is to happen to those that have begun.
func (s *Script) Hour(hour int, base int64, contact func(r *event.RNG) *event.Contact) (list []population.Happening) {
	begin := s.start + int64(hour)*3600
	r := event.NewRNG(s.seed, forHour, uint64(hour))
	want := s.perHour * hourWeight(begin, s.start)
	for count := int(want) + map[bool]int{true: 1}[r.Chance(want-float64(int(want)))]; count > 0; count-- {
		at := begin + int64(r.IntN(3600))
		who := contact(r)
		if who == nil {
			break
		}
		t := s.newTalk(r, at, who)
		s.remember(t)
		s.keep(t)
		if r.Chance(1.0/7) && t.closedAt() != 0 && slices.ContainsFunc(t.parts, func(p event.Part) bool { return isAnswer(&p) }) {
			s.keepTicket(s.newTicket(r, t), 0)
		}
	}
	for _, a := range s.actionsOf(r, begin) {
		s.later(a.At, population.Happening{Action: &a})
	}
	s.sortPending()
	n := 0
	for n < len(s.pending) && s.pending[n].at < begin+3600 {
		n++
	}
	due := s.pending[:n:n]
	s.pending = s.pending[n:]
	for _, h := range due {
		list = append(list, s.moved(h, begin, base))
	}
	return list
}

// moved moves a happening into the busy minutes of its hour, wherever that hour is now.
func (s *Script) moved(h happening, begin, base int64) population.Happening {
	move := func(at int64) int64 {
		if at == 0 {
			return 0
		}
		return base - begin + population.AlignToActiveTime(s.start, max(at, begin))
	}
	switch {
	case h.Action != nil:
		h.Action.At = move(h.at)
	case h.Call != nil:
		for _, at := range []*int64{&h.Call.Initiated, &h.Call.Answered, &h.Call.Ended, &h.Call.Recorded, &h.Call.Transcribed} {
			*at = move(*at)
		}
	case h.Consultation != nil:
		h.Consultation.At, h.Consultation.End = move(h.at), move(h.Consultation.End)
	default:
		e := &h.Thread.Event
		e.At = move(h.at)
		if e.Kind == event.ThreadOpened {
			e.Until = e.At
		}
		if p := &e.With.Part; e.Kind == event.ThreadPartAdded {
			p.At, p.Updated = e.At, e.At
			if p.Notified != 0 {
				p.Notified = e.At
			}
		}
		if g := &e.With.Rating; e.Kind == event.ThreadRated {
			g.Created, g.Updated = e.At, e.At
		}
		if e.Kind == event.ThreadEvaluated {
			e.With.Evaluation.At = e.At
		}
	}
	return h.Happening
}
