package extract

import (
	"context"
	"io"
	"time"
)

const (
	firstForward  = 7 * 24 * time.Hour       // a new stream's forward window
	firstHistory  = 14 * 24 * time.Hour      // the first window of its history; each following one is twice as long
	lastHistory   = 2 * 365 * 24 * time.Hour // a window longer than that goes to the beginning
	changeOverlap = 4 * 24 * time.Hour       // read again after a change of the API version or the workspace's zone
)

// beyond is how many records in a row must lie after a window before it ends: a single one may be out of its place, with
// records of the window behind it.
const beyond = 4

// stuck is how often a cursor may die without the walk coming any further.
const stuck = 3

// search reads a stream in windows of time: forward from the mark to the server's now, then its history downward. In the
// source a window has no upper end: the list is read in order of time until some records in a row lie after it.
type search struct {
	*Reader
	window   Window
	explicit bool // moves no mark
	resumed  bool // the window was begun by an earlier reader
	opened   bool // a window was begun by this one
	walk     *walk

	since    int64 // the time asked from
	fresh    bool  // no answer of the window has come yet
	previous int64 // time of the record before, 0 at the beginning of a walk
	reached  int64 // all records of the window up to this time were read
	past     int   // records in a row after the window's end
	unsorted bool

	total       int64 // total_count of the walk's first page, -1 unknown
	above       int64 // records at or after the window's end, -1 unknown
	deaths      int   // cursors that died since `reached` last moved
	reachedThen int64
}

func readSearch(r *Reader) func(context.Context) (Page, error) {
	s := &search{Reader: r, above: -1}
	s.state = s.state.turned(r.r.Phase)
	return s.next
}

func (s *search) next(ctx context.Context) (Page, error) {
	if s.walk == nil {
		if s.enough() {
			st := s.state
			st.HistoryDone, st.Again = true, false
			return Page{State: st, Boundary: true, Total: -1, Done: -1, Left: 0}, nil
		}
		if err := s.open(ctx); err != nil {
			return Page{}, err
		}
	}
	sh, err := s.walk.next(ctx)
	for ClassOf(err) == ClassCursor && s.revive() {
		sh, err = s.walk.next(ctx)
	}
	if err != nil {
		return Page{}, err
	}
	if s.fresh {
		if err := s.arrive(sh); err != nil {
			return Page{}, err
		}
	}
	return s.page(sh), nil
}

// open chooses the next window and goes on in it; io.EOF when there is none.
func (s *search) open(ctx context.Context) error {
	from, err := s.choose(ctx)
	if err != nil {
		return err
	}
	s.begin(from)
	return nil
}

// choose gives the next window and where in it to go on, nil for its beginning; io.EOF when there is none.
func (s *search) choose(ctx context.Context) (from *Position, err error) {
	r := s.r
	s.explicit = !r.Since.IsZero() || !r.Until.IsZero()
	changed := s.state.Version != "" && s.state.Version != s.c.o.Version
	unfinished := s.state.Window != nil && s.state.Window.Kind == string(r.Phase) && !s.explicit && (!changed || r.Phase == History)
	switch {
	case s.explicit && (s.opened || r.Phase == History):
		return nil, io.EOF
	case s.explicit:
		s.window = Window{Kind: windowForward, From: max(0, unix(r.Since)), To: max(0, unix(r.Until))}
	case unfinished:
		s.window, from = *s.state.Window, s.state.Position
	case r.Phase == History && !s.openHistory():
		return nil, io.EOF
	case r.Phase == History:
	case s.opened:
		return nil, io.EOF
	default:
		if err := s.openForward(ctx, changed); err != nil {
			return nil, err
		}
	}
	s.opened, s.resumed = s.opened || !unfinished, unfinished
	return from, nil
}

// begin walks the window from its beginning, or goes on in it.
func (s *search) begin(from *Position) {
	s.since, s.fresh = s.window.From, true
	s.previous, s.reached, s.past, s.unsorted, s.deaths, s.reachedThen = 0, 0, 0, false, 0, 0
	s.total = -1
	if from != nil {
		s.reached, s.unsorted = from.LastTime, from.Unsorted
		if from.Since > 0 {
			s.since = from.Since
		}
	}
	s.walk = newWalk(s.c, listOf(s.r.Stream, s.since), from)
	if from != nil && !s.walk.resumes(from) {
		// The place belongs to another request: version, address or stream file have changed since.
		s.restart()
	}
}

// turned is the state with the window of a phase at hand: what is left of a history window waits while reading goes
// forward, and is gone on with afterwards. Every run goes forward first, and would begin it anew otherwise.
func (s State) turned(to Phase) State {
	if to == Forward && s.Window != nil && s.Window.Kind == windowHistory {
		s.Paused = &Paused{Window: *s.Window, Position: s.Position}
		s.Window, s.Position = nil, nil
	}
	if to == History && s.Window == nil && s.Paused != nil {
		s.Window, s.Position = &s.Paused.Window, s.Paused.Position
		s.Paused = nil
	}
	return s
}

// restart walks on from the time up to which everything was read. Where the list was not in order that is nothing, and the
// whole window is read again.
func (s *search) restart() {
	s.since = s.window.From
	if !s.unsorted && s.reached > s.since {
		s.since = s.reached
	}
	s.previous, s.past, s.total = 0, 0, -1
	s.walk = newWalk(s.c, listOf(s.r.Stream, s.since), nil)
}

// revive goes on after the server has forgotten a cursor. It gives up when cursors die before they lead anywhere: a second
// or a day that has more records than a cursor lives for.
func (s *search) revive() bool {
	if s.reached > s.reachedThen {
		s.deaths = 0
	}
	s.reachedThen = s.reached
	if s.deaths++; s.deaths > stuck {
		return false
	}
	s.c.restarts.Add(1)
	s.restart()
	return true
}

// openForward begins a window from the mark to the server's now.
func (s *search) openForward(ctx context.Context, changed bool) error {
	since := s.r.Stream.Read.Since
	s.window = Window{Kind: windowForward}
	if mark := s.state.SyncedTo; mark > 0 {
		overlap := since.Overlap
		if changed {
			overlap = max(overlap, changeOverlap)
		}
		s.window.From = max(0, mark-int64(overlap/time.Second))
		s.refresh(changed)
		return nil
	}
	now := s.c.ServerNow()
	if now.IsZero() {
		// The first window of all hangs on the server's clock, and our own is no stand-in for it.
		if _, _, err := s.c.One(ctx, s.r.Stream); err != nil {
			return err
		}
		now = s.c.ServerNow()
	}
	if !now.IsZero() { // a server without a clock is read from the beginning
		s.window.From = max(0, now.Add(-since.Lag-firstForward).Unix(), unix(s.r.Start))
	}
	return nil
}

// refresh widens a window, when it is time, to the records whose silent changes are looked for.
func (s *search) refresh(changed bool) {
	d := s.r.Stream.Read.Detail
	if d == nil || d.Every == 0 {
		return
	}
	now := s.c.ServerNow()
	if now.IsZero() {
		now = s.c.o.Now()
	}
	if changed || now.Sub(time.Unix(s.state.Refreshed, 0)) >= d.Every {
		s.window.From, s.window.Again = max(0, min(s.window.From, now.Add(-d.For).Unix())), true
	}
}

// enough reports that the history was read further down than is wanted now: its start was put later since.
func (s *search) enough() bool {
	st := s.state
	return s.r.Phase == History && s.r.Since.IsZero() && s.r.Until.IsZero() && !st.HistoryDone && st.Window == nil && st.HistoryTo > 0 && st.HistoryTo <= unix(s.r.Start)
}

// openHistory begins the next window downward; false when there is none.
func (s *search) openHistory() bool {
	start := max(0, unix(s.r.Start))
	to := s.state.HistoryTo
	if to <= start || s.state.SyncedTo == 0 {
		return false
	}
	span := max(int64(firstHistory/time.Second), 2*s.state.HistorySpan)
	s.window = Window{Kind: windowHistory, From: to - span, To: to}
	if span > int64(lastHistory/time.Second) || s.window.From < start {
		s.window.From = start
	}
	return true
}

// arrive takes from the first answer of a window what only the server knows.
func (s *search) arrive(sh sheet) error {
	if err := s.refuseFuture(sh.date); err != nil {
		return err
	}
	s.fresh = false
	// A window that was opened without a date keeps none: what was read before this answer is older than it.
	if s.window.To == 0 && !s.resumed && !sh.date.IsZero() {
		s.window.To = max(1, sh.date.Add(-s.r.Stream.Read.Since.Lag).Unix())
	}
	return nil
}

// page takes the times from a page's records and draws the conclusions.
func (s *search) page(sh sheet) Page {
	s.look(sh.seen)
	end := sh.end || s.past >= beyond && !s.unsorted
	if s.total < 0 {
		s.total = sh.total
	}
	p := pageOf(sh)
	if s.window.Kind == windowHistory && s.r.Stream.Read.Detail != nil {
		p.Records = upTo(p.Records, sh.seen, s.window.To)
	}
	p.Boundary = end
	p.Again = s.explicit || s.window.Again || s.state.Again
	switch {
	case s.window.Kind == windowForward:
		p.progress(sh.after.Rows, s.total)
	case s.above >= 0:
		p.progress(sh.after.Rows, s.total-s.above)
	default:
		p.progress(sh.after.Rows, -1)
	}
	switch {
	case s.explicit:
		p.State = s.r.State
	case end:
		p.State = s.closed()
	default:
		p.State = s.within(sh.after)
	}
	if end {
		p.Left = min(p.Left, 0)
		s.walk, s.above = nil, s.total
	}
	return p
}

// upTo leaves out the records after a history window, which the window above it has read: each would be a request.
func upTo(records []Record, seen []glimpse, end int64) []Record {
	var kept []Record
	for i, record := range records {
		if seen[i].at <= end {
			kept = append(kept, record)
		}
	}
	return kept
}

// look notes the records' times, and how many in a row lie after the window.
func (s *search) look(seen []glimpse) {
	for _, g := range seen {
		at := g.at
		if at == timeless || at < s.previous {
			s.unsorted = true
			continue
		}
		s.previous = at
		s.past++
		if s.window.To == 0 || at <= s.window.To {
			s.past = 0
		}
	}
	s.reached = max(s.reached, s.previous)
}

// within is the state in the middle of a window.
func (s *search) within(after Position) State {
	st, w := s.state, s.window
	if s.since != w.From {
		after.Since = s.since
	}
	after.Unsorted = s.unsorted
	if !s.unsorted {
		after.LastTime = s.reached
	}
	st.Window, st.Position = &w, &after
	if w.Kind == windowForward {
		st.Version = s.c.o.Version
	}
	return st
}

// closed is the state after a window: only now a mark moves.
func (s *search) closed() State {
	st := s.state
	st.Window, st.Position = nil, nil
	start := max(0, unix(s.r.Start))
	if s.window.Kind == windowHistory {
		st.HistorySpan = s.state.HistoryTo - s.window.From
		st.HistoryTo = s.window.From
		st.HistoryDone = st.HistoryTo <= start
		st.Again = st.Again && !st.HistoryDone
		return st
	}
	if s.state.SyncedTo == 0 {
		st.HistoryTo = s.window.From
		st.HistoryDone = st.HistoryTo <= start
		st.Again = st.Again && !st.HistoryDone
	}
	if s.r.Stream.Read.Detail != nil && (s.window.Again || s.state.SyncedTo == 0) {
		st.Refreshed = s.mark()
	}
	st.SyncedTo = max(st.SyncedTo, s.mark())
	st.Version = s.c.o.Version
	return st
}

// mark is the time up to which a forward window has read everything.
func (s *search) mark() int64 {
	switch {
	case s.window.To > 0:
		return s.window.To
	case s.unsorted:
		return s.window.From
	}
	// The server does not tell its time: records do. Their times may lie in the future, ours may be wrong: the earlier counts.
	lag := int64(s.r.Stream.Read.Since.Lag / time.Second)
	return max(s.window.From, min(s.reached, s.c.o.Now().Unix())-lag)
}
