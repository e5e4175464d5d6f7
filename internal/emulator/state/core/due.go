package core

import (
	"slices"
	"time"
)

// Schedule plans an action for a time. It runs before anything else that is asked or done at that time or later, and gets its own time however
// late it runs. So a replay of the journal runs it at the same place. The caller holds the lock.
func (w *Core) Schedule(at time.Time, do func(at int64)) {
	i := slices.IndexFunc(w.scheduled, func(d scheduledAction) bool { return d.at.After(at) })
	if i < 0 {
		i = len(w.scheduled)
	}
	w.scheduled = slices.Insert(w.scheduled, i, scheduledAction{at, do})
}

// RunDue runs the actions that are due by a time, ordered by time; equal times run in the order in which they were scheduled. The caller holds
// the lock.
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

// RunDueNow runs the actions that are due now.
func (w *Core) RunDueNow() {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	w.RunDue(w.TimeHeld())
}
