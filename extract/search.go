package extract

import (
	"context"
	"io"
	"maps"
	"time"

	"aqueduck/extract/api"
)

const (
	firstForward  = 7 * 24 * time.Hour       // a new stream's forward window
	firstHistory  = 14 * 24 * time.Hour      // the first window of its history; each following one is twice as long
	lastHistory   = 2 * 365 * 24 * time.Hour // a window longer than that goes to the beginning
	changeOverlap = 4 * 24 * time.Hour       // read again after a change of the API version or the workspace's zone
	zoneMargin    = 48 * time.Hour           // by which the days of a zone may lie away from a time, and the day itself
)

// maxCursorDeaths is how often a cursor may die without the walk coming any further.
const maxCursorDeaths = 3

// search reads a stream in windows of time: forward from the watermark to the end of the list, then its history downward, each
// window asked for by its bounds. A window ends where the server says that the list ends, whatever the times of its records: the
// index may be in the order of other times than those that the records have by now.
type search struct {
	*Reader
	window   Window
	explicit bool // moves no watermark
	resumed  bool // the window was begun by an earlier reader
	opened   bool // a window was begun by this one
	walk     *walk

	since    int64     // the time asked from
	fresh    bool      // no answer of the window has come yet
	began    time.Time // our clock at the first answer, where the window ends at the server's now; zero: it ends elsewhere
	previous int64     // time of the record before, 0 at the beginning of a walk
	reached  int64     // all records of the window up to this time were read, if the index has the times that the records have
	settled  int64     // all records of the window up to this time were read
	unsorted bool

	stated   int64               // records that the whole window has by the list's own word; 0: it gives none
	earlier  map[uint64]struct{} // hashes of the keys that earlier walks over this window brought
	before   int64               // records that walks of which no keys are known brought: those of earlier readers
	repeated bool                // the window was walked once more, for its list had ended short
	fault    error               // what the next call gives: all that came was handed over

	deaths      int // cursors that died since `reached` last moved
	reachedThen int64
}

func readSearch(r *Reader) func(context.Context) (Page, error) {
	s := &search{Reader: r}
	s.state = s.state.switchPhase(r.r.Phase)
	return s.next
}

func (s *search) next(ctx context.Context) (Page, error) {
	if s.fault != nil {
		return Page{}, s.fault
	}
	if s.walk == nil {
		if s.historyComplete() {
			st := s.state
			st.HistoryDone, st.Again = true, false
			return Page{State: st, Boundary: true, Total: -1, Done: -1, Left: 0}, nil
		}
		if err := s.open(ctx); err != nil {
			return Page{}, err
		}
	}
	sh, err := s.walk.next(ctx)
	for api.ClassOf(err) == api.ClassCursor && s.revive() {
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
	changed := s.state.Version != "" && s.state.Version != s.c.Version()
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
	s.since, s.fresh, s.repeated, s.began = s.window.From, true, false, time.Time{}
	s.previous, s.reached, s.settled, s.unsorted, s.deaths, s.reachedThen = 0, 0, 0, false, 0, 0
	s.stated, s.earlier, s.before = 0, map[uint64]struct{}{}, 0
	if from != nil {
		s.reached, s.settled, s.unsorted = from.LastTime, from.Settled, from.Unsorted
		s.stated, s.before = from.Stated, from.Before
		if from.Since > 0 {
			s.since = from.Since
		}
	}
	s.walk = newWalk(s.c, s.list(), from)
	if from != nil && !s.walk.resumes(from) {
		// The place belongs to another request: version, address or stream file have changed since.
		s.before += from.Rows
		s.restart()
	}
}

// list is what is left of the window, as it is asked for. Only the history and an explicit window have an upper end. It is asked for two
// days later than it is: where times mean days of a zone that is not told, those have every record of the window.
func (s *search) list() list {
	l := listOf(s.r.Stream, s.since)
	if s.window.To > 0 && (s.window.Kind == windowHistory || s.explicit) {
		l.search.before = s.window.To + int64(zoneMargin/time.Second)
	}
	return l
}

// restart walks on from the time up to which everything was read. Where the list was not in order that is nothing, and the
// whole window is read again. The time of a record that has changed lately may be newer than its place in the list: it counts only
// where the list's own count will tell what it led past.
func (s *search) restart() {
	read := s.settled
	if s.stated > 0 {
		read = s.reached
	}
	s.since = s.window.From
	if !s.unsorted && read > s.since {
		s.since = read
	}
	maps.Copy(s.earlier, s.walk.tally.met)
	s.before += s.walk.tally.before
	s.previous = 0
	s.walk = newWalk(s.c, s.list(), nil)
}

// revive goes on after the server has forgotten a cursor. It gives up when cursors die before they lead anywhere: a second
// or a day that has more records than a cursor lives for.
func (s *search) revive() bool {
	if s.reached > s.reachedThen {
		s.deaths = 0
	}
	s.reachedThen = s.reached
	if s.deaths++; s.deaths > maxCursorDeaths {
		return false
	}
	s.c.NoteRestart()
	s.restart()
	return true
}

// arrive takes from the first answer of a window what only the server knows.
func (s *search) arrive(sh listPage) error {
	if err := s.refuseFuture(sh.date); err != nil {
		return err
	}
	s.fresh = false
	// A window that was opened without a date keeps none: what was read before this answer is older than it.
	if s.window.To == 0 && !s.resumed && !sh.date.IsZero() {
		s.window.To = max(1, sh.date.Add(-s.r.Stream.Read.Since.Lag).Unix())
		s.began = s.c.LocalNow()
	}
	return nil
}

// page takes the times from a page's records and draws the conclusions.
func (s *search) page(sh listPage) Page {
	s.noteTimes(sh.seen)
	if least := s.walk.tally.least; s.since == s.window.From && least > 0 && (s.stated == 0 || least < s.stated) {
		s.stated = least
	}
	p := pageOf(sh)
	if s.window.Kind == windowHistory {
		for i := range p.Records {
			p.Records[i].Above = sh.seen[i].at > s.window.To
		}
	}
	p.Window, p.Resumed = s.shownWindow()
	p.Again = s.explicit || s.window.Again || s.state.Again
	p.progress(sh.after.Rows, sh.total)
	switch {
	case sh.end && s.lacking() > 0:
		p.State = s.handleShortList()
		return p
	case s.explicit:
		p.State = s.r.State
	case sh.end:
		p.State = s.stateAfterWindow()
	default:
		p.State = s.stateInWindow(sh.after)
	}
	if p.Boundary = sh.end; sh.end {
		p.Left = min(p.Left, 0)
		s.walk = nil
	}
	return p
}

// shownWindow is the window for whoever takes the page, and whether an earlier reader has begun it.
func (s *search) shownWindow() (w *Window, resumed bool) {
	if s.explicit {
		return nil, false
	}
	return new(s.window), s.resumed
}

// lacking is how many records of the window its list states and has not given.
func (s *search) lacking() int64 {
	distinct := s.before + s.walk.tally.distinct
	for hash := range s.earlier {
		if _, again := s.walk.tally.met[hash]; !again {
			distinct++
		}
	}
	return max(0, s.stated-distinct)
}

// noteTimes notes the records' times.
func (s *search) noteTimes(seen []peeked) {
	settled := s.c.Now().Add(-s.r.Stream.Read.Since.Overlap).Unix()
	for _, g := range seen {
		if g.at == timeless || g.at < s.previous {
			s.unsorted = true
			continue
		}
		s.previous = g.at
		if g.at <= settled {
			s.settled = max(s.settled, g.at)
		}
	}
	s.reached = max(s.reached, s.previous)
	s.c.NoteRecordTime(s.previous)
}

// stateInWindow is the state in the middle of a window.
func (s *search) stateInWindow(after Position) State {
	st, w := s.state, s.window
	if s.since != w.From {
		after.Since = s.since
	}
	after.Unsorted = s.unsorted
	if !s.unsorted {
		after.LastTime, after.Settled = s.reached, s.settled
	}
	after.Stated, after.Before = s.stated, s.before+int64(len(s.earlier))
	st.Window, st.Position = &w, &after
	if w.Kind == windowForward {
		st.Version = s.c.Version()
	}
	return st
}
