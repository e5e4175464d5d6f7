// Package apitest is an API that answers as a test says, with a clock that only waiting moves.
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

// Noon is where the tests' clocks begin.
var Noon = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)

// Clock is a clock that only waiting moves.
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

// Now is where the clock stands.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

// Wait moves the clock, and takes no time.
func (c *Clock) Wait(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
	return ctx.Err()
}

// RecordedRequest is one request that a server got.
type RecordedRequest struct {
	Method, Path, Query, Body, Version, Auth string
	Header                                   http.Header
}

// Server answers every request as a test says.
type Server struct {
	*httptest.Server
	Clock *Clock
	Skew  time.Duration // of the Date header, from the clock
	mu    sync.Mutex    // guards got
	got   []RecordedRequest
}

// Serve answers every request by handle, with the clock's date unless handle sets another.
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

// Requests are the requests that it got, in their order.
func (s *Server) Requests() []RecordedRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]RecordedRequest(nil), s.got...)
}

// AnswerWith gives one text after the other, the last one again and again.
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

// Reply sends a body; one that begins with a status sends that too: "404 {…}".
func Reply(w http.ResponseWriter, text string) {
	if status, body, ok := strings.Cut(text, " "); ok && len(status) == 3 && status[0] >= '2' && status[0] <= '5' {
		code := 0
		fmt.Sscan(status, &code)
		w.WriteHeader(code)
		text = body
	}
	_, _ = io.WriteString(w, text)
}
