package api

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"

	"aqueduck/extract/internal/apitest"
)

func gzipParts(t testing.TB, parts ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, part := range parts {
		w := gzip.NewWriter(&b)
		if _, err := io.WriteString(w, part); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// Holds: F6.
func TestBodiesComeWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	const good = `{"data":[{"id":"1"}]}`
	whole := gzipParts(t, good)
	tests := map[string]struct {
		encoding, length string
		body             []byte
		class            Class // empty: it is accepted
	}{
		"plain":             {body: []byte(good)},
		"identity":          {encoding: "identity", body: []byte(good)},
		"gzip":              {encoding: "gzip", body: whole},
		"GZIP":              {encoding: "GZIP", body: whole},
		"gzip cut":          {encoding: "gzip", body: whole[:len(whole)-3], class: ClassTransient},
		"gzip cut early":    {encoding: "gzip", body: whole[:5], class: ClassTransient},
		"gzip checksum":     {encoding: "gzip", body: append(bytes.Clone(whole[:len(whole)-8]), 1, 2, 3, 4, 5, 6, 7, 8), class: ClassTransient},
		"gzip trailing":     {encoding: "gzip", body: append(bytes.Clone(whole), "<html>"...), class: ClassTransient},
		"gzip second":       {encoding: "gzip", body: gzipParts(t, good, " "), class: ClassTransient},
		"gzip that is none": {encoding: "gzip", body: []byte(good), class: ClassTransient},
		"gzip empty":        {encoding: "gzip", class: ClassTransient},
		"other encoding":    {encoding: "br", body: []byte(good), class: ClassTransient},
		"T120 short":        {length: "100", body: []byte(good), class: ClassTransient},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := serveAPI(t, func(w http.ResponseWriter, _ *http.Request, _ string) {
				if test.encoding != "" {
					w.Header().Set("Content-Encoding", test.encoding)
				}
				if test.length != "" {
					w.Header().Set("Content-Length", test.length)
				}
				_, _ = w.Write(test.body)
			})
			record, err := askFirst(a.newClient(t))
			if ClassOf(err) != test.class || (err == nil) != (test.class == "") || err == nil && string(record) != `{"id":"1"}` {
				t.Errorf("%s, %v", record, err)
			}
		})
	}
}

// Holds: S14.
func TestT130BombEndsAtTheCap(t *testing.T) {
	t.Parallel()
	bomb := gzipParts(t, `{"data":["`+strings.Repeat("0", 8<<20)+`"]}`)
	a := serveAPI(t, func(w http.ResponseWriter, _ *http.Request, _ string) {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(bomb)
	})
	c := a.newClient(t)
	c.limits.body = 1 << 20
	if _, err := askFirst(c); !errors.Is(err, errTooBig) || c.Requests() != 1 {
		t.Errorf("%v after %d requests", err, c.Requests())
	}
}

// The transport's limits use the machine's clock: they are short here.
// Holds: F7, S14.
func TestServersThatHangAreGivenUp(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		limits func(*requestLimits)
		answer func(w http.ResponseWriter, leave <-chan struct{})
		want   error
	}{
		"no answer": {
			limits: func(l *requestLimits) { l.header = 20 * time.Millisecond },
			answer: func(_ http.ResponseWriter, leave <-chan struct{}) { <-leave },
		},
		"stalled body": {
			limits: func(l *requestLimits) { l.stall = 20 * time.Millisecond },
			answer: func(w http.ResponseWriter, leave <-chan struct{}) {
				_, _ = io.WriteString(w, `{"data":[`)
				w.(http.Flusher).Flush()
				<-leave
			},
			want: errStalled,
		},
		"a byte at a time": {
			limits: func(l *requestLimits) { l.total = 50 * time.Millisecond },
			answer: func(w http.ResponseWriter, leave <-chan struct{}) {
				tick := time.NewTicker(2 * time.Millisecond)
				defer tick.Stop()
				for {
					select {
					case <-leave:
						return
					case <-tick.C:
						_, _ = io.WriteString(w, " ")
						w.(http.Flusher).Flush()
					}
				}
			},
			want: errTooSlow,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			leave := make(chan struct{})
			a := serveAPI(t, func(w http.ResponseWriter, _ *http.Request, _ string) { test.answer(w, leave) })
			defer close(leave)
			c := a.newClient(t)
			test.limits(&c.limits)
			c.http.Transport = newTransport(c.base, c.limits)
			_, err := askFirst(c)
			if ClassOf(err) != ClassTransient || test.want != nil && !errors.Is(err, test.want) || test.want == nil && !isTimeout(err) {
				t.Errorf("got %v", err)
			}
			c.Close()
		})
	}
}

// Holds: F6.
func TestConnectionsThatBreakAreTriedAgain(t *testing.T) {
	t.Parallel()
	n := 0
	a := serveAPI(t, func(w http.ResponseWriter, _ *http.Request, _ string) {
		if n++; n < 3 {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				_ = conn.(*net.TCPConn).SetLinger(0) // a reset instead of an end
				_ = conn.Close()
			}
			return
		}
		apitest.Reply(w, `{"data":[]}`)
	})
	if _, err := askFirst(a.newClient(t)); err != nil {
		t.Error(err)
	}
	a.Close()
	if _, err := askFirst(a.newClient(t)); ClassOf(err) != ClassTransient {
		t.Errorf("nobody there: %v", err)
	}
}

// Holds: S13.
func TestProxiesOfTheEnvironmentAreIgnored(t *testing.T) {
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:1")
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	a := serveAPI(t, apitest.AnswerWith(`{"data":[]}`))
	c := a.newClient(t)
	if c.http.Transport.(onlyReads).Proxy != nil {
		t.Error("the transport asks for a proxy")
	}
	if _, err := askFirst(c); err != nil {
		t.Error(err)
	}
}

func TestCancelledWaitEndsARequest(t *testing.T) {
	t.Parallel()
	a := serveAPI(t, apitest.AnswerWith("503 "))
	ctx, cancel := context.WithCancel(context.Background())
	c := a.newClient(t, func(o *Options) {
		o.Wait = func(ctx context.Context, _ time.Duration) error { cancel(); return ctx.Err() }
	})
	_, err := askOnce(ctx, c)
	if !errors.Is(err, context.Canceled) || c.Requests() != 1 {
		t.Errorf("%v after %d requests", err, c.Requests())
	}
}

func TestSleepEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := sleepContext(ctx, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if err := sleepContext(context.Background(), 0); err != nil {
		t.Errorf("got %v", err)
	}
}
