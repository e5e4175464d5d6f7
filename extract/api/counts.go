package api

import (
	"sync"
	"time"

	"aqueduck/schemas"
)

// RequestCounts counts requests. Retries are repeated requests, Limited those refused with 429, Failed those with a 5xx or no
// answer. Waited is the time spent waiting for the rate limit and before retries.
type RequestCounts struct {
	Requests, Retries, Limited, Failed int64
	Waited                             time.Duration
}

// streamCounts counts requests by stream. It is safe for concurrent use.
type streamCounts struct {
	now func() time.Time

	mu      sync.Mutex               // guards what follows
	sent    map[string]RequestCounts // by operation (ReadOp)
	waiting map[[2]string]int        // requests that wait now, by operation and reason
}

// CountsFor counts the requests of one stream so far, those of its nested lists included.
func (c *streamCounts) CountsFor(s *schemas.Stream) RequestCounts {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sent[ReadOp(s)]
}

// Reasons for which a request waits.
const (
	ForRateLimit = "rate limit" // the pace that the source allows
	ForNextTry   = "next try"   // the delay before a retry
)

// countWait runs wait, shows it in WaitsFor meanwhile, and counts its duration.
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

// WaitsFor is why a request of a stream waits now: ForNextTry, else ForRateLimit; "": none waits.
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

// addCounts adds to the counts of an operation.
func (c *streamCounts) addCounts(op string, more RequestCounts) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.sent[op]
	t.Requests, t.Retries = t.Requests+more.Requests, t.Retries+more.Retries
	t.Limited, t.Failed, t.Waited = t.Limited+more.Limited, t.Failed+more.Failed, t.Waited+more.Waited
	c.sent[op] = t
}

// ReadOp names the operation of a stream's requests in messages and counts, such as "read contacts".
func ReadOp(s *schemas.Stream) string { return "read " + s.Name }
