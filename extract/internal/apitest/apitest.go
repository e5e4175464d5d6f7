// Package apitest is an HTTP server whose answers a test sets, with a clock that only waiting moves.
package apitest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// Noon is the time at which the tests' clocks begin.
var Noon = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)

// Clock is a clock that only Set and Wait move.
type Clock struct {
	mu sync.Mutex // guards at
	at time.Time
}

// NewClock returns a clock that stands at noon.
func NewClock() *Clock { return &Clock{at: Noon} }

// Set moves the clock to a time.
func (c *Clock) Set(to time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = to
}

// Now is the clock's time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

// Wait moves the clock forward by d and returns at once, with ctx's error.
func (c *Clock) Wait(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
	return ctx.Err()
}

// RecordedRequest is one request that a Server received.
type RecordedRequest struct {
	Method, Path, Query, Body, Version, Auth string
	Header                                   http.Header
}

// Server records every request and answers as its test says.
type Server struct {
	*httptest.Server
	Clock *Clock
	Skew  time.Duration // of the Date header, relative to Clock
	mu    sync.Mutex    // guards got
	got   []RecordedRequest
}

// Serve starts a Server that answers by handle, with the clock's time as Date unless handle sets another. The test's end closes
// it.
func Serve(t testing.TB, handle func(w http.ResponseWriter, r *http.Request, body string)) *Server {
	t.Helper()
	s := &Server{Clock: NewClock()}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		s.mu.Lock()
		s.got = append(s.got, RecordedRequest{r.Method, r.URL.EscapedPath(), r.URL.RawQuery, string(body), r.Header.Get("Service-Version"), r.Header.Get("Authorization"), r.Header})
		s.mu.Unlock()
		w.Header().Set("Date", s.Clock.Now().Add(s.Skew).Format(http.TimeFormat))
		handle(w, r, string(body))
	}))
	t.Cleanup(s.Close)
	return s
}

// Requests are the requests received so far, in order.
func (s *Server) Requests() []RecordedRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]RecordedRequest(nil), s.got...)
}

// AnswerWith answers with one text after the other, and repeats the last one.
func AnswerWith(texts ...string) func(http.ResponseWriter, *http.Request, string) {
	var mu sync.Mutex
	n := 0
	return func(w http.ResponseWriter, _ *http.Request, _ string) {
		mu.Lock()
		defer mu.Unlock()
		text := texts[min(n, len(texts)-1)]
		n++
		Reply(w, text)
	}
}

// Reply sends a body. A text that begins with a status sends that status: "404 {…}".
func Reply(w http.ResponseWriter, text string) {
	if status, body, ok := strings.Cut(text, " "); ok && len(status) == 3 && status[0] >= '2' && status[0] <= '5' {
		code := 0
		fmt.Sscan(status, &code)
		w.WriteHeader(code)
		text = body
	}
	_, _ = io.WriteString(w, text)
}
