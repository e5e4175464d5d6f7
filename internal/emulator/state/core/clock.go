package core

import "time"

// CurrentTime returns the workspace's time.
func (w *Core) CurrentTime() time.Time {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	return w.TimeHeld()
}

// Advance moves the clock, also one that follows Setup.Now.
func (w *Core) Advance(d time.Duration) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	w.offset += d
}

// MoveClock moves the workspace's own clock, and leaves one that follows Setup.Now. The caller holds the lock.
func (w *Core) MoveClock(d time.Duration) {
	if w.Setup.Now == nil {
		w.offset += d
	}
}

// TimeHeld returns the time of the workspace. The caller holds the lock.
func (w *Core) TimeHeld() time.Time {
	if !w.pinned.IsZero() {
		return w.pinned.Add(w.offset)
	}
	if w.Setup.Now != nil {
		return w.Setup.Now().Add(w.offset)
	}
	return w.Setup.Start.Add(w.offset)
}

// StandAt runs f while the clock stands at a time; only f moves it.
func (w *Core) StandAt(t time.Time, f func()) {
	w.pinClock(func() time.Time { return t }, f)
}

// HoldClock runs f while the clock stands still. So no request sees a later time meanwhile and runs an action that is due then: in a replay of
// the journal that would happen at another place.
func (w *Core) HoldClock(f func()) { w.pinClock(w.TimeHeld, f) }

// pinClock runs f at the time that when returns with the lock held.
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

// UnixNow returns the time of the workspace in UNIX seconds. The caller holds the lock.
func (w *Core) UnixNow() int64 { return w.TimeHeld().Unix() }
