package emulator

import (
	"math"
	"net/http"
	"slices"
	"sort"
)

// searchContacts is POST /contacts/search (workspace-api 4.1).
func (w *Workspace) searchContacts(q *request) answer {
	w.mu.Lock()
	w.settle()
	s, err := w.parseSearch(q.body, q.version)
	if err != nil {
		w.mu.Unlock()
		return failure(http.StatusBadRequest, "parameter_invalid", err.Error())
	}
	if w.k().TooLarge > 0 && s.perPage > w.k().TooLarge {
		w.mu.Unlock()
		return failure(http.StatusGatewayTimeout, "request_timeout", "the search took too long")
	}
	at, good := w.place(s, q.n)
	if !good {
		w.mu.Unlock()
		return badCursor()
	}
	docs, p := w.page(s, at, q.n)
	render := w.renderer(q.version)
	w.mu.Unlock()

	// Versions are never changed, so the page is written without holding anybody up.
	b := openList(make([]byte, 0, 2400*len(docs)+512), "list", "data")
	for i, d := range docs {
		if i > 0 {
			b = append(b, ',')
		}
		b = render.contact(b, d)
	}
	return ok(w.closeList(b, q, p))
}

// place is where a search goes on: behind its cursor, or at the beginning.
func (w *Workspace) place(s *search, n int) (cursor, bool) {
	if s.after != "" {
		return w.cursor(s.after, s.text, n)
	}
	if s.descending {
		return cursor{at: entry{math.MaxInt64, math.MaxInt32}, page: 1}, true
	}
	return cursor{at: entry{math.MinInt64, -1}, page: 1}, true
}

// page gives the versions on the page behind a cursor, and the way to the next.
func (w *Workspace) page(s *search, at cursor, n int) ([]*doc, pages) {
	found := w.found(s)
	if w.k().EmptyLists {
		found = nil
	}
	p := pages{page: int(at.page), perPage: s.perPage, total: len(found)}
	r := newRNG(w.cfg.Seed, forShuffle, uint64(n))
	next := at
	next.page++
	if !at.empty && r.chance(w.k().EmptyPages) {
		next.empty = true
		p.more, p.token = true, w.hand(next, s.text, n)
		return nil, p
	}
	here := w.behind(found, s, at)
	p.more = len(here) > s.perPage
	here = here[:min(len(here), s.perPage)]
	docs := w.versions(here, r)
	if p.more {
		next.at, next.empty = here[len(here)-1], false
		next.offset = at.offset + int64(len(here))
		p.token = w.looped(s, at, w.hand(next, s.text, n))
	}
	return docs, p
}

// behind gives the entries after a cursor, in the order asked for, at least one more than the page holds if there is.
func (w *Workspace) behind(found []entry, s *search, at cursor) []entry {
	if s.descending {
		end := sort.Search(len(found), func(i int) bool { return compareEntries(found[i], at.at) >= 0 })
		if w.k().OffsetWalk {
			end = max(0, len(found)-int(at.offset))
		}
		here := slices.Clone(found[max(0, end-s.perPage-1):end])
		slices.Reverse(here)
		return here
	}
	if w.k().OffsetWalk {
		return found[min(len(found), int(at.offset)):]
	}
	return found[sort.Search(len(found), func(i int) bool { return compareEntries(found[i], at.at) > 0 }):]
}

// versions gives what search shows of contacts: the version before from a stale replica, records twice from a sloppy one.
func (w *Workspace) versions(here []entry, r *rng) []*doc {
	stale := r.chance(w.k().StaleReplica)
	docs := make([]*doc, 0, len(here)+8)
	for _, e := range here {
		c := &w.contacts[e.num]
		d := c.shown
		if stale && c.before != nil {
			d = c.before
		}
		docs = append(docs, d)
		if w.k().Duplicates > 0 && r.chance(w.k().Duplicates) {
			docs = append(docs, d)
		}
	}
	return docs
}

// looped replaces the way on by the way back where the knob asks for a loop.
func (w *Workspace) looped(s *search, at cursor, token string) string {
	if w.k().LoopAt == 0 {
		return token
	}
	if w.walked == nil {
		w.walked = map[int64]string{}
	}
	w.walked[at.page] = s.after
	if back := w.walked[at.page-1]; at.page == int64(w.k().LoopAt) && back != "" {
		return back
	}
	return token
}

// remembered bounds the answers kept for the pages to come.
const remembered = 8

// found gives all that a search asks for, in ascending order. A span of the sort field is a piece of the ordering; any
// other question looks at every contact once and is remembered until search changes.
func (w *Workspace) found(s *search) []entry {
	all := w.ordered(w.ordering(s))
	if s.isSpan {
		lo := sort.Search(len(all), func(i int) bool { return all[i].key >= s.lo })
		hi := sort.Search(len(all), func(i int) bool { return all[i].key >= s.hi })
		return all[lo:max(lo, hi)]
	}
	if list, have := w.idx.answers[s.text]; have {
		return list
	}
	list := []entry{}
	for _, e := range all {
		if s.matches(e.num, w.contacts[e.num].shown) {
			list = append(list, e)
		}
	}
	if len(w.idx.answers) >= remembered {
		clear(w.idx.answers)
	}
	w.idx.answers[s.text] = list
	return list
}

// ordering names the order of a search's results and gives its key.
func (w *Workspace) ordering(s *search) (string, func(num int32, d *doc) int64) {
	key := fields[s.sort].date
	switch w.k().Sort {
	case SortIgnored:
		return "none", func(num int32, _ *doc) int64 { return int64(mix(uint64(num)) >> 1) }
	case SortShuffled:
		return s.sort + " shuffled", func(num int32, d *doc) int64 {
			if h := mix(uint64(num)); h%100 == 0 {
				return key(d) - int64(h>>8%(30*day))
			}
			return key(d)
		}
	}
	return s.sort, func(_ int32, d *doc) int64 { return key(d) }
}

// listContacts is GET /contacts: what is active now, oldest first, without the index's lag.
func (w *Workspace) listContacts(q *request) answer {
	w.mu.Lock()
	defer w.mu.Unlock()
	per, good := q.perPage(10, 150)
	if !good {
		return badNumber()
	}
	const question = "GET /contacts"
	at := cursor{at: entry{num: -1}, page: 1}
	if token := q.query.Get("starting_after"); token != "" {
		if at, good = w.cursor(token, question, q.n); !good {
			return badCursor()
		}
	}
	render := w.renderer(q.version)
	b := openList(nil, "list", "data")
	p := pages{page: int(at.page), perPage: per}
	next := at
	next.page++
	count := 0
	for num := range w.contacts {
		c := &w.contacts[num]
		if c.status != active || w.k().EmptyLists {
			continue
		}
		p.total++
		switch {
		case int32(num) <= at.at.num:
		case count == per:
			p.more = true
		default:
			if count > 0 {
				b = append(b, ',')
			}
			b = render.contact(b, c.doc)
			next.at.num = int32(num)
			count++
		}
	}
	if p.more {
		p.token = w.hand(next, question, q.n)
	}
	return ok(w.closeList(b, q, p))
}

// oneContact is GET /contacts/{id}. Inactive contacts are not found; a merged one's old id leads to the survivor in
// newer versions (api-notes, Reading leniently).
func (w *Workspace) oneContact(q *request) answer {
	w.mu.Lock()
	defer w.mu.Unlock()
	num, known := w.byID[q.id]
	if !known {
		return notFound("Contact")
	}
	c := &w.contacts[num]
	switch {
	case c.status == active:
		render := w.renderer(q.version)
		return ok(render.contact(nil, c.doc))
	case c.status == merged && q.version.later():
		a := failure(http.StatusGone, "contact_merged", "the contact was merged into another")
		a.header = map[string]string{"Link": "</contacts/" + w.contacts[c.into].doc.ID + `>; rel="canonical"`}
		return a
	}
	return notFound("Contact")
}
