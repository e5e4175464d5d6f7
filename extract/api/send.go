package api

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"syscall"
	"time"
)

// usualAttempts is how often a request is sent before its failure is final.
const usualAttempts = 5

// Send returns an answer of status 200 that q.Accept accepts, after retries where they are safe. Otherwise it returns an *Error,
// ErrBudget or the context's error.
func (c *Client) Send(ctx context.Context, q Call) (*Answer, error) {
	rule, ok := findRule(q.Method, q.Path)
	if !ok {
		return nil, &Error{Class: ClassContract, Op: q.Op, Method: q.Method, Path: q.Path, Err: errOnlyReads}
	}
	most := q.Attempts
	if most == 0 {
		most = usualAttempts
	}
	if !rule.retrySafe {
		most = 1
	}
	renewed, began := false, c.o.Now()
	var last *Error
	for n := 1; ; n++ {
		a, token, failure, err := c.sendAttempt(ctx, q, n)
		if last != nil && errors.Is(err, ErrBudget) {
			err = &spentError{err, last}
		}
		if err != nil || failure == nil {
			return a, err
		}
		failure.Spent = c.o.Now().Sub(began)
		last = failure
		if failure.Class == ClassAuth {
			if !renewed && c.renewToken(token) {
				renewed = true
				continue
			}
			c.stopSending(failure)
			return nil, failure
		}
		if n >= most || !worthRetrying(failure, n) {
			return nil, failure
		}
		c.retries.Add(1)
		// After a 429 the shared budget makes all calls wait, this one included. After other failures only this call waits.
		if failure.Status != http.StatusTooManyRequests {
			if err := c.countWait(q.Op, ForNextTry, func() error { return c.waitBeforeStop(ctx, failure.retryDelay(n)) }); err != nil {
				if err = fmt.Errorf("%s: %w", q.Op, err); errors.Is(err, ErrBudget) {
					err = &spentError{err, last}
				}
				return nil, err
			}
		}
	}
}

// worthRetrying reports whether the same request may succeed. A well-formed answer that contradicts the document gets three
// attempts only: a proxy may have sent it.
func worthRetrying(e *Error, n int) bool {
	switch {
	case errors.Is(e.Err, errTooBig), errors.As(e.Err, new(*tls.CertificateVerificationError)):
		return false
	case e.Class == ClassTransient:
		return true
	}
	return e.Class == ClassContract && e.Status == http.StatusOK && n < 3
}

// retryDelay is the wait before attempt n+1: what the answer asked for, or backoff. The first time after an answer that broke, it
// is a quarter of that: unlike a status of 5xx, such an answer does not say that the server has too much to do.
func (e *Error) retryDelay(n int) time.Duration {
	switch {
	case e.retryAfter > 0:
		return e.retryAfter
	case n == 1 && e.answerBroke():
		return backoffDelay(n) / 4
	}
	return backoffDelay(n)
}

// answerBroke reports whether the connection was closed before the answer was whole, or the body is not JSON.
func (e *Error) answerBroke() bool {
	return slices.ContainsFunc([]error{io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, ErrNotJSON}, func(cause error) bool { return errors.Is(e.Err, cause) })
}

// sendAttempt sends attempt n of q when the budget allows. It returns an accepted answer; or a failure that the API or the
// network caused; or an error that ends the call: the context's, ErrBudget, or a stopped client.
func (c *Client) sendAttempt(ctx context.Context, q Call, n int) (*Answer, Secret, *Error, error) {
	if err := c.countWait(q.Op, ForRateLimit, func() error { return c.budget.waitTurn(ctx, c.o.Now, c.waitBeforeStop) }); err != nil {
		return nil, "", nil, fmt.Errorf("%s: %w", q.Op, err)
	}
	token, err := c.admitRequest(q.Op, n)
	if err != nil {
		return nil, "", nil, fmt.Errorf("%s: %w", q.Op, err)
	}
	sent := c.o.Now()
	a, err := c.sendOnce(ctx, q, token)
	if ctx.Err() != nil {
		return nil, "", nil, fmt.Errorf("%s: %w", q.Op, ctx.Err())
	}
	if errors.Is(err, ErrBudget) {
		return nil, "", nil, fmt.Errorf("%s: %w", q.Op, err)
	}
	if err == nil {
		c.observeAnswer(a)
	}
	failure := c.classifyResponse(q, a, err)
	if failure == nil {
		return a, token, nil, nil
	}
	failure.Op, failure.Method, failure.Path, failure.Attempts = q.Op, q.Method, q.Path, n
	switch {
	case failure.Status == http.StatusTooManyRequests:
		c.addCounts(q.Op, RequestCounts{Limited: 1})
		c.budget.applyRefusal(c.o.Now(), sent, failure.retryDelay(n))
	case failure.Status == 0 || failure.Status >= http.StatusInternalServerError:
		c.addCounts(q.Op, RequestCounts{Failed: 1})
	}
	return nil, token, failure, nil
}

// observeAnswer learns the server's clock and the rate limit from an answer.
func (c *Client) observeAnswer(a *Answer) {
	now := c.o.Now()
	server := now
	if !a.serverDate.IsZero() {
		server = a.serverDate
	}
	a.Date = c.observeDate(a.serverDate, now)
	if a.status < 400 {
		c.budget.learnQuota(a.head, now, server)
	}
}
