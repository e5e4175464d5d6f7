package extract

import "time"

// clockTolerance is how far the server's clock and ours may be apart before one of them must be wrong.
const clockTolerance = 5 * time.Minute

// ServerNow is the server's clock as the last answer showed it, moved on by ours; zero before the first answer with a date. Where it
// and ours disagree it is the earlier one that is sane: whatever is concluded from a time that is too early is only read once more,
// and a watermark in the future would leave out everything until then.
func (c *Client) ServerNow() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.known {
		return time.Time{}
	}
	own := c.o.Now()
	return earliestSane(own.Add(c.offset), own, c.newest)
}

// Now is ServerNow where the server has told its clock, ours before.
func (c *Client) Now() time.Time {
	if server := c.ServerNow(); !server.IsZero() {
		return server
	}
	return c.o.Now()
}

// Skew is how far the server's clock was ahead of ours where the two were furthest apart; zero before the first answer with a date.
func (c *Client) Skew() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.skew
}

// ClocksDisagree reports that the server's clock and ours are so far apart that one of them is not believed.
func (c *Client) ClocksDisagree() bool { return c.Skew().Abs() > clockTolerance }

// InFuture reports that a time lies after the server's clock and after ours.
func (c *Client) InFuture(t time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	own := c.o.Now()
	return t.After(own.Add(max(0, c.offset) + clockTolerance))
}

// hearClock takes in the server's clock, as an answer tells it, and gives the time that the answer counts as of.
func (c *Client) hearClock(server, own time.Time) time.Time {
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

// hearRecords takes in the newest time of some records, in unix seconds.
func (c *Client) hearRecords(latest int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at := time.Unix(latest, 0); at.After(c.newest) && at.Before(c.o.Now().AddDate(100, 0, 0)) {
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
