package team

import (
	"slices"
	"sync"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
)

// Script draws the population, and plays it on hour by hour.
type Script struct {
	library
	crowd

	seed  uint64
	start int64 // hour 0
	when  *arrivals
	guest struct { // users and leads in the order of their creation
		born  []*event.Contact
		times []int64
		gone  map[*event.Contact]int64 // when a contact first became inactive
	}
	loads   [][]int64 // by place in everyone: when the latest talks of a teammate end
	lately  []visit   // the latest talks that customers began, for those who come back
	talks   []*talk   // those of hour 0 by number
	tickets []*ticket // likewise
	calls   []event.Call
	pending []happening // what is to happen after hour 0, in the order of time
	perHour float64     // how many conversations a year's weight of 1 brings
	logged  []event.AdminAction

	reported    sync.Once // makes the next two when a report is asked for
	stateSpans  map[int64][]span
	statusSpans map[int64][]span
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

// New returns the script of a workspace with a number of contacts at hour 0.
func New(seed uint64, start int64, contacts int) *Script {
	coming := newArrivals(start, event.Span)
	return &Script{library: library{seed, start}, crowd: crowd{seed, start, population.CountCompanies(contacts), coming, coming.departing(start)}, seed: seed, start: start,
		when: newArrivals(start, year), loads: make([][]int64, len(everyone))}
}

// settled is how many seconds before hour 0 the last thing of the population happened.
const settled = 600

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

// drawTopic draws a topic, more often one of the first.
func (s *Script) drawTopic(r *event.RNG) int {
	weights := make([]float64, len(topics))
	for i := range topics {
		weights[i] = topics[i].weight
	}
	return pick(r, weights...)
}
