package extract

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"aqueduck/extract/api"
	"aqueduck/extract/internal/apitest"
	"aqueduck/schemas"
)

const (
	goesOn = "goes on"
	ends   = "ends"
)

// list1 and list0 are pages of one record and of none.
func list1(rest string) string { return `{"type":"list","data":[{"id":"1"}]` + rest + `}` }

func list0(rest string) string { return `{"type":"list","data":[]` + rest + `}` }

// listEnd is a page, and what is to be done after it by each way of paging: go on, end, or words of the error.
type listEnd struct {
	name, page                   string
	cursor, number, none, nested string
}

var listEnds = []listEnd{
	{"next null", list1(`,"pages":{"next":null}`), ends, ends, ends, ends},
	{"next null and more by count", list1(`,"total_count":9,"pages":{"next":null,"page":1,"total_pages":3}`), ends, goesOn, ends, goesOn},
	{"empty page, no next", list0(``), ends, ends, ends, ends},
	{"empty page, pages {}", list0(`,"pages":{}`), ends, ends, ends, ends},
	{"empty page with a cursor", list0(`,"pages":{"next":{"starting_after":"x"}}`), goesOn, goesOn, "by: none", goesOn},
	{"empty page, total above", list0(`,"total_count":9,"pages":{}`), ends, ends, ends, ends},
	{"count reached", list1(`,"total_count":1`), ends, ends, ends, ends},
	{"count reached, as text", list1(`,"total_count":"1","pages":{}`), ends, ends, ends, ends},
	{"count not reached", list1(`,"total_count":2,"pages":{}`), "no `pages.next`", goesOn, "by its own count", goesOn},
	{"a next although the count is reached", list1(`,"total_count":1,"pages":{"next":{"page":2,"starting_after":"x"}}`), goesOn, goesOn, "by: none", goesOn},
	{"count null", list1(`,"total_count":null`), "no `pages.next`", goesOn, ends, ends},
	{"pages missing", list1(``), "no `pages.next`", goesOn, ends, ends},
	{"pages null", list1(`,"pages":null`), "no `pages.next`", goesOn, ends, ends},
	{"pages {}", list1(`,"pages":{}`), "no `pages.next`", goesOn, ends, ends},
	{"last page", list1(`,"pages":{"page":1,"per_page":150,"total_pages":1}`), ends, ends, ends, ends},
	{"last page, as text", list1(`,"pages":{"page":"1","per_page":"150","total_pages":"1"}`), ends, ends, ends, ends},
	{"last page, and more by count", list1(`,"total_count":9,"pages":{"page":1,"per_page":150,"total_pages":1}`), "no `pages.next`", goesOn, "by its own count", goesOn},
	{"last page, flat", list1(`,"page":1,"per_page":150,"total_pages":1`), ends, ends, ends, ends},
	{"first of two, flat", list1(`,"page":1,"per_page":150,"total_pages":2`), "no `pages.next`", goesOn, "by its own count", goesOn},
	{"no pages in total", list1(`,"pages":{"page":1,"total_pages":0}`), "no `pages.next`", goesOn, ends, ends},
	{"next with both", list1(`,"pages":{"next":{"page":2,"starting_after":"x"}}`), goesOn, goesOn, "by: none", goesOn},
	{"next with a cursor", list1(`,"pages":{"next":{"starting_after":"x"}}`), goesOn, goesOn, "by: none", goesOn},
	{"next with a number as cursor", list1(`,"pages":{"next":{"starting_after":42}}`), goesOn, goesOn, "by: none", goesOn},
	{"next with a page", list1(`,"pages":{"next":{"page":2}}`), "no cursor", goesOn, "by: none", goesOn},
	{"next with a page as text", list1(`,"pages":{"next":{"page":"2"}}`), "no cursor", goesOn, "by: none", goesOn},
	{"next {}", list1(`,"pages":{"next":{}}`), "neither", "neither", "neither", "neither"},
	{"next with an empty cursor", list1(`,"pages":{"next":{"page":2,"starting_after":""}}`), "empty text", "empty text", "empty text", "empty text"},
	{"next with a null cursor", list1(`,"pages":{"next":{"page":2,"starting_after":null}}`), "no cursor", goesOn, "by: none", goesOn},
	{"next empty text", list1(`,"pages":{"next":""}`), "empty text", "empty text", "empty text", "empty text"},
	{"next a number", list1(`,"pages":{"next":2}`), "is number", "is number", "is number", "is number"},
	{"next false", list1(`,"pages":{"next":false}`), "is bool", "is bool", "is bool", "is bool"},
	{"next a list", list1(`,"pages":{"next":[]}`), "is array", "is array", "is array", "is array"},
	{"pages a text", list1(`,"pages":"2"`), "is string", "is string", "is string", "is string"},
	{"next a URL", list1(`,"pages":{"next":"{base}/things?page=2&per_page=150"}`), goesOn, goesOn, goesOn, goesOn},
	{"next a URL with a cursor", list1(`,"pages":{"next":"{base}/things?starting_after=x%2By"}`), goesOn, goesOn, goesOn, goesOn},
	{"next a relative URL", list1(`,"pages":{"next":"/things?page=2"}`), goesOn, goesOn, goesOn, goesOn},
	{"next a query", list1(`,"pages":{"next":"?page=2"}`), goesOn, goesOn, goesOn, goesOn},
	{"next a URL without a place", list1(`,"pages":{"next":"{base}/things?per_page=5"}`), "neither", "neither", "neither", "neither"},
	{"next at another host", list1(`,"pages":{"next":"https://evil.example/things?page=2"}`), "another host", "another host", "another host", "another host"},
	{"next at no scheme's host", list1(`,"pages":{"next":"//evil.example/things?page=2"}`), "another host", "another host", "another host", "another host"},
	{"next with a password", list1(`,"pages":{"next":"http://a:b@{host}/things?page=2"}`), "another host", "another host", "another host", "another host"},
	{"next in another list", list1(`,"pages":{"next":"{base}/others?page=2"}`), "another list", "another list", "another list", "another list"},
	{"next no URL", list1(`,"pages":{"next":"http://[::1"}`), "no URL", "no URL", "no URL", "no URL"},
}

// TestT14T16ListEndsOfEveryShape holds every way a page may say, or not say, where its list goes on against what must be
// done.
// Holds: T17, T165, S12.
func TestT14T16ListEndsOfEveryShape(t *testing.T) {
	t.Parallel()
	for _, test := range listEnds {
		for by, want := range map[string]string{"cursor": test.cursor, "number": test.number, "none": test.none, "nested": test.nested} {
			t.Run(test.name+"/"+by, func(t *testing.T) {
				t.Parallel()
				n := 0
				a := serve(t, nil)
				a.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if n++; r.URL.Query().Has("page") && r.URL.Query().Get("page") != "1" || r.URL.Query().Has("starting_after") {
						apitest.Reply(w, `{"data":[{"id":"2"}],"pages":{"next":null}}`)
						return
					}
					apitest.Reply(w, strings.NewReplacer("{base}", a.URL, "{host}", strings.TrimPrefix(a.URL, "http://")).Replace(test.page))
				})
				s := sweepStream()
				s.Read.Path, s.Read.Page = "/things", schemas.Page{By: by, In: "query", Size: 150}
				ids, _, err := drained(NewReader(a.client(t), Request{Stream: s}))
				switch want {
				case goesOn:
					if err != nil || !slices.Contains(ids, "2") {
						t.Errorf("read %v, %v; want it to go on", ids, err)
					}
				case ends:
					if err != nil || slices.Contains(ids, "2") {
						t.Errorf("read %v, %v; want it to end", ids, err)
					}
				default:
					if api.ClassOf(err) != api.ClassContract || !strings.Contains(err.Error(), want) {
						t.Errorf("got %v, want an error with %q", err, want)
					}
				}
			})
		}
	}
}

// TestPlacesAreAskedForWhereTheStreamSays holds each way of paging against the requests that it makes.
func TestPlacesAreAskedForWhereTheStreamSays(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, method string
		page         schemas.Page
		next         string
		query, body  string // of the second request
	}{
		{"number in query", "GET", schemas.Page{By: "number", In: "query", Size: 60}, `{"page":2}`, "page=2&per_page=60&x=1", ""},
		{"number in query of a POST", "POST", schemas.Page{By: "number", In: "query", Size: 60}, `{"page":2}`, "page=2&per_page=60&x=1", "{}"},
		{"number in body", "POST", schemas.Page{By: "number", In: "body", Size: 60}, `{"page":2}`, "x=1", `{"pagination":{"page":2,"per_page":60}}`},
		{"cursor in query", "GET", schemas.Page{By: "cursor", In: "query", Size: 20}, `{"page":2,"starting_after":"a+b/c"}`, "per_page=20&starting_after=a%2Bb%2Fc&x=1", ""},
		{"cursor in body", "POST", schemas.Page{By: "cursor", In: "body", Size: 20}, `{"page":2,"starting_after":"a\"b"}`, "x=1", `{"pagination":{"per_page":20,"starting_after":"a\"b"}}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			a := serve(t, apitest.Answers(`{"data":[{"id":"1"}],"pages":{"next":`+test.next+`}}`, `{"data":[{"id":"2"}],"pages":{"next":null}}`))
			s := sweepStream()
			s.Read.Method, s.Read.Path, s.Read.Page, s.Read.Query = test.method, "/things/list", test.page, []schemas.Param{paramX}
			drain(t, NewReader(a.client(t), Request{Stream: s}))
			got := a.Asked()[1]
			if got.Query != test.query || got.Body != test.body {
				t.Errorf("asked ?%s with %s\nwant ?%s with %s", got.Query, got.Body, test.query, test.body)
			}
		})
	}
}

func TestT30PagesBeginAtOneAndNoSizeIsAskedForAsZero(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1} {
		a := serve(t, apitest.Answers(`{"data":[]}`))
		s := sweepStream()
		s.Read.Page.Size = size
		drain(t, NewReader(a.client(t), Request{Stream: s}))
		want := map[int]string{0: "page=1", 1: "page=1&per_page=1"}[size]
		if got := a.Asked()[0].Query; got != want {
			t.Errorf("size %d: asked ?%s, want ?%s", size, got, want)
		}
	}
}

func TestEmptyPagesWithoutEndStop(t *testing.T) {
	t.Parallel()
	n := 0
	a := serve(t, func(w http.ResponseWriter, _ *http.Request, _ string) {
		n++
		apitest.Reply(w, envelopeOf(nil, 5, map[string]any{"starting_after": strconv.Itoa(n)}))
	})
	_, _, err := drained(NewReader(a.client(t), Request{Stream: searchStream(), State: State{SyncedTo: mark}}))
	if api.ClassOf(err) != api.ClassSource || n != emptyPages {
		t.Errorf("got %v after %d requests", err, n)
	}
}

func TestListThatPaysNoHeedToThePageStops(t *testing.T) {
	t.Parallel()
	a := serve(t, apitest.Answers(`{"data":[{"id":"1"}],"total_count":9}`))
	ids, _, err := drained(NewReader(a.client(t), Request{Stream: sweepStream()}))
	if api.ClassOf(err) != api.ClassSource || len(ids) != 1 {
		t.Errorf("got %v and %v", ids, err)
	}
}

// numbered is a list by number of n records, 1 to n, that fails as fail says.
func numbered(n int, fail func(from, size int) bool) func(http.ResponseWriter, *http.Request, string) {
	return func(w http.ResponseWriter, r *http.Request, _ string) {
		q, _ := url.ParseQuery(r.URL.RawQuery)
		page, _ := strconv.Atoi(q.Get("page"))
		size, _ := strconv.Atoi(q.Get("per_page"))
		from := (page - 1) * size
		if fail(from, size) {
			apitest.Reply(w, `504 <html>timeout</html>`)
			return
		}
		var records []string
		for i := from; i < min(from+size, n); i++ {
			records = append(records, fmt.Sprintf(`{"id":"%d"}`, i))
		}
		pages, _ := json.Marshal(map[string]int{"page": page, "per_page": size, "total_pages": (n + size - 1) / size})
		apitest.Reply(w, fmt.Sprintf(`{"data":[%s],"total_count":%d,"pages":%s}`, strings.Join(records, ","), n, pages))
	}
}

func TestT20PageThatKeepsFailingIsAskedForInHalves(t *testing.T) {
	t.Parallel()
	sizes := map[int]int{}
	a := serve(t, numbered(5000, func(from, size int) bool {
		sizes[size]++
		return size > 7 && from <= 1000 && 1000 < from+size // one record in there is too much for larger pages
	}))
	c := a.client(t)
	ids, pages := drain(t, NewReader(c, Request{Stream: sweepStream()}))
	if got := len(distinct(ids)); got != 5000 {
		t.Errorf("%d of 5000 records", got)
	}
	// 150, 75, 37, 18, 9 fail, 4 does not; ten good pages each later it has grown back.
	if sizes[150] < 20 || sizes[4] == 0 || sizes[2] != 0 {
		t.Errorf("page sizes asked for: %v", sizes)
	}
	if c.Requests() > 200 || !last(pages).Sweep.Steady && last(pages).Sweep.Rows < 5000 {
		t.Errorf("%d requests, sweep %+v", c.Requests(), last(pages).Sweep)
	}
}

func TestT20PageThatFailsAtEverySizeFails(t *testing.T) {
	t.Parallel()
	a := serve(t, numbered(500, func(from, size int) bool { return from <= 200 && 200 < from+size }))
	c := a.client(t)
	ids, pages, err := drained(NewReader(c, Request{Stream: sweepStream()}))
	if api.ClassOf(err) != api.ClassTransient || len(distinct(ids)) != 200 || c.Requests() > 60 {
		t.Errorf("%d records, %v after %d requests", len(distinct(ids)), err, c.Requests())
	}
	// The next run goes on where this one stopped, in small steps.
	if p := last(pages).Position; p == nil || (p.Page-1)*int64(p.Size) != 200 {
		t.Errorf("position %+v", p)
	}
}

func TestT20HalvedCursorPagesLoseNothing(t *testing.T) {
	t.Parallel()
	ws := newWorkspace(t, minutesOf(300)...)
	ws.life = 0
	serveAll := ws.Config.Handler
	ws.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := make([]byte, r.ContentLength)
		_, _ = r.Body.Read(body)
		if strings.Contains(string(body), `|c099"`) && strings.Contains(string(body), `"per_page":50`) {
			apitest.Reply(w, `503 busy`)
			return
		}
		r.Body = http.NoBody
		r2 := r.Clone(r.Context())
		r2.Body = readCloser{strings.NewReader(string(body))}
		serveAll.ServeHTTP(w, r2)
	})
	s := searchStream()
	s.Read.Page.Size = 50
	ids, _ := drain(t, NewReader(ws.client(t), Request{Stream: s, State: State{SyncedTo: at(11 * hour), HistoryDone: true}}))
	if !slices.Equal(distinct(ids), ws.ids()) {
		t.Errorf("%d of 300 records", len(distinct(ids)))
	}
}

func TestServersSmallerPagesAreCountedInItsSize(t *testing.T) {
	t.Parallel()
	a := serve(t, func(w http.ResponseWriter, r *http.Request, body string) {
		q := r.URL.Query()
		q.Set("per_page", "25") // whatever was asked for
		r.URL.RawQuery = q.Encode()
		numbered(90, func(int, int) bool { return false })(w, r, body)
	})
	ids, pages := drain(t, NewReader(a.client(t), Request{Stream: sweepStream()}))
	if len(ids) != 90 || len(pages) != 4 || !last(pages).Sweep.Steady {
		t.Errorf("%d records on %d pages, sweep %+v", len(ids), len(pages), last(pages).Sweep)
	}
}

type readCloser struct{ *strings.Reader }

func (readCloser) Close() error { return nil }
