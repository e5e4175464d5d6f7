package core

import "time"

// CurrentTime is the workspace's time.
func (w *Core) CurrentTime() time.Time {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	return w.TimeHeld()
}

// Advance moves the clock, also one that follows Config.Now.
func (w *Core) Advance(d time.Duration) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	w.offset += d
}

// MoveClock moves a clock of the workspace's own, and leaves one that follows Setup.Now. The lock is held.
func (w *Core) MoveClock(d time.Duration) {
	if w.Setup.Now == nil {
		w.offset += d
	}
}

// TimeHeld is the time of the workspace. The lock is held.
func (w *Core) TimeHeld() time.Time {
	if !w.pinned.IsZero() {
		return w.pinned.Add(w.offset)
	}
	if w.Setup.Now != nil {
		return w.Setup.Now().Add(w.offset)
	}
	return w.Setup.Start.Add(w.offset)
}

// StandAt has f work while the clock stands at a time; only f moves it.
func (w *Core) StandAt(t time.Time, f func()) {
	w.pinClock(func() time.Time { return t }, f)
}

// HoldClock has f work while the clock stands where it is. Nobody sees it later in between, and has happen what is due then: a journal
// would not.
func (w *Core) HoldClock(f func()) { w.pinClock(w.TimeHeld, f) }

// pinClock has f work at the time that when gives with the lock held.
func (w *Core) pinClock(when func() time.Time, f func()) {
	w.Mu.Lock()
	before := w.pinned
	w.pinned = when().Add(-w.offset)
	w.Mu.Unlock()
	defer func() {
		w.Mu.Lock()
		defer w.Mu.Unlock()
		w.pinned = before
	}()
	f()
}

// UnixNow is Time in UNIX seconds. The lock is held.
func (w *Core) UnixNow() int64 { return w.TimeHeld().Unix() }
