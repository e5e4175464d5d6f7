package core

import (
	"slices"
	"time"
)

// Schedule has something happen when the clock reaches a time: before anything else is asked or done then, and at its own time,
// however late that is. So a journal that is done again has it happen in the same place. What it does is logged at the time that
// it is given. The lock is held.
func (w *Core) Schedule(at time.Time, do func(at int64)) {
	i := slices.IndexFunc(w.scheduled, func(d scheduledAction) bool { return d.at.After(at) })
	if i < 0 {
		i = len(w.scheduled)
	}
	w.scheduled = slices.Insert(w.scheduled, i, scheduledAction{at, do})
}

// RunDue carries out what is due by a time, in the order of the times, and in that in which it was begun. The lock is held.
func (w *Core) RunDue(by time.Time) {
	for len(w.scheduled) > 0 && !w.scheduled[0].at.After(by) {
		next := w.scheduled[0]
		w.scheduled = w.scheduled[1:]
		next.do(next.at.Unix())
	}
	if w.OnPassed != nil {
		w.OnPassed(by)
	}
}

// RunDueNow carries out what is due by now.
func (w *Core) RunDueNow() {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	w.RunDue(w.TimeHeld())
}
