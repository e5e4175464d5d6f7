package api

import (
	"sync"
	"time"

	"aqueduck/schemas"
)

// RequestCounts counts requests: all of them, those that asked again for what a failed one had asked for, and those that were refused for
// being too many (429), or failed at the source or on the way (5xx, or no answer). Waited is the time that they waited for their
// turn, and before they were repeated.
type RequestCounts struct {
	Requests, Retries, Limited, Failed int64 // requests, as told above
	Waited                             time.Duration
}

// streamCounts counts requests by the stream that they are for. It is safe for concurrent use.
type streamCounts struct {
	now func() time.Time

	mu      sync.Mutex               // guards what follows
	sent    map[string]RequestCounts // by what it was for
	waiting map[[2]string]int        // how many requests wait now, by the same and by what they wait for
}

// CountsFor is what was sent to read one stream, its nested lists included.
func (c *streamCounts) CountsFor(s *schemas.Stream) RequestCounts {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sent[ReadOp(s)]
}

// What the requests of a stream may wait for.
const (
	ForRateLimit = "rate limit" // their turn in the pace that the source allows
	ForNextTry   = "next try"   // a failed request is sent again after a while
)

// countWait has a request of an op wait, tells of that while it lasts, and counts the time.
func (c *streamCounts) countWait(op, what string, wait func() error) error {
	key, began := [2]string{op, what}, c.now()
	c.mu.Lock()
	c.waiting[key]++
	c.mu.Unlock()
	err := wait()
	c.mu.Lock()
	c.waiting[key]--
	c.mu.Unlock()
	c.addCounts(op, RequestCounts{Waited: c.now().Sub(began)})
	return err
}

// WaitsFor is what a request for a stream waits for at this moment: ForNextTry, or else ForRateLimit; "" for nothing.
func (c *streamCounts) WaitsFor(s *schemas.Stream) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, what := range []string{ForNextTry, ForRateLimit} {
		if c.waiting[[2]string{ReadOp(s), what}] > 0 {
			return what
		}
	}
	return ""
}

// addCounts adds to what is counted of an op.
func (c *streamCounts) addCounts(op string, more RequestCounts) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.sent[op]
	t.Requests, t.Retries = t.Requests+more.Requests, t.Retries+more.Retries
	t.Limited, t.Failed, t.Waited = t.Limited+more.Limited, t.Failed+more.Failed, t.Waited+more.Waited
	c.sent[op] = t
}

// ReadOp names what the requests of a stream are for, in messages and in counts: "read contacts".
func ReadOp(s *schemas.Stream) string { return "read " + s.Name }
