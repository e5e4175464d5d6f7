package search

import (
	"cmp"
	"math"
	"net/http"
	"slices"
	"sort"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/knobs"
)

// Question is a search request.
type Question struct {
	Body []byte
	N    int  // number of the request
	Days bool // times are compared by calendar day of the workspace (up to 2.16)
}

// AnswerSearch answers a search with the versions on the requested page and the way to the next page.
func (x *Index[D]) AnswerSearch(q Question) (docs []*D, p Page, refused *Refusal) {
	x.ReleaseDue(x.env.Now())
	s, err := x.parseSearch(q.Body, q.Days)
	if err != nil {
		return nil, p, &Refusal{cmp.Or(x.env.Knobs().SearchRefused, http.StatusBadRequest), "parameter_invalid", err.Error()}
	}
	if most := x.env.Knobs().TooLarge; most > 0 && s.perPage > most {
		return nil, p, &Refusal{http.StatusGatewayTimeout, "request_timeout", "the search took too long"}
	}
	at, good := x.startCursor(s, q.N)
	if !good {
		return nil, p, &Refusal{http.StatusBadRequest, "client_error", BadCursor}
	}
	docs, p = x.readPage(s, at, q.N)
	return docs, p, nil
}

// BadCursor is the message for an invalid cursor.
const BadCursor = "the starting_after cursor is invalid"

// startCursor returns the position where a page begins: behind its cursor, or at the beginning of the list.
func (x *Index[D]) startCursor(s *parsedSearch[D], n int) (Cursor, bool) {
	if s.after != "" {
		return x.env.DecodeCursor(s.after, s.text, n)
	}
	if s.descending {
		return Cursor{At: Entry{math.MaxInt64, math.MaxInt32}, Page: 1}, true
	}
	return Cursor{At: Entry{math.MinInt64, -1}, Page: 1}, true
}

// readPage returns the versions on the page behind a cursor, and the way to the next page.
func (x *Index[D]) readPage(s *parsedSearch[D], at Cursor, n int) ([]*D, Page) {
	found := x.matchingEntries(s)
	if x.env.Knobs().EmptyLists {
		found = nil
	}
	p := Page{Number: int(at.Page), PerPage: s.perPage, Total: len(found)}
	r := event.NewRNG(x.env.Seed, event.ForShuffle, uint64(n))
	next := at
	next.Page++
	if !at.empty && r.Chance(x.env.Knobs().EmptyPages) {
		next.empty = true
		p.More, p.Token = true, x.env.EncodeCursor(next, s.text, n)
		return nil, p
	}
	// One entry more than the page holds shows whether there is a next page.
	here := x.entriesAfter(found, s, at)
	p.More = len(here) > s.perPage
	here = here[:min(len(here), s.perPage)]
	if len(here) > 1 && r.Chance(x.env.Knobs().ShortPages) {
		p.More, here = true, here[:len(here)/2]
	}
	docs := x.pageVersions(here, r)
	if p.More {
		next.At, next.empty = here[len(here)-1], false
		next.Offset = at.Offset + int64(len(here))
		p.Token = x.loopToken(s, at, x.env.EncodeCursor(next, s.text, n))
	}
	return docs, p
}

// entriesAfter returns the entries after a cursor in the requested order: at least one more than the page's size if there is one.
func (x *Index[D]) entriesAfter(found []Entry, s *parsedSearch[D], at Cursor) []Entry {
	if s.descending {
		end := sort.Search(len(found), func(i int) bool { return compareEntries(found[i], at.At) >= 0 })
		if x.env.Knobs().OffsetWalk {
			end = max(0, len(found)-int(at.Offset))
		}
		here := slices.Clone(found[max(0, end-s.perPage-1):end])
		slices.Reverse(here)
		return here
	}
	if x.env.Knobs().OffsetWalk {
		return found[min(len(found), int(at.Offset)):]
	}
	return found[sort.Search(len(found), func(i int) bool { return compareEntries(found[i], at.At) > 0 }):]
}

// pageVersions returns the visible versions of records. A stale replica shows the previous version, and Duplicates repeats records.
func (x *Index[D]) pageVersions(here []Entry, r *event.RNG) []*D {
	k := x.env.Knobs()
	stale := r.Chance(k.StaleReplica)
	docs := make([]*D, 0, len(here)+8)
	for _, e := range here {
		c := x.At(e.Num)
		d := c.Now
		if stale && c.Before != nil {
			d = c.Before
		}
		docs = append(docs, d)
		if k.Duplicates > 0 && r.Chance(k.Duplicates) {
			docs = append(docs, d)
		}
	}
	return docs
}

// loopToken replaces the next cursor by an earlier one where the knob asks for a loop.
func (x *Index[D]) loopToken(s *parsedSearch[D], at Cursor, token string) string {
	if x.env.Knobs().LoopAt == 0 {
		return token
	}
	x.walked[at.Page] = s.after
	if back := x.walked[at.Page-1]; at.Page == int64(x.env.Knobs().LoopAt) && back != "" {
		return back
	}
	return token
}

// remembered bounds the results that are kept for the next pages.
const remembered = 8

// matchingEntries returns all matches of a search in ascending order. A span of the sort field is a slice of the ordering. Any other query
// looks at every record once and is remembered until search changes.
func (x *Index[D]) matchingEntries(s *parsedSearch[D]) []Entry {
	all := x.sortedBy(x.sortKey(s))
	if s.isSpan {
		lo := sort.Search(len(all), func(i int) bool { return all[i].key >= s.lo })
		hi := sort.Search(len(all), func(i int) bool { return all[i].key >= s.hi })
		return all[lo:max(lo, hi)]
	}
	if list, have := x.answers[s.text]; have {
		return list
	}
	list := []Entry{}
	for _, e := range all {
		if s.matches(e.Num, x.At(e.Num).Now) {
			list = append(list, e)
		}
	}
	if f := x.Fields[s.sort]; f.kind == textField {
		x.sortByText(list, f.text)
	}
	if len(x.answers) >= remembered {
		clear(x.answers)
	}
	x.answers[s.text] = list
	return list
}

// sortByText sorts matches by a text. Their keys become their places in the list, so a list that changes during a walk drifts.
func (x *Index[D]) sortByText(list []Entry, text func(d *D) string) {
	slices.SortFunc(list, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(text(x.At(a.Num).Now), text(x.At(b.Num).Now)), cmp.Compare(a.Num, b.Num))
	})
	for i := range list {
		list[i].key = int64(i)
	}
}

// sortKey returns the order of a search's results: its name and its key.
func (x *Index[D]) sortKey(s *parsedSearch[D]) (string, func(num int32, d *D) int64) {
	f := x.Fields[s.sort]
	key := f.date
	switch f.kind {
	case textField: // sortByText orders the matches
		return "by text", func(int32, *D) int64 { return 0 }
	case boolField:
		key = func(d *D) int64 {
			if f.flag(d) {
				return 1
			}
			return 0
		}
	}
	switch x.env.Knobs().Sort {
	case knobs.SortIgnored:
		return "none", func(num int32, _ *D) int64 { return int64(event.MixBits(uint64(num)) >> 1) }
	case knobs.SortShuffled:
		return s.sort + " shuffled", func(num int32, d *D) int64 {
			if h := event.MixBits(uint64(num)); h%100 == 0 {
				return key(d) - int64(h>>8%(30*event.Day))
			}
			return key(d)
		}
	}
	return s.sort, func(_ int32, d *D) int64 { return key(d) }
}
