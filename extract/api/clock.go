package api

import (
	"sync"
	"time"
)

// clockTolerance is how far the server's clock and ours may be apart before one of them must be wrong.
const clockTolerance = 5 * time.Minute

// serverClock is the server's clock, as answers tell it, beside ours. It is safe for concurrent use.
type serverClock struct {
	own func() time.Time // our clock

	mu     sync.Mutex    // guards what follows
	offset time.Duration // server's clock minus ours
	skew   time.Duration // the largest of them
	known  bool          // offset was measured
	newest time.Time     // the newest record that a search gave
}

// LocalNow is our own clock, whatever the server's says.
func (c *serverClock) LocalNow() time.Time { return c.own() }

// ServerNow is the server's clock as the last answer showed it, moved on by ours; zero before the first answer with a date. Where it
// and ours disagree it is the earlier one that is sane: whatever is concluded from a time that is too early is only read once more,
// and a watermark in the future would leave out everything until then.
func (c *serverClock) ServerNow() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.known {
		return time.Time{}
	}
	own := c.own()
	return earliestSane(own.Add(c.offset), own, c.newest)
}

// Now is ServerNow where the server has told its clock, ours before.
func (c *serverClock) Now() time.Time {
	if server := c.ServerNow(); !server.IsZero() {
		return server
	}
	return c.own()
}

// Skew is how far the server's clock was ahead of ours where the two were furthest apart; zero before the first answer with a date.
func (c *serverClock) Skew() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.skew
}

// ClocksDisagree reports that the server's clock and ours are so far apart that one of them is not believed.
func (c *serverClock) ClocksDisagree() bool { return c.Skew().Abs() > clockTolerance }

// InFuture reports that a time lies after the server's clock and after ours.
func (c *serverClock) InFuture(t time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	own := c.own()
	return t.After(own.Add(max(0, c.offset) + clockTolerance))
}

// hearServer takes in the server's clock, as an answer tells it, and gives the time that the answer counts as of.
func (c *serverClock) hearServer(server, own time.Time) time.Time {
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

// NoteRecordTime takes in the newest time of some records, in unix seconds.
func (c *serverClock) NoteRecordTime(latest int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at := time.Unix(latest, 0); at.After(c.newest) && at.Before(c.own().AddDate(100, 0, 0)) {
		c.newest = at
	}
}

// earliestSane is the earlier of two clocks that disagree, unless the newest record was changed after it: then it is the later one. A
// record from the future of both says nothing.
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
