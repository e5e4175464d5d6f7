package extract

import (
	"context"
	"errors"
	"io"

	"aqueduck/extract/api"
)

// sweepReader reads a whole list once, or the several that a stream is made of, one after the other. It draws no conclusion from what it does not find: whoever stores the records does, from
// more than one sweep.
type sweepReader struct {
	*Reader
	walk           *listWalk
	remainingLists []listRequest // to be walked after this one
	tree           *recordTree   // of a list whose records hold others; nil: of any other
	current        Sweep
	fresh          bool // no answer has come yet
	cursorDeaths   int  // cursors that died
}

// readSweep reads State.Sweep: one that is open is read on, one without an opening time is begun, one that has ended has
// nothing left. Without any, the first is begun.
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
		// The list has moved while nobody looked.
		s.current.Steady = false
		return true
	}
	s.startNextList()
	return true
}

// startNextList walks the next list from its first page.
func (s *sweepReader) startNextList() {
	s.walk, s.remainingLists = newWalk(s.c, s.remainingLists[0], nil), s.remainingLists[1:]
	s.current.Rows, s.current.Total = 0, totalUnknown
}

// isCapped says that a list which is known to stop has done so: at its most, or more than a page short of its own count.
func (s *sweepReader) isCapped(total int64) bool {
	most := int64(s.r.Stream.Read.Page.Most)
	return most > 0 && (s.current.Rows >= most || total-s.current.Rows > int64(s.r.Stream.Read.Page.Size))
}

// skipRefusedValue is the answer that there is no list of an optional value, as a list without records. What is stored of the value is no
// longer judged.
func (s *sweepReader) skipRefusedValue(sh listPage, err error) (listPage, error) {
	var failure *api.Error
	if !s.walk.list.optional || s.current.Rows > 0 || !errors.As(err, &failure) || !failure.RefusesValue() {
		return sh, err
	}
	s.walk.ended = true
	s.current.Refused += "," + s.walk.list.over
	return listPage{listEnvelope: listEnvelope{total: -1}, over: s.walk.list.over, date: failure.ServerTime, end: true}, nil
}

// totalUnknown stands for the count of a list that no answer has come of.
const totalUnknown = -2

// resumeList goes on at a stored place, in the list that it is a place of.
func (s *sweepReader) resumeList(at *Position) bool {
	for i, l := range s.remainingLists {
		if w := newWalk(s.c, l, nil); w.canResume(at) {
			s.walk, s.remainingLists = newWalk(s.c, l, at), s.remainingLists[i+1:]
			return true
		}
	}
	return false
}

// recoverCursor begins the list again after the server has forgotten a cursor: a list without times has no other place to go on.
func (s *sweepReader) recoverCursor() bool {
	if s.cursorDeaths++; s.cursorDeaths > maxCursorDeaths {
		return false
	}
	s.c.NoteRestart()
	s.current.Rows, s.current.Steady = 0, false
	s.walk = newWalk(s.c, s.walk.list, nil)
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
		s.current.Total = sh.total
	}
	s.current.Rows += sh.fresh
	if !s.current.Capped {
		s.current.MissingRows += sh.missingRows
	}
	s.current.Steady = s.current.Steady && sh.total == s.current.Total && (!sh.end || sh.total < 0 || sh.total == s.current.Rows)

	s.current.Capped = s.current.Capped || sh.end && s.isCapped(sh.total)

	p := pageOf(sh)
	p.setProgress(s.current.Rows, sh.total)
	p.State = s.state
	now := s.current
	p.State.Sweep = &now
	p.State.Version = s.c.Version()
	if !sh.end || len(s.remainingLists) > 0 {
		// Between two lists there is no place to go on from, nor in a tree: a sweep that ends here begins again.
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
