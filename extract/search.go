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

// searchReader reads a stream in windows of time: forward from the watermark to the end of the list, then its history downward, each
// window asked for by its bounds. A window ends where the server says that the list ends, whatever the times of its records: the
// index may be in the order of other times than those that the records have by now.
type searchReader struct {
	*Reader
	window   Window
	explicit bool // moves no watermark
	resumed  bool // the window was begun by an earlier reader
	opened   bool // a window was begun by this one
	walk     *listWalk

	since     int64     // the time asked from
	fresh     bool      // no answer of the window has come yet
	openedAt  time.Time // our clock at the first answer, where the window ends at the server's now; zero: it ends elsewhere
	previous  int64     // time of the record before, 0 at the beginning of a walk
	reached   int64     // all records of the window up to this time were read, if the index has the times that the records have
	settledTo int64     // all records of the window up to this time were read
	unsorted  bool

	statedTotal  int64               // records that the whole window has by the list's own word; 0: it gives none
	earlierKeys  map[uint64]struct{} // hashes of the keys that earlier walks over this window brought
	earlierRows  int64               // records that walks of which no keys are known brought: those of earlier readers
	repeated     bool                // the window was walked once more, for its list had ended short
	pendingError error               // what the next call gives: all that came was handed over

	cursorDeaths   int // cursors that died since `reached` last moved
	reachedAtDeath int64
}

func readSearch(r *Reader) func(context.Context) (Page, error) {
	s := &searchReader{Reader: r}
	s.state = s.state.switchPhase(r.r.Phase)
	return s.nextWindowPage
}

func (s *searchReader) nextWindowPage(ctx context.Context) (Page, error) {
	if s.pendingError != nil {
		return Page{}, s.pendingError
	}
	if s.walk == nil {
		if s.historyComplete() {
			st := s.state
			st.HistoryDone, st.RereadAll = true, false
			return Page{State: st, Boundary: true, Total: -1, Done: -1, Left: 0}, nil
		}
		if err := s.openNextWindow(ctx); err != nil {
			return Page{}, err
		}
	}
	sh, err := s.walk.nextPage(ctx)
	for api.ClassOf(err) == api.ClassCursor && s.recoverCursor() {
		sh, err = s.walk.nextPage(ctx)
	}
	if err != nil {
		return Page{}, err
	}
	if s.fresh {
		if err := s.noteFirstAnswer(sh); err != nil {
			return Page{}, err
		}
	}
	return s.buildWindowPage(sh), nil
}

// openNextWindow chooses the next window and goes on in it; io.EOF when there is none.
func (s *searchReader) openNextWindow(ctx context.Context) error {
	from, err := s.chooseWindow(ctx)
	if err != nil {
		return err
	}
	s.startWindow(from)
	return nil
}

// chooseWindow gives the next window and where in it to go on, nil for its beginning; io.EOF when there is none.
func (s *searchReader) chooseWindow(ctx context.Context) (from *Position, err error) {
	r := s.r
	s.explicit = !r.Since.IsZero() || !r.Until.IsZero()
	changed := s.state.Version != "" && s.state.Version != s.c.Version()
	unfinished := s.state.Window != nil && s.state.Window.Kind == string(r.Phase) && !s.explicit && (!changed || r.Phase == History)
	switch {
	case s.explicit && (s.opened || r.Phase == History):
		return nil, io.EOF
	case s.explicit:
		s.window = Window{Kind: windowForward, From: max(0, unixSeconds(r.Since)), To: max(0, unixSeconds(r.Until))}
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

// startWindow walks the window from its beginning, or goes on in it.
func (s *searchReader) startWindow(from *Position) {
	s.since, s.fresh, s.repeated, s.openedAt = s.window.From, true, false, time.Time{}
	s.previous, s.reached, s.settledTo, s.unsorted, s.cursorDeaths, s.reachedAtDeath = 0, 0, 0, false, 0, 0
	s.statedTotal, s.earlierKeys, s.earlierRows = 0, map[uint64]struct{}{}, 0
	if from != nil {
		s.reached, s.settledTo, s.unsorted = from.LastTime, from.Settled, from.Unsorted
		s.statedTotal, s.earlierRows = from.Stated, from.Before
		if from.Since > 0 {
			s.since = from.Since
		}
	}
	s.walk = newWalk(s.c, s.remainingList(), from)
	if from != nil && !s.walk.canResume(from) {
		// The place belongs to another request: version, address or stream file have changed since.
		s.earlierRows += from.Rows
		s.restartWalk()
	}
}

// remainingList is what is left of the window, as it is asked for. Only the history and an explicit window have an upper end. It is asked for two
// days later than it is: where times mean days of a zone that is not told, those have every record of the window.
func (s *searchReader) remainingList() listRequest {
	l := listOf(s.r.Stream, s.since)
	if s.window.To > 0 && (s.window.Kind == windowHistory || s.explicit) {
		l.search.before = s.window.To + int64(zoneMargin/time.Second)
	}
	return l
}

// restartWalk walks on from the time up to which everything was read. Where the list was not in order that is nothing, and the
// whole window is read again. The time of a record that has changed lately may be newer than its place in the list: it counts only
// where the list's own count will tell what it led past.
func (s *searchReader) restartWalk() {
	read := s.settledTo
	if s.statedTotal > 0 {
		read = s.reached
	}
	s.since = s.window.From
	if !s.unsorted && read > s.since {
		s.since = read
	}
	maps.Copy(s.earlierKeys, s.walk.tally.seenKeys)
	s.earlierRows += s.walk.tally.resumedRows
	s.previous = 0
	s.walk = newWalk(s.c, s.remainingList(), nil)
}

// recoverCursor goes on after the server has forgotten a cursor. It gives up when cursors die before they lead anywhere: a second
// or a day that has more records than a cursor lives for.
func (s *searchReader) recoverCursor() bool {
	if s.reached > s.reachedAtDeath {
		s.cursorDeaths = 0
	}
	s.reachedAtDeath = s.reached
	if s.cursorDeaths++; s.cursorDeaths > maxCursorDeaths {
		return false
	}
	s.c.NoteRestart()
	s.restartWalk()
	return true
}

// noteFirstAnswer takes from the first answer of a window what only the server knows.
func (s *searchReader) noteFirstAnswer(sh listPage) error {
	if err := s.refuseFuture(sh.date); err != nil {
		return err
	}
	s.fresh = false
	// A window that was opened without a date keeps none: what was read before this answer is older than it.
	if s.window.To == 0 && !s.resumed && !sh.date.IsZero() {
		s.window.To = max(1, sh.date.Add(-s.r.Stream.Read.Since.Lag).Unix())
		s.openedAt = s.c.LocalNow()
	}
	return nil
}

// buildWindowPage takes the times from a page's records and draws the conclusions.
func (s *searchReader) buildWindowPage(sh listPage) Page {
	s.noteTimes(sh.seen)
	if least := s.walk.tally.minTotal; s.since == s.window.From && least > 0 && (s.statedTotal == 0 || least < s.statedTotal) {
		s.statedTotal = least
	}
	p := pageOf(sh)
	if s.window.Kind == windowHistory {
		for i := range p.Records {
			p.Records[i].Above = sh.seen[i].at > s.window.To
		}
	}
	p.Window, p.Resumed = s.shownWindow()
	p.RereadAll = s.explicit || s.window.RereadAll || s.state.RereadAll
	p.setProgress(sh.nextPosition.Rows, sh.total)
	switch {
	case sh.end && s.missingRecords() > 0:
		p.State = s.handleShortList()
		return p
	case s.explicit:
		p.State = s.r.State
	case sh.end:
		p.State = s.stateAfterWindow()
	default:
		p.State = s.stateInWindow(sh.nextPosition)
	}
	if p.Boundary = sh.end; sh.end {
		p.Left = min(p.Left, 0)
		s.walk = nil
	}
	return p
}

// shownWindow is the window for whoever takes the page, and whether an earlier reader has begun it.
func (s *searchReader) shownWindow() (w *Window, resumed bool) {
	if s.explicit {
		return nil, false
	}
	return new(s.window), s.resumed
}

// missingRecords is how many records of the window its list states and has not given.
func (s *searchReader) missingRecords() int64 {
	distinct := s.earlierRows + s.walk.tally.distinct
	for hash := range s.earlierKeys {
		if _, again := s.walk.tally.seenKeys[hash]; !again {
			distinct++
		}
	}
	return max(0, s.statedTotal-distinct)
}

// noteTimes notes the records' times.
func (s *searchReader) noteTimes(seen []peekedRecord) {
	settled := s.c.Now().Add(-s.r.Stream.Read.Since.Overlap).Unix()
	for _, g := range seen {
		if g.at == timeless || g.at < s.previous {
			s.unsorted = true
			continue
		}
		s.previous = g.at
		if g.at <= settled {
			s.settledTo = max(s.settledTo, g.at)
		}
	}
	s.reached = max(s.reached, s.previous)
	s.c.NoteRecordTime(s.previous)
}

// stateInWindow is the state in the middle of a window.
func (s *searchReader) stateInWindow(after Position) State {
	st, w := s.state, s.window
	if s.since != w.From {
		after.Since = s.since
	}
	after.Unsorted = s.unsorted
	if !s.unsorted {
		after.LastTime, after.Settled = s.reached, s.settledTo
	}
	after.Stated, after.Before = s.statedTotal, s.earlierRows+int64(len(s.earlierKeys))
	st.Window, st.Position = &w, &after
	if w.Kind == windowForward {
		st.Version = s.c.Version()
	}
	return st
}
