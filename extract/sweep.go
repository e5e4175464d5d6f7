package extract

import (
	"context"
	"errors"
	"io"

	"aqueduck/extract/api"
)

// sweep reads a whole list once, or the several that a stream is made of, one after the other. It draws no conclusion from what it does not find: whoever stores the records does, from
// more than one sweep.
type sweep struct {
	*Reader
	walk   *walk
	left   []list // to be walked after this one
	tree   *tree  // of a list whose records hold others; nil: of any other
	now    Sweep
	fresh  bool // no answer has come yet
	deaths int  // cursors that died
}

// readSweep reads State.Sweep: one that is open is read on, one without an opening time is begun, one that has ended has
// nothing left. Without any, the first is begun.
func readSweep(r *Reader) func(context.Context) (Page, error) {
	if r.r.Phase == History {
		return finished
	}
	s := &sweep{Reader: r, fresh: true, tree: treeOf(r.r.Stream)}
	return s.next
}

func (s *sweep) next(ctx context.Context) (Page, error) {
	if s.walk == nil && !s.open() || s.walk.ended && len(s.left) == 0 {
		return Page{}, io.EOF
	}
	if s.walk.ended {
		s.begin()
	}
	sh, err := s.walk.next(ctx)
	for api.ClassOf(err) == api.ClassCursor && s.revive() {
		sh, err = s.walk.next(ctx)
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
		s.left = s.tree.addChildLists(s.left, sh)
	}
	return s.page(sh), nil
}

func (s *sweep) open() bool {
	st := s.state
	reading := st.Window != nil && st.Window.Kind == windowSweep
	if st.Sweep != nil && st.Sweep.Opened > 0 && !reading {
		return false
	}
	s.left = listsOf(s.r.Stream)
	s.now = Sweep{Number: 1, Steady: true}
	if st.Sweep != nil {
		s.now.Number = st.Sweep.Number
	}
	if reading && st.Sweep.Opened > 0 && s.tree == nil && s.resume(st.Position) {
		s.now = *st.Sweep
		// The list has moved while nobody looked.
		s.now.Steady = false
		return true
	}
	s.begin()
	return true
}

// begin walks the next list from its first page.
func (s *sweep) begin() {
	s.walk, s.left = newWalk(s.c, s.left[0], nil), s.left[1:]
	s.now.Rows, s.now.Total = 0, totalUnknown
}

// isCapped says that a list which is known to stop has done so: at its most, or more than a page short of its own count.
func (s *sweep) isCapped(total int64) bool {
	most := int64(s.r.Stream.Read.Page.Most)
	return most > 0 && (s.now.Rows >= most || total-s.now.Rows > int64(s.r.Stream.Read.Page.Size))
}

// skipRefusedValue is the answer that there is no list of an optional value, as a list without records. What is stored of the value is no
// longer judged.
func (s *sweep) skipRefusedValue(sh listPage, err error) (listPage, error) {
	var failure *api.Error
	if !s.walk.list.optional || s.now.Rows > 0 || !errors.As(err, &failure) || !failure.RefusesValue() {
		return sh, err
	}
	s.walk.ended = true
	s.now.Refused += "," + s.walk.list.over
	return listPage{envelope: envelope{total: -1}, over: s.walk.list.over, date: failure.ServerTime, end: true}, nil
}

// totalUnknown stands for the count of a list that no answer has come of.
const totalUnknown = -2

// resume goes on at a stored place, in the list that it is a place of.
func (s *sweep) resume(at *Position) bool {
	for i, l := range s.left {
		if w := newWalk(s.c, l, nil); w.resumes(at) {
			s.walk, s.left = newWalk(s.c, l, at), s.left[i+1:]
			return true
		}
	}
	return false
}

// revive begins the list again after the server has forgotten a cursor: a list without times has no other place to go on.
func (s *sweep) revive() bool {
	if s.deaths++; s.deaths > maxCursorDeaths {
		return false
	}
	s.c.NoteRestart()
	s.now.Rows, s.now.Steady = 0, false
	s.walk = newWalk(s.c, s.walk.list, nil)
	return true
}

func (s *sweep) page(sh listPage) Page {
	if s.now.Opened == 0 {
		s.now.Opened = unix(sh.date)
		if sh.date.IsZero() {
			s.now.Opened = s.c.LocalNow().Unix()
		}
	}
	if s.now.Total == totalUnknown {
		s.now.Total = sh.total
	}
	s.now.Rows += sh.fresh
	if !s.now.Capped {
		s.now.Lacks += sh.lacks
	}
	s.now.Steady = s.now.Steady && sh.total == s.now.Total && (!sh.end || sh.total < 0 || sh.total == s.now.Rows)

	s.now.Capped = s.now.Capped || sh.end && s.isCapped(sh.total)

	p := pageOf(sh)
	p.progress(s.now.Rows, sh.total)
	p.State = s.state
	now := s.now
	p.State.Sweep = &now
	p.State.Version = s.c.Version()
	if !sh.end || len(s.left) > 0 {
		// Between two lists there is no place to go on from, nor in a tree: a sweep that ends here begins again.
		p.State.Window, p.State.Position = &Window{Kind: windowSweep}, nil
		if !sh.end && s.tree == nil {
			p.State.Position = &sh.after
		}
		return p
	}
	p.Boundary, p.Left = true, min(p.Left, 0)
	p.State.Window, p.State.Position = nil, nil
	if now.Lacks == 0 {
		p.State.SyncedTo = max(p.State.SyncedTo, now.Opened)
	}
	return p
}
