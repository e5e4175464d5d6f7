package extract

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"aqueduck/extract/api"
	"aqueduck/extract/internal/scan"
	"aqueduck/schemas"
)

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

func (a *fakeAPI) client(t testing.TB, change ...func(*api.Options)) *api.Client {
	t.Helper()
	o := api.Options{BaseURL: a.URL, Token: "secret-token-of-the-tests", Version: "2.17", Now: a.clock.Now, Wait: a.clock.Wait}
	for _, f := range change {
		f(&o)
	}
	c, err := api.New(o)
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

const (
	errClient   = `400 {"type":"error.list","request_id":"r1","errors":[{"code":"client_error","message":"bad cursor"}]}`
	errNotFound = `404 {"type":"error.list","request_id":"r1","errors":[{"code":"not_found","message":"none"}]}`
)

var paramX = schemas.Param{Name: "x", Value: "1"}

func searchStream() *schemas.Stream {
	return &schemas.Stream{
		Name: "contacts", Table: "contacts", Key: []string{"id"},
		Columns: []schemas.Column{{Name: "id", From: []string{"id"}}},
		Read: schemas.Read{
			Method: "POST", Path: "/contacts/search", Records: []string{"data"},
			Page:  schemas.Page{By: "cursor", In: "body", Size: 150},
			Since: schemas.Since{By: "search", Field: "updated_at", Lag: 15 * time.Minute, Overlap: 48 * time.Hour},
		},
	}
}

func sweepStream() *schemas.Stream {
	return &schemas.Stream{
		Name: "deleted_contacts", Key: []string{"id"},
		Columns: []schemas.Column{{Name: "id", From: []string{"id"}}},
		Read: schemas.Read{
			Method: "GET", Path: "/contacts/deleted", Records: []string{"data"},
			Page: schemas.Page{By: "number", In: "query", Size: 150}, Since: schemas.Since{By: "full"},
		},
	}
}

func feedStream() *schemas.Stream {
	return &schemas.Stream{
		Name: "contact_activities", Key: []string{"id"},
		Columns: []schemas.Column{{Name: "id", From: []string{"id"}}},
		Read: schemas.Read{
			Method: "GET", Path: "/contacts/activities", Records: []string{"data"},
			Page: schemas.Page{By: "cursor", In: "query", Size: 150}, Since: schemas.Since{By: "bookmark"},
		},
	}
}

func overStream() *schemas.Stream {
	return &schemas.Stream{
		Name: "contacts_by_id", Key: []string{"id"},
		Read: schemas.Read{
			Method: "GET", Path: "/contacts/{id}", Page: schemas.Page{By: "none"},
			Since: schemas.Since{By: "full"}, Over: &schemas.Over{View: "contacts_to_read"},
		},
	}
}

// drain reads to the end of a phase.
func drain(t testing.TB, r *Reader) (ids []string, pages []Page) {
	t.Helper()
	ids, pages, err := drained(r)
	if err != nil {
		t.Fatal(err)
	}
	return ids, pages
}

func drained(r *Reader) (ids []string, pages []Page, err error) {
	for range 10_000 {
		p, err := r.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return ids, pages, nil
		}
		if err != nil {
			return ids, pages, err
		}
		pages = append(pages, p)
		for _, rec := range p.Records {
			id, _ := scan.Text(scan.Field(rec.Raw, "id"))
			if rec.Gone {
				id = "gone:" + rec.Over
			}
			ids = append(ids, id)
		}
	}
	return ids, pages, errors.New("10,000 pages and no end")
}

func last(pages []Page) State { return pages[len(pages)-1].State }

// record is a contact's JSON.
func record(id string, updatedAt int64) string {
	return fmt.Sprintf(`{"type":"contact","id":%q,"updated_at":%d}`, id, updatedAt)
}

// envelopeOf is a list's page.
func envelopeOf(records []string, total int, next any) string {
	pages, err := json.Marshal(map[string]any{"type": "pages", "next": next})
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf(`{"type":"list","data":[%s],"total_count":%d,"pages":%s}`, strings.Join(records, ","), total, pages)
}

// mustURL is the address of a page.
func mustURL(page, size int) *url.URL {
	return &url.URL{RawQuery: fmt.Sprintf("page=%d&per_page=%d", page, size)}
}
