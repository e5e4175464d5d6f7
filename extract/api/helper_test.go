package api

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	stdlog "log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"aqueduck/schemas"
)

const day = 24 * time.Hour

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// noon is where the tests' clocks stand.
var noon = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)

// clock is a clock that only waiting moves.
type clock struct {
	mu  sync.Mutex // guards now
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Wait(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	return ctx.Err()
}

// asked is one request that a test's server got.
type asked struct {
	method, path, query, body, version, auth string
	header                                   http.Header
}

// fakeAPI is a server that answers as a test says.
type fakeAPI struct {
	*httptest.Server
	clock *clock
	skew  time.Duration // of the Date header
	mu    sync.Mutex    // guards got
	got   []asked
}

// serve answers every request by handle, with the clock's date unless handle sets another.
func serve(t testing.TB, handle func(w http.ResponseWriter, r *http.Request, body string)) *fakeAPI {
	t.Helper()
	a := &fakeAPI{clock: &clock{now: noon}}
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		a.mu.Lock()
		a.got = append(a.got, asked{r.Method, r.URL.EscapedPath(), r.URL.RawQuery, string(body), r.Header.Get("Service-Version"), r.Header.Get("Authorization"), r.Header})
		a.mu.Unlock()
		w.Header().Set("Date", a.clock.Now().Add(a.skew).Format(http.TimeFormat))
		handle(w, r, string(body))
	}))
	t.Cleanup(a.Close)
	return a
}

func (a *fakeAPI) asked() []asked {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]asked(nil), a.got...)
}

func (a *fakeAPI) client(t testing.TB, change ...func(*Options)) *Client {
	t.Helper()
	o := Options{BaseURL: a.URL, Token: "secret-token-of-the-tests", Version: "2.17", Now: a.clock.Now, Wait: a.clock.Wait}
	for _, f := range change {
		f(&o)
	}
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// answers gives one text after the other, the last one again and again.
func answers(texts ...string) func(http.ResponseWriter, *http.Request, string) {
	var mu sync.Mutex
	n := 0
	return func(w http.ResponseWriter, _ *http.Request, _ string) {
		mu.Lock()
		defer mu.Unlock()
		text := texts[min(n, len(texts)-1)]
		n++
		reply(w, text)
	}
}

// reply sends a body; one that begins with a status sends that too: "404 {…}".
func reply(w http.ResponseWriter, text string) {
	if status, body, ok := strings.Cut(text, " "); ok && len(status) == 3 && status[0] >= '2' && status[0] <= '5' {
		code := 0
		fmt.Sscan(status, &code)
		w.WriteHeader(code)
		text = body
	}
	_, _ = io.WriteString(w, text)
}

// sweepStream is the stream of the simplest list that there is.
func sweepStream() *schemas.Stream { return &schemas.Stream{Name: "deleted_contacts"} }

// look asks for the list of deleted contacts, and gives its first record.
func look(c *Client) ([]byte, error) { return askOnce(context.Background(), c) }

func askOnce(ctx context.Context, c *Client) ([]byte, error) {
	reply, err := c.Ask(ctx, Question{Stream: sweepStream(), Method: http.MethodGet, Path: "/contacts/deleted"})
	if err != nil {
		return nil, err
	}
	var list struct{ Data []json.RawMessage }
	if err := json.Unmarshal(reply.Body, &list); err != nil || len(list.Data) == 0 {
		return nil, err
	}
	return list.Data[0], nil
}

// quiet swallows what a test's server has to say.
func quiet() *stdlog.Logger { return stdlog.New(io.Discard, "", 0) }
