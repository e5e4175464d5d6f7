package core

import "time"

// Live makes the workspace live by its clock: begin is called at each full hour since a time, and end when
// it is over. HoursLived counts the hours that are over.
func (w *Core) Live(from time.Time, begin func(at int64), end func(at int64)) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	w.living = true
	w.Schedule(from, func(at int64) { w.liveFrom(at, begin, end) })
}

// liveFrom begins an hour, and plans its end and the next one.
func (w *Core) liveFrom(at int64, begin, end func(at int64)) {
	w.atTime(at, begin)
	w.Schedule(time.Unix(at+3600, 0), func(at int64) {
		w.HoursLived++
		w.atTime(at, end)
		w.liveFrom(at, begin, end)
	})
}

// Lives reports whether hours pass by the clock. The caller holds the lock.
func (w *Core) Lives() bool { return w.living }

// Happen lets something happen at a time of a simulated hour: when it comes, while the workspace lives by its clock; else at once, as the
// whole hour passes in one step.
func (w *Core) Happen(at int64, do func(at int64)) {
	if !w.living {
		do(at)
		return
	}
	w.Schedule(time.Unix(at, 0), func(at int64) { w.atTime(at, do) })
}

// LoggedAt returns when something of a simulated hour comes into the log: at its time, while the workspace lives; else at the beginning of
// its hour.
func (w *Core) LoggedAt(hour, at int64) int64 {
	if w.living {
		return at
	}
	return hour
}

// atTime runs do while the clock shows its time, however late that is. The caller holds the lock.
func (w *Core) atTime(at int64, do func(at int64)) {
	before := w.pinned
	w.pinned = time.Unix(at, 0).Add(-w.offset)
	defer func() { w.pinned = before }()
	do(at)
}
