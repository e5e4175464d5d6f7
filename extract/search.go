package extract

import (
	"cmp"
	"context"
	"io"
	"maps"
	"time"

	"aqueduck/extract/api"
	"aqueduck/extract/internal/envelope"
	"aqueduck/extract/internal/windows"
)

const (
	firstForward  = 7 * 24 * time.Hour // first forward window of a new stream, at most
	changeOverlap = 4 * 24 * time.Hour // lookback after a change of the API version or the workspace's zone
)

// maxCursorDeaths is how often the server may lose a cursor without progress in between.
const maxCursorDeaths = 3

// searchReader reads a stream in windows of time: forward from the watermark to the end of the list, then the history downward,
// each window with bounds of its own in the request. A window ends only where the server says that the list ends, never by the
// records' times: the search index may be sorted by older times than the records now have (T10).
type searchReader struct {
	*Reader
	window   Window
	explicit bool // moves no watermark
	resumed  bool // an earlier Reader began the window
	opened   bool // this Reader began a window
	walk     *listWalk

	since     int64     // time asked from, Unix seconds
	fresh     bool      // no answer of the window has come yet
	shortened bool      // the first forward window has become shorter
	openedAt  time.Time // local clock at the first answer, when the window ends at the server's now; else zero
	previous  int64     // time of the previous record; 0 at the beginning of a walk
	reached   int64     // all records of the window up to this time were read, if the index has the records' present times
	settledTo int64     // all records of the window up to this time were read: they are older than the lookback window, so the index has their times
	unsorted  bool

	statedTotal  int64               // the smallest total_count of the whole window; 0: none
	mostStated   int64               // the largest
	earlierKeys  map[uint64]struct{} // hashes of the keys that earlier walks over this window read
	earlierRows  int64               // records that earlier Readers read, whose keys are not known
	repeated     bool                // the window was walked once more, because its list ended short
	firstRows    int64               // distinct records of the walk that ended short
	pendingError error               // error of the next call: the records before it are delivered first

	above *windows.Seen // of the window above, where it is read by the same Reader: its records are not read twice
	own   *windows.Seen // for the window below

	cursorDeaths   int // cursors lost since `reached` last moved
	reachedAtDeath int64
}

func readSearch(r *Reader) func(context.Context) (Page, error) {
	switch explicit := !r.r.Since.IsZero() || !r.r.Until.IsZero(); {
	case r.r.Phase == History && explicit:
		return readNothing
	case r.r.Phase == History:
		return readHistory(r)
	}
	s := &searchReader{Reader: r}
	s.state = s.state.switchPhase(r.r.Phase)
	return s.nextWindowPage
}

func (s *searchReader) nextWindowPage(ctx context.Context) (Page, error) {
	if s.pendingError != nil {
		return Page{}, s.pendingError
	}
	if s.walk == nil {
		if err := s.openNextWindow(ctx); err != nil {
			return Page{}, err
		}
	}
	// A cursor that the server has lost costs no records: the walk begins again at the time up to which all were read.
	sh, err := s.walk.nextPage(ctx)
	for api.ClassOf(err) == api.ClassCursor && s.recoverCursor() {
		sh, err = s.walk.nextPage(ctx)
	}
	if err != nil {
		return Page{}, err
	}
	if s.fresh {
		if s.shortenFirst(sh.Total) {
			return s.nextWindowPage(ctx)
		}
		if err := s.noteFirstAnswer(sh); err != nil {
			return Page{}, err
		}
	}
	if sh.end && s.since != s.window.From && s.endsShort() {
		if err := s.askTotal(ctx); err != nil {
			return Page{}, err
		}
	}
	return s.buildWindowPage(sh), nil
}

// askTotal asks once more how many records the window has. A walk that was restarted states only the count of its rest, and
// records may have left the list since its beginning.
func (s *searchReader) askTotal(ctx context.Context) error {
	l := s.listFrom(s.window.From)
	l.page.Size = 1
	sh, err := newWalk(s.c, l, nil).readFirstPage(ctx)
	if err == nil && sh.Total > 0 {
		s.statedTotal = min(s.statedTotal, sh.Total)
	}
	return err
}

// openNextWindow chooses the next window and begins or resumes it; io.EOF when there is none.
func (s *searchReader) openNextWindow(ctx context.Context) error {
	from, err := s.chooseWindow(ctx)
	if err != nil {
		return err
	}
	s.startWindow(from)
	return nil
}

// chooseWindow sets the next window and returns the position to resume in it, nil for its beginning; io.EOF when there is none.
func (s *searchReader) chooseWindow(ctx context.Context) (from *Position, err error) {
	r := s.r
	s.explicit = !r.Since.IsZero() || !r.Until.IsZero()
	// Under another API version a forward window is not resumed: a new one reads four days again, also what the first pages had (T113).
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

// startWindow begins the walk over the window, or resumes it at a position.
func (s *searchReader) startWindow(from *Position) {
	s.since, s.fresh, s.repeated, s.openedAt = s.window.From, true, false, time.Time{}
	s.previous, s.reached, s.settledTo, s.unsorted, s.cursorDeaths, s.reachedAtDeath = 0, 0, 0, false, 0, 0
	s.statedTotal, s.mostStated, s.firstRows, s.earlierKeys, s.earlierRows = 0, 0, 0, map[uint64]struct{}{}, 0
	// A resumed window continues with what its earlier pages have shown: the order of times, the stated count and the records read.
	if from != nil {
		s.reached, s.settledTo, s.unsorted = from.LastTime, from.Settled, from.Unsorted
		s.repeated, s.statedTotal, s.mostStated, s.earlierRows = from.Repeated, from.Stated, from.Stated, from.Before
		if from.Since > 0 {
			s.since = from.Since
		}
	}
	s.walk = s.walkRest(from)
	if from != nil && !s.walk.canResume(from) {
		// The cursor belongs to another request: the version, the address or the stream file has changed since (T13).
		s.earlierRows += from.Rows
		s.restartWalk()
	}
}

// walkRest walks over the rest of the window.
func (s *searchReader) walkRest(from *Position) *listWalk {
	w := s.startWalk(s.listFrom(s.since), from)
	w.known = s.above
	return w
}

// listFrom is the request for the window from a time on. Only a history window and an explicit one have an upper end. The
// request's end is two days later than the window's: where the API compares days of an unknown zone, that still includes every
// record of the window.
func (s *searchReader) listFrom(since int64) listRequest {
	l := listOf(s.r.Stream, since)
	if s.window.To > 0 && (s.window.Kind == windowHistory || s.explicit) {
		l.search.before = s.window.To + int64(windows.Margin/time.Second)
	}
	return l
}

// restartWalk begins a new walk at the time up to which everything was read. After an unsorted list that time is unknown, and the
// whole window is read again. A record that changed lately may have a newer time than its place in the index. `reached`, which
// includes such times, is used only if total_count can show a skipped record.
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
	s.walk = s.walkRest(nil)
}

// recoverCursor continues after the server has lost a cursor. It gives up when cursors expire without progress: one second, or
// one day, then has more records than a cursor's lifetime allows to read (T12).
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

// noteFirstAnswer sets the window's end to the server's now minus the lag. A later end would claim changes that earlier pages lack.
func (s *searchReader) noteFirstAnswer(sh listPage) error {
	if err := s.refuseFuture(sh.date); err != nil {
		return err
	}
	s.fresh = false
	// A resumed window that began without a date gets no end: its earlier pages are older than this answer's date.
	if s.window.To == 0 && !s.resumed && !sh.date.IsZero() {
		s.window.To = max(1, sh.date.Add(-s.r.Stream.Read.Since.Lag).Unix())
		s.openedAt = s.c.LocalNow()
	}
	return nil
}

// buildWindowPage makes a Page, with its State, of a page of the walk.
func (s *searchReader) buildWindowPage(sh listPage) Page {
	s.noteTimes(sh.Seen)
	s.own.Note(sh.Seen)
	// A walk that begins later than the window states only the count of its rest.
	if least := s.walk.tally.minTotal; s.since == s.window.From && least > 0 {
		s.statedTotal, s.mostStated = min(least, cmp.Or(s.statedTotal, least)), max(s.mostStated, s.walk.tally.maxTotal)
	}
	// The request of a history window reaches two days above its end (T2). Those records belong to the window above, and are marked.
	p := pageOf(sh)
	if s.window.Kind == windowHistory {
		for i := range p.Records {
			p.Records[i].Above = sh.Seen[i].At > s.window.To
		}
	}
	p.dropKnown(sh.known)
	p.Window, p.Resumed = s.shownWindow()
	p.RereadAll = s.explicit || s.window.RereadAll || s.state.RereadAll
	p.setProgress(sh.nextPosition.Rows, sh.Total)
	// A list that ends with fewer records than it states is not the end of the window (T165).
	switch {
	case sh.end && (s.endsShort() || s.mayHaveSkipped()):
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

// shownWindow is the window for the Page, and whether an earlier Reader began it.
func (s *searchReader) shownWindow() (w *Window, resumed bool) {
	if s.explicit {
		return nil, false
	}
	return new(s.window), s.resumed
}

// endsShort reports whether the window's list lacks records: of those that it states, or more than half of those that it returned
// before. A second walk may state less than the first, as few records are deleted meanwhile; one that states nothing is broken.
func (s *searchReader) endsShort() bool {
	rows := s.distinctRows()
	return rows < s.statedTotal || 2*rows < s.firstRows
}

// mayHaveSkipped reports whether records left the list while it was read, and no more came than stayed. A server whose cursors
// count has then skipped a record for each that had come before it left (T9).
func (s *searchReader) mayHaveSkipped() bool {
	return !s.repeated && s.since == s.window.From && s.statedTotal < s.mostStated && s.distinctRows() <= s.statedTotal
}

// distinctRows is the number of distinct records of all walks over the window.
func (s *searchReader) distinctRows() int64 {
	// A walk that begins again may return records of an earlier walk: each key counts once.
	distinct := s.earlierRows + s.walk.tally.distinct
	for hash := range s.earlierKeys {
		if _, repeated := s.walk.tally.seenKeys[hash]; !repeated {
			distinct++
		}
	}
	return distinct
}

// noteTimes advances reached and settledTo by the times of a page's records, and notes whether they are in order.
func (s *searchReader) noteTimes(seen []envelope.Peeked) {
	// The index has the present times of records that are older than the lookback window, so a walk can continue from these (T160).
	settled := s.c.Now().Add(-s.r.Stream.Read.Since.Overlap).Unix()
	for _, g := range seen {
		if g.At == envelope.Timeless || g.At < s.previous {
			s.unsorted = true
			continue
		}
		s.previous = g.At
		if g.At <= settled {
			s.settledTo = max(s.settledTo, g.At)
		}
	}
	s.reached = max(s.reached, s.previous)
	s.c.NoteRecordTime(s.previous)
}

// stateInWindow is the state before the window's end.
func (s *searchReader) stateInWindow(after Position) State {
	st, w := s.state, s.window
	if s.since != w.From {
		after.Since = s.since
	}
	// In an unsorted list no time says up to where everything was read.
	if !s.unsorted {
		after.LastTime, after.Settled = s.reached, s.settledTo
	}
	after.Unsorted, after.Repeated, after.Stated, after.Before = s.unsorted, s.repeated, s.mostStated, s.earlierRows+int64(len(s.earlierKeys))
	// The version of a forward window is stored with its first page, so that a later run notices another one.
	st.Window, st.Position = &w, &after
	if w.Kind == windowForward {
		st.Version = s.c.Version()
	}
	return st
}
