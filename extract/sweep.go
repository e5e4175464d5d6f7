package extract

import (
	"context"
	"errors"
	"io"

	"aqueduck/extract/api"
	"aqueduck/extract/internal/envelope"
)

// sweepReader reads a whole list once, or the several lists of a stream one after the other. It concludes nothing from missing
// records: the loader does, from two sweeps (two-pass confirmation).
type sweepReader struct {
	*Reader
	walk           *listWalk
	remainingLists []listRequest // lists still to be read
	tree           *recordTree   // of a list whose records have lists of their own; else nil
	current        Sweep
	fresh          bool // no answer has come yet
	cursorDeaths   int  // cursors that the server has lost
}

// readSweep continues State.Sweep when it is open, begins it when it has no opening time, and reads nothing when it has ended.
// Without a Sweep it begins the first.
func readSweep(r *Reader) func(context.Context) (Page, error) {
	if r.r.Phase == History {
		return readNothing
	}
	s := &sweepReader{Reader: r, fresh: true, tree: treeOf(r.r.Stream)}
	return s.nextSweepPage
}

func (s *sweepReader) nextSweepPage(ctx context.Context) (Page, error) {
	if s.walk == nil && !s.openSweep() || s.walk.ended && len(s.remainingLists) == 0 {
		return Page{}, io.EOF
	}
	if s.walk.ended {
		s.startNextList()
	}
	sh, err := s.walk.nextPage(ctx)
	for api.ClassOf(err) == api.ClassCursor && s.recoverCursor() {
		sh, err = s.walk.nextPage(ctx)
	}
	sh, err = s.skipVanished(sh, err)
	if sh, err = s.skipRefusedValue(sh, err); err != nil {
		return Page{}, err
	}
	if s.fresh {
		if err := s.refuseFuture(sh.date); err != nil {
			return Page{}, err
		}
		s.fresh = false
	}
	if s.tree != nil {
		s.remainingLists = s.tree.addChildLists(s.remainingLists, sh)
	}
	return s.buildSweepPage(sh), nil
}

func (s *sweepReader) openSweep() bool {
	st := s.state
	reading := st.Window != nil && st.Window.Kind == windowSweep
	if st.Sweep != nil && st.Sweep.Opened > 0 && !reading {
		return false
	}
	s.remainingLists = listsOf(s.r.Stream)
	s.current = Sweep{Number: 1, Steady: true}
	if st.Sweep != nil {
		s.current.Number = st.Sweep.Number
	}
	if reading && st.Sweep.Opened > 0 && s.tree == nil && s.resumeList(st.Position) {
		s.current = *st.Sweep
		// The list may have changed between the two readings.
		s.current.Steady = false
		return true
	}
	s.startNextList()
	return true
}

// startNextList begins the walk over the next list.
func (s *sweepReader) startNextList() {
	s.walk, s.remainingLists = s.startWalk(s.remainingLists[0], nil), s.remainingLists[1:]
	s.current.Rows, s.current.Total = 0, totalUnknown
}

// isCapped reports whether a list with a known cap (`page: {most}`) stopped at it, or ended more than a page short of its
// total_count.
func (s *sweepReader) isCapped(total int64) bool {
	most := int64(s.r.Stream.Read.Page.Most)
	return most > 0 && (s.current.Rows >= most || total-s.current.Rows > int64(s.r.Stream.Read.Page.Size))
}

// skipRefusedValue turns the refusal of an optional value into an empty list. Rows of that value are then not judged by the
// sweep.
func (s *sweepReader) skipRefusedValue(sh listPage, err error) (listPage, error) {
	var failure *api.Error
	if !s.walk.list.optional || s.current.Rows > 0 || !errors.As(err, &failure) || !failure.RefusesValue() {
		return sh, err
	}
	s.walk.ended = true
	s.current.Refused += "," + s.walk.list.over
	return listPage{Envelope: envelope.Envelope{Total: -1}, over: s.walk.list.over, date: failure.ServerTime, end: true}, nil
}

// totalUnknown is Sweep.Total before a list's first answer.
const totalUnknown = -2

// resumeList resumes the list that a stored position belongs to; false when it belongs to none.
func (s *sweepReader) resumeList(at *Position) bool {
	for i, l := range s.remainingLists {
		if w := newWalk(s.c, l, nil); w.canResume(at) {
			s.walk, s.remainingLists = s.startWalk(l, at), s.remainingLists[i+1:]
			return true
		}
	}
	return false
}

// recoverCursor restarts the list after the server has lost a cursor: a list without times has no other position to continue
// from.
func (s *sweepReader) recoverCursor() bool {
	if s.cursorDeaths++; s.cursorDeaths > maxCursorDeaths {
		return false
	}
	s.c.NoteRestart()
	s.current.Rows, s.current.Steady = 0, false
	s.walk = s.startWalk(s.walk.list, nil)
	return true
}

func (s *sweepReader) buildSweepPage(sh listPage) Page {
	if s.current.Opened == 0 {
		s.current.Opened = unixSeconds(sh.date)
		if sh.date.IsZero() {
			s.current.Opened = s.c.LocalNow().Unix()
		}
	}
	if s.current.Total == totalUnknown {
		s.current.Total = sh.Total
	}
	s.current.Rows += sh.fresh
	if !s.current.Capped {
		s.current.MissingRows += sh.missingRows
	}
	s.current.Steady = s.current.Steady && sh.Total == s.current.Total && (!sh.end || sh.Total < 0 || sh.Total == s.current.Rows)
	s.current.Capped = s.current.Capped || sh.end && s.isCapped(sh.Total)
	p := pageOf(sh)
	p.setProgress(s.current.Rows, sh.Total)
	p.State = s.state
	now := s.current
	p.State.Sweep = &now
	p.State.Version = s.c.Version()
	if !sh.end || len(s.remainingLists) > 0 {
		// Between two lists, and in a tree, no position is stored: a sweep that is interrupted here begins again.
		p.State.Window, p.State.Position = &Window{Kind: windowSweep}, nil
		if !sh.end && s.tree == nil {
			p.State.Position = &sh.nextPosition
		}
		return p
	}
	p.Boundary, p.Left = true, min(p.Left, 0)
	p.State.Window, p.State.Position = nil, nil
	if now.MissingRows == 0 {
		p.State.SyncedTo = max(p.State.SyncedTo, now.Opened)
	}
	return p
}
