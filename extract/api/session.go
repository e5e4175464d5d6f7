package api

import (
	"context"
	"time"
)

// admitRequest counts attempt n of a request and returns its token, or the error why it may not be sent.
func (c *Client) admitRequest(op string, n int) (Secret, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopped != nil {
		return "", c.stopped
	}
	if c.o.MaxRequests > 0 && c.requests.Load() >= c.o.MaxRequests || !c.stopAt.IsZero() && !c.o.Now().Before(c.stopAt) {
		return "", ErrBudget
	}
	c.requests.Add(1)
	more := RequestCounts{Requests: 1}
	if n > 1 {
		more.Retries = 1
	}
	c.addCounts(op, more)
	return c.token, nil
}

// StopAt sets when the client stops. From then on requests fail with ErrBudget; those under way may take a few seconds more.
func (c *Client) StopAt(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopAt = t
}

// timeLeft is the time until the client stops; false when no stop is set.
func (c *Client) timeLeft() (time.Duration, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stopAt.Sub(c.o.Now()), !c.stopAt.IsZero()
}

// boundTime is how long something that takes most at most may take before the client stops, and the error when that time is over.
func boundTime(c *Client, most time.Duration) (time.Duration, error) {
	if left, bounded := c.timeLeft(); bounded && left+c.limits.grace < most {
		return left + c.limits.grace, ErrBudget
	}
	return most, errTooSlow
}

// waitBeforeStop waits before a request; ErrBudget at once when the wait would end after the stop.
func (c *Client) waitBeforeStop(ctx context.Context, d time.Duration) error {
	if left, bounded := c.timeLeft(); bounded && d >= left {
		return ErrBudget
	}
	return c.o.Wait(ctx, d)
}

// renewToken asks for a rotated token after one was refused; false: there is no other.
func (c *Client) renewToken(refused Secret) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.token != refused {
		return true // another request has renewed it
	}
	if c.o.Refresh == nil {
		return false
	}
	token, err := c.o.Refresh()
	if err != nil || token == refused || token == "" || !isPrintable(string(token)) {
		return false
	}
	c.token = token
	c.issuedTokens = append(c.issuedTokens, token)
	c.search = newTokenSearch(c.issuedTokens)
	return true
}

// stopSending makes every further request fail at once with e.
func (c *Client) stopSending(e *Error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopped == nil {
		c.stopped = e
	}
}

// secretTokens are all tokens so far. None may appear in a message.
func (c *Client) secretTokens() []Secret {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.issuedTokens
}

// bodySearch finds all tokens so far in the bodies of answers.
func (c *Client) bodySearch() *tokenSearch {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.search
}
