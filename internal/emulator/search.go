package emulator

import (
	"cmp"
	"math"
	"net/http"
	"slices"
	"sort"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/knobs"
)

// question is a search as it was sent.
type question struct {
	Body []byte
	N    int  // number of the request
	Days bool // times are compared by calendar day of the workspace (up to 2.16)
}

// refusal is why a search is not answered.
type refusal struct {
	Status        int
	Code, Message string
}

// ask answers a search: the versions on the page that is asked for, and the way to the next.
func (x *index[D]) ask(q question) (docs []*D, p pages, refused *refusal) {
	x.settle(x.env.Now())
	s, err := x.parse(q.Body, q.Days)
	if err != nil {
		return nil, p, &refusal{cmp.Or(x.env.Knobs().SearchRefused, http.StatusBadRequest), "parameter_invalid", err.Error()}
	}
	if most := x.env.Knobs().TooLarge; most > 0 && s.perPage > most {
		return nil, p, &refusal{http.StatusGatewayTimeout, "request_timeout", "the search took too long"}
	}
	at, good := x.place(s, q.N)
	if !good {
		return nil, p, &refusal{http.StatusBadRequest, "client_error", badCursorWords}
	}
	docs, p = x.page(s, at, q.N)
	return docs, p, nil
}

// badCursorWords is what a refused cursor is answered with.
const badCursorWords = "the starting_after cursor is invalid"

// place is where a search goes on: behind its cursor, or at the beginning.
func (x *index[D]) place(s *search[D], n int) (cursor, bool) {
	if s.after != "" {
		return x.env.cursor(s.after, s.text, n)
	}
	if s.descending {
		return cursor{at: entry{math.MaxInt64, math.MaxInt32}, page: 1}, true
	}
	return cursor{at: entry{math.MinInt64, -1}, page: 1}, true
}

// page gives the versions on the page behind a cursor, and the way to the next.
func (x *index[D]) page(s *search[D], at cursor, n int) ([]*D, pages) {
	found := x.found(s)
	if x.env.Knobs().EmptyLists {
		found = nil
	}
	p := pages{page: int(at.page), perPage: s.perPage, total: len(found)}
	r := event.NewRNG(x.env.Seed, event.ForShuffle, uint64(n))
	next := at
	next.page++
	if !at.empty && r.Chance(x.env.Knobs().EmptyPages) {
		next.empty = true
		p.more, p.token = true, x.env.hand(next, s.text, n)
		return nil, p
	}
	here := x.behind(found, s, at)
	p.more = len(here) > s.perPage
	here = here[:min(len(here), s.perPage)]
	if len(here) > 1 && r.Chance(x.env.Knobs().ShortPages) {
		p.more, here = true, here[:len(here)/2]
	}
	docs := x.versions(here, r)
	if p.more {
		next.at, next.empty = here[len(here)-1], false
		next.offset = at.offset + int64(len(here))
		p.token = x.looped(s, at, x.env.hand(next, s.text, n))
	}
	return docs, p
}

// behind gives the entries after a cursor, in the order asked for, at least one more than the page holds if there is.
func (x *index[D]) behind(found []entry, s *search[D], at cursor) []entry {
	if s.descending {
		end := sort.Search(len(found), func(i int) bool { return compareEntries(found[i], at.at) >= 0 })
		if x.env.Knobs().OffsetWalk {
			end = max(0, len(found)-int(at.offset))
		}
		here := slices.Clone(found[max(0, end-s.perPage-1):end])
		slices.Reverse(here)
		return here
	}
	if x.env.Knobs().OffsetWalk {
		return found[min(len(found), int(at.offset)):]
	}
	return found[sort.Search(len(found), func(i int) bool { return compareEntries(found[i], at.at) > 0 }):]
}

// versions gives what search shows of records: the version before from a stale replica, records twice from a sloppy one.
func (x *index[D]) versions(here []entry, r *event.RNG) []*D {
	k := x.env.Knobs()
	stale := r.Chance(k.StaleReplica)
	docs := make([]*D, 0, len(here)+8)
	for _, e := range here {
		c := x.at(e.num)
		d := c.shown
		if stale && c.before != nil {
			d = c.before
		}
		docs = append(docs, d)
		if k.Duplicates > 0 && r.Chance(k.Duplicates) {
			docs = append(docs, d)
		}
	}
	return docs
}

// looped replaces the way on by the way back where the knob asks for a loop.
func (x *index[D]) looped(s *search[D], at cursor, token string) string {
	if x.env.Knobs().LoopAt == 0 {
		return token
	}
	x.walked[at.page] = s.after
	if back := x.walked[at.page-1]; at.page == int64(x.env.Knobs().LoopAt) && back != "" {
		return back
	}
	return token
}

// remembered bounds the answers kept for the pages to come.
const remembered = 8

// found gives all that a search asks for, in ascending order. A span of the sort field is a piece of the ordering; any
// other question looks at every record once and is remembered until search changes.
func (x *index[D]) found(s *search[D]) []entry {
	all := x.ordered(x.ordering(s))
	if s.isSpan {
		lo := sort.Search(len(all), func(i int) bool { return all[i].key >= s.lo })
		hi := sort.Search(len(all), func(i int) bool { return all[i].key >= s.hi })
		return all[lo:max(lo, hi)]
	}
	if list, have := x.answers[s.text]; have {
		return list
	}
	list := []entry{}
	for _, e := range all {
		if s.matches(e.num, x.at(e.num).shown) {
			list = append(list, e)
		}
	}
	if len(x.answers) >= remembered {
		clear(x.answers)
	}
	x.answers[s.text] = list
	return list
}

// ordering names the order of a search's results and gives its key.
func (x *index[D]) ordering(s *search[D]) (string, func(num int32, d *D) int64) {
	key := x.fields[s.sort].date
	switch x.env.Knobs().Sort {
	case knobs.SortIgnored:
		return "none", func(num int32, _ *D) int64 { return int64(event.Mix(uint64(num)) >> 1) }
	case knobs.SortShuffled:
		return s.sort + " shuffled", func(num int32, d *D) int64 {
			if h := event.Mix(uint64(num)); h%100 == 0 {
				return key(d) - int64(h>>8%(30*event.Day))
			}
			return key(d)
		}
	}
	return s.sort, func(_ int32, d *D) int64 { return key(d) }
}
