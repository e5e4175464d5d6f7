package api

import (
	"context"
	"time"
)

// admitRequest counts a request and gives the token for it, or says why none may be sent.
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

// StopAt sets when the client is to stop: from then on requests fail with ErrBudget, those under way a little later.
func (c *Client) StopAt(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopAt = t
}

// timeLeft is the time until the client is to stop; false when it is not.
func (c *Client) timeLeft() (time.Duration, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stopAt.Sub(c.o.Now()), !c.stopAt.IsZero()
}

// waitBeforeStop waits before a request, unless it would come too late.
func (c *Client) waitBeforeStop(ctx context.Context, d time.Duration) error {
	if left, bounded := c.timeLeft(); bounded && d >= left {
		return ErrBudget
	}
	return c.o.Wait(ctx, d)
}

// renewToken asks for a rotated token after one was refused. False: there is no other.
func (c *Client) renewToken(refused Secret) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.token != refused {
		return true // another request has done it
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
	return true
}

// stopSending makes every further request fail at once: asking on with a refused token helps nobody.
func (c *Client) stopSending(e *Error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopped == nil {
		c.stopped = e
	}
}

// secretTokens are all that must not show in a message.
func (c *Client) secretTokens() []Secret {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.issuedTokens
}
