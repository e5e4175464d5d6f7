package extract

import (
	"context"
	"io"
)

// sweep reads a whole list once. It draws no conclusion from what it does not find: whoever stores the records does, from
// more than one sweep.
type sweep struct {
	*Reader
	walk   *walk
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
	s := &sweep{Reader: r, fresh: true}
	return s.next
}

func (s *sweep) next(ctx context.Context) (Page, error) {
	if s.walk == nil && !s.open() || s.walk.ended {
		return Page{}, io.EOF
	}
	sh, err := s.walk.next(ctx)
	for ClassOf(err) == ClassCursor && s.revive() {
		sh, err = s.walk.next(ctx)
	}
	if err != nil {
		return Page{}, err
	}
	if s.fresh {
		if err := s.refuseFuture(sh.date); err != nil {
			return Page{}, err
		}
		s.fresh = false
	}
	return s.page(sh), nil
}

func (s *sweep) open() bool {
	st := s.state
	reading := st.Window != nil && st.Window.Kind == windowSweep
	if st.Sweep != nil && st.Sweep.Opened > 0 && !reading {
		return false
	}
	l := listOf(s.r.Stream, 0)
	s.walk = newWalk(s.c, l, nil)
	s.now = Sweep{Number: 1, Steady: true, Total: -1}
	if st.Sweep == nil {
		return true
	}
	s.now.Number = st.Sweep.Number
	if reading && st.Sweep.Opened > 0 && s.walk.resumes(st.Position) {
		s.walk = newWalk(s.c, l, st.Position)
		s.now = *st.Sweep
		// The list has moved while nobody looked.
		s.now.Steady = false
	}
	return true
}

// revive begins the sweep again after the server has forgotten a cursor: a list without times has no other place to go on.
func (s *sweep) revive() bool {
	if s.deaths++; s.deaths > stuck {
		return false
	}
	s.c.restarts.Add(1)
	s.now.Rows, s.now.Steady = 0, false
	s.walk = newWalk(s.c, listOf(s.r.Stream, 0), nil)
	return true
}

func (s *sweep) page(sh sheet) Page {
	if s.now.Opened == 0 {
		s.now.Opened = unix(sh.date)
		if sh.date.IsZero() {
			s.now.Opened = s.c.o.Now().Unix()
		}
		s.now.Total = sh.total
	}
	s.now.Rows += int64(len(sh.records))
	s.now.Steady = s.now.Steady && sh.total == s.now.Total && (!sh.end || sh.total < 0 || sh.total == s.now.Rows)

	p := pageOf(sh)
	p.progress(s.now.Rows, sh.total)
	p.State = s.state
	now := s.now
	p.State.Sweep = &now
	p.State.Version = s.c.o.Version
	if !sh.end {
		p.State.Window, p.State.Position = &Window{Kind: windowSweep}, &sh.after
		return p
	}
	p.Boundary, p.Left = true, min(p.Left, 0)
	p.State.Window, p.State.Position = nil, nil
	p.State.SyncedTo = max(p.State.SyncedTo, now.Opened)
	return p
}
