package team

import (
	"slices"
	"sort"
	"sync"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
)

// Script draws the population, and plays it on hour by hour.
type Script struct {
	seed  uint64
	start int64 // hour 0
	when  *arrivals
	guest struct { // users and leads in the order of their creation
		born  []*event.Contact
		times []int64
	}
	loads   [][]int64 // by place in everyone: when the latest talks of a teammate end
	lately  []visit   // the latest talks that customers began, for those who come back
	talks   []*talk   // those of hour 0 by number
	tickets []*ticket // likewise
	calls   []event.Call
	pending []happening // what is to happen after hour 0, in the order of time
	perHour float64     // how many conversations a year's weight of 1 brings
	logged  []event.AdminAction

	stateSpans, statusSpans func() map[int64][]span // made once, when a report is asked for
}

// visit is who began a talk, and when the talk ended.
type visit struct {
	who *event.Contact
	end int64
}

// happening is one thing that is to happen at a time.
type happening struct {
	at int64
	population.Happening
}

// New returns the script of a workspace.
func New(seed uint64, start int64) *Script {
	s := &Script{seed: seed, start: start, when: newArrivals(start), loads: make([][]int64, len(everyone))}
	s.stateSpans, s.statusSpans = sync.OnceValue(s.makeStateSpans), sync.OnceValue(s.makeStatusSpans)
	return s
}

// settled is how many seconds before hour 0 the last thing of the population happened.
const settled = 600

// Conversations draws the talks of the year before hour 0. What is to happen to them later is kept for Hour.
func (s *Script) Conversations(count int, contacts []event.ContactEvent) []event.ThreadEvent {
	for i := range contacts {
		if contacts[i].Kind == event.Created {
			s.guest.born, s.guest.times = append(s.guest.born, contacts[i].Born), append(s.guest.times, contacts[i].At)
		}
	}
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

// drawGuest draws who begins a talk: somebody who came lately and comes again, or anybody known by then, rather those of the last months.
func (s *Script) drawGuest(r *event.RNG, at int64) *event.Contact {
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

// remember notes a talk for those that come after it.
func (s *Script) remember(t *talk) {
	if end := t.closedAt(); end != 0 {
		s.lately = append(s.lately, visit{t.born.Contacts[0], end})
		if len(s.lately) > 80 {
			s.lately = slices.Delete(s.lately, 0, len(s.lately)-80)
		}
	}
}

// onDuty draws the teammate of a team who has least to do at a time, of two that are there.
func (s *Script) onDuty(r *event.RNG, team int, at int64) int {
	var there []int
	for n, a := range everyone {
		gone := n >= len(admins) && at >= Cast.LeftAt(n-len(admins), s.start)
		if a.Team == teams[team].ID && !gone {
			there = append(there, n)
		}
	}
	one, two := there[r.IntN(len(there))], there[r.IntN(len(there))]
	if s.busy(two, at) < s.busy(one, at) {
		one = two
	}
	s.loads[one] = append(s.loads[one], at+4*3600)
	return one
}

// busy returns how many talks a teammate has at a time.
func (s *Script) busy(n int, at int64) (count int) {
	s.loads[n] = slices.DeleteFunc(s.loads[n], func(end int64) bool { return end < at-event.Day })
	for _, end := range s.loads[n] {
		if end > at {
			count++
		}
	}
	return count
}

// Calls returns the calls of hour 0.
func (s *Script) Calls() []event.Call { return s.calls }

// Consultations returns the initial consultations of a conversation. Their parts and those that they led to are places until then.
func (s *Script) Consultations(num int32) (list []event.Consultation) {
	if int(num) >= len(s.talks) {
		return nil
	}
	for _, c := range s.talks[num].consulted {
		if c.At <= s.start-settled {
			list = append(list, numbered(c, num))
		}
	}
	return list
}
