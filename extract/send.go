package extract

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"aqueduck/schemas"
)

// rule is a kind of request that the client can send. There is no code for any other: it cannot change the workspace.
type rule struct {
	method string
	path   string // its end; empty: any
	whole  bool   // path is all of it
	repeat bool   // sending it twice does no harm
}

var rules = []rule{
	{method: http.MethodGet, repeat: true},
	{method: http.MethodPost, path: "/search", repeat: true},
	{method: http.MethodPost, path: "/list", repeat: true},
	{method: http.MethodPost, path: "/export/reporting_data/enqueue", whole: true},
}

// allowed finds the rule for a request.
func allowed(method, path string) (rule, bool) {
	for _, r := range rules {
		if method == r.method && (path == r.path || !r.whole && strings.HasSuffix(path, r.path)) {
			return r, true
		}
	}
	return rule{}, false
}

// usualAttempts is how often a request is sent before its failure is believed.
const usualAttempts = 5

// send gets an answer of status 200 that q.accept takes. Anything else is an *Error, ErrBudget or the context's error.
func (c *Client) send(ctx context.Context, q call) (*answer, error) {
	rule, ok := allowed(q.method, q.path)
	if !ok {
		return nil, &Error{Class: ClassContract, Op: q.op, Method: q.method, Path: q.path, Err: errOnlyReads}
	}
	most := q.attempts
	if most == 0 {
		most = usualAttempts
	}
	if !rule.repeat {
		most = 1
	}
	renewed := false
	for n := 1; ; n++ {
		a, token, failure, err := c.attempt(ctx, q, n)
		if err != nil || failure == nil {
			return a, err
		}
		if failure.Class == ClassAuth {
			if !renewed && c.renew(token) {
				renewed = true
				continue
			}
			c.stop(failure)
			return nil, failure
		}
		if n >= most || !worthwhile(failure, n) {
			return nil, failure
		}
		c.retries.Add(1)
		// A refusal holds back everybody, this call with them; other failures are this call's own.
		if failure.Status != http.StatusTooManyRequests {
			if err := c.waits(q.op, ForNextTry, func() error { return c.wait(ctx, failure.wait(n)) }); err != nil {
				return nil, fmt.Errorf("%s: %w", q.op, err)
			}
		}
	}
}

// worthwhile reports whether a failure may pass when the same is asked again. An answer that is well formed and yet not
// what the document says gets a second and third chance only: between the client and the API machines may answer too.
func worthwhile(e *Error, n int) bool {
	switch {
	case errors.Is(e.Err, errTooBig), errors.As(e.Err, new(*tls.CertificateVerificationError)):
		return false
	case e.Class == ClassTransient:
		return true
	}
	return e.Class == ClassContract && e.Status == http.StatusOK && n < 3
}

// wait is the time before the next attempt: what the answer named, if it did.
func (e *Error) wait(n int) time.Duration {
	if e.after > 0 {
		return e.after
	}
	return backoff(n)
}

// attempt sends q once, in its turn. It gives either an answer that is taken, or a failure that the API or the way to it
// is the cause of, or an error that ends the call: the context's, ErrBudget, or that nothing more may be sent.
func (c *Client) attempt(ctx context.Context, q call, n int) (*answer, Secret, *Error, error) {
	if err := c.waits(q.op, ForRateLimit, func() error { return c.budget.enter(ctx, c.o.Now, c.wait) }); err != nil {
		return nil, "", nil, fmt.Errorf("%s: %w", q.op, err)
	}
	token, err := c.admit(q.op, n)
	if err != nil {
		return nil, "", nil, fmt.Errorf("%s: %w", q.op, err)
	}
	sent := c.o.Now()
	a, err := c.exchange(ctx, q, token)
	if ctx.Err() != nil {
		return nil, "", nil, fmt.Errorf("%s: %w", q.op, ctx.Err())
	}
	if errors.Is(err, ErrBudget) {
		return nil, "", nil, fmt.Errorf("%s: %w", q.op, err)
	}
	if err == nil {
		c.observe(a)
	}
	failure := c.judge(q, a, err)
	if failure == nil {
		return a, token, nil, nil
	}
	failure.Op, failure.Method, failure.Path, failure.Attempts = q.op, q.method, q.path, n
	switch {
	case failure.Status == http.StatusTooManyRequests:
		c.note(q.op, Sent{Limited: 1})
		c.budget.refused(c.o.Now(), sent, failure.wait(n))
	case failure.Status == 0 || failure.Status >= http.StatusInternalServerError:
		c.note(q.op, Sent{Failed: 1})
	}
	return nil, token, failure, nil
}

// What the requests of a stream may wait for.
const (
	ForRateLimit = "rate limit" // their turn in the pace that the source allows
	ForNextTry   = "next try"   // a failed request is sent again after a while
)

// waits has a request of an op wait, tells of that while it lasts, and counts the time.
func (c *Client) waits(op, what string, wait func() error) error {
	key, began := [2]string{op, what}, c.o.Now()
	c.mu.Lock()
	c.waiting[key]++
	c.mu.Unlock()
	err := wait()
	c.mu.Lock()
	c.waiting[key]--
	c.mu.Unlock()
	c.note(op, Sent{Waited: c.o.Now().Sub(began)})
	return err
}

// WaitsFor is what a request for a stream waits for at this moment: ForNextTry, or else ForRateLimit; "" for nothing.
func (c *Client) WaitsFor(s *schemas.Stream) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, what := range []string{ForNextTry, ForRateLimit} {
		if c.waiting[[2]string{reading(s), what}] > 0 {
			return what
		}
	}
	return ""
}

// note adds to what is counted of an op.
func (c *Client) note(op string, more Sent) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.sent[op]
	t.Requests, t.Retries = t.Requests+more.Requests, t.Retries+more.Retries
	t.Limited, t.Failed, t.Waited = t.Limited+more.Limited, t.Failed+more.Failed, t.Waited+more.Waited
	c.sent[op] = t
}

// admit counts a request and gives the token for it, or says why none may be sent.
func (c *Client) admit(op string, n int) (Secret, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopped != nil {
		return "", c.stopped
	}
	if c.o.MaxRequests > 0 && c.requests.Load() >= c.o.MaxRequests || !c.stopAt.IsZero() && !c.o.Now().Before(c.stopAt) {
		return "", ErrBudget
	}
	c.requests.Add(1)
	t := c.sent[op]
	t.Requests++
	if n > 1 {
		t.Retries++
	}
	c.sent[op] = t
	return c.token, nil
}

// StopAt sets when the client is to stop: from then on requests fail with ErrBudget, those under way a little later.
func (c *Client) StopAt(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopAt = t
}

// left is the time until the client is to stop; false when it is not.
func (c *Client) left() (time.Duration, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stopAt.Sub(c.o.Now()), !c.stopAt.IsZero()
}

// wait waits before a request, unless it would come too late.
func (c *Client) wait(ctx context.Context, d time.Duration) error {
	if left, bounded := c.left(); bounded && d >= left {
		return ErrBudget
	}
	return c.o.Wait(ctx, d)
}

// observe learns the pace and the server's clock from an answer.
func (c *Client) observe(a *answer) {
	now := c.o.Now()
	server := now
	if !a.told.IsZero() {
		server = a.told
	}
	a.date = c.hearClock(a.told, now)
	if a.status < 400 {
		c.budget.learn(a.head, now, server)
	}
}

// renew asks for a rotated token after one was refused. False: there is no other.
func (c *Client) renew(refused Secret) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.token != refused {
		return true // another request has done it
	}
	if c.o.Refresh == nil {
		return false
	}
	token, err := c.o.Refresh()
	if err != nil || token == refused || token == "" || !printable(string(token)) {
		return false
	}
	c.token = token
	c.told = append(c.told, token)
	return true
}

// stop makes every further request fail at once: asking on with a refused token helps nobody.
func (c *Client) stop(e *Error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopped == nil {
		c.stopped = e
	}
}

// tokens are all that must not show in a message.
func (c *Client) tokens() []Secret {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.told
}
