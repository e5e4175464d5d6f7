package api

import (
	"sync"
	"time"
)

// clockTolerance is how far the server's clock and the local one may differ before one of them must be wrong.
const clockTolerance = 5 * time.Minute

// serverClock follows the server's clock by the answers' Date headers. It is safe for concurrent use.
type serverClock struct {
	own func() time.Time // the local clock

	mu     sync.Mutex    // guards what follows
	offset time.Duration // server's clock minus the local one
	skew   time.Duration // the largest offset so far
	known  bool          // offset was measured
	newest time.Time     // latest time of a record that a search returned
}

// LocalNow is the local clock's time.
func (c *serverClock) LocalNow() time.Time { return c.own() }

// ServerNow is the server's time: that of the last answer plus the time since. It is zero before the first answer with a date. If
// the two clocks disagree it is the earlier, unless a record shows that the later is right: a time too early only causes records
// to be read again, while a watermark in the future would skip everything until then.
func (c *serverClock) ServerNow() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.known {
		return time.Time{}
	}
	own := c.own()
	return earliestSane(own.Add(c.offset), own, c.newest)
}

// Now is ServerNow where that is known, else the local time.
func (c *serverClock) Now() time.Time {
	if server := c.ServerNow(); !server.IsZero() {
		return server
	}
	return c.own()
}

// Skew is the largest difference so far between the server's clock and the local one, positive where the server's was ahead; zero
// before the first answer with a date.
func (c *serverClock) Skew() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.skew
}

// ClocksDisagree reports whether the clocks differ by more than clockTolerance: one of them is wrong.
func (c *serverClock) ClocksDisagree() bool { return c.Skew().Abs() > clockTolerance }

// InFuture reports whether a time is later than both clocks.
func (c *serverClock) InFuture(t time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	own := c.own()
	return t.After(own.Add(max(0, c.offset) + clockTolerance))
}

// observeDate notes the server's time of an answer and returns the time that counts for the answer.
func (c *serverClock) observeDate(server, own time.Time) time.Time {
	if server.IsZero() {
		return server
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.offset, c.known = server.Sub(own), true
	if c.offset.Abs() > c.skew.Abs() {
		c.skew = c.offset
	}
	return earliestSane(server, own, c.newest)
}

// NoteRecordTime notes the latest time of some records, in Unix seconds.
func (c *serverClock) NoteRecordTime(latest int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at := time.Unix(latest, 0); at.After(c.newest) && at.Before(c.own().AddDate(100, 0, 0)) {
		c.newest = at
	}
}

// earliestSane is the server's time if the clocks agree, else the earlier of the two. If the newest record is later than the
// earlier clock but not than the later one, the later clock is right. A record that is later than both says nothing.
func earliestSane(server, own, newest time.Time) time.Time {
	early, late := server, own
	if late.Before(early) {
		early, late = late, early
	}
	switch {
	case late.Sub(early) <= clockTolerance:
		return server
	case newest.After(early.Add(clockTolerance)) && !newest.After(late.Add(clockTolerance)):
		return late
	}
	return early
}
