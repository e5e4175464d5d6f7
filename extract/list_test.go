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

// oneRecordPage and list0 are pages of one record and of none.
func oneRecordPage(rest string) string { return `{"type":"list","data":[{"id":"1"}]` + rest + `}` }

func emptyListPage(rest string) string { return `{"type":"list","data":[]` + rest + `}` }

// listEnd is a page, and what each way of paging must do after it: continue, end, or fail with these words.
type listEnd struct {
	name, page                   string
	cursor, number, none, nested string
}

var listEnds = []listEnd{
	{"next null", oneRecordPage(`,"pages":{"next":null}`), ends, ends, ends, ends},
	{"next null and more by count", oneRecordPage(`,"total_count":9,"pages":{"next":null,"page":1,"total_pages":3}`), ends, goesOn, "has 1 of 9 records (total_count)", goesOn},
	{"empty page, no next", emptyListPage(``), ends, ends, ends, ends},
	{"empty page, pages {}", emptyListPage(`,"pages":{}`), ends, ends, ends, ends},
	{"empty page with a cursor", emptyListPage(`,"pages":{"next":{"starting_after":"x"}}`), goesOn, goesOn, "by: none", goesOn},
	{"empty page, total above", emptyListPage(`,"total_count":9,"pages":{}`), ends, ends, "has 0 of 9 records", ends},
	{"count reached", oneRecordPage(`,"total_count":1`), ends, ends, ends, ends},
	{"count reached, as text", oneRecordPage(`,"total_count":"1","pages":{}`), ends, ends, ends, ends},
	{"count not reached", oneRecordPage(`,"total_count":2,"pages":{}`), "no `pages.next`", goesOn, "by: none", goesOn},
	{"a next although the count is reached", oneRecordPage(`,"total_count":1,"pages":{"next":{"page":2,"starting_after":"x"}}`), goesOn, goesOn, "by: none", goesOn},
	{"count null", oneRecordPage(`,"total_count":null`), "no `pages.next`", goesOn, ends, ends},
	{"pages missing", oneRecordPage(``), "no `pages.next`", goesOn, ends, ends},
	{"pages null", oneRecordPage(`,"pages":null`), "no `pages.next`", goesOn, ends, ends},
	{"pages {}", oneRecordPage(`,"pages":{}`), "no `pages.next`", goesOn, ends, ends},
	{"last page", oneRecordPage(`,"pages":{"page":1,"per_page":150,"total_pages":1}`), ends, ends, ends, ends},
	{"last page, as text", oneRecordPage(`,"pages":{"page":"1","per_page":"150","total_pages":"1"}`), ends, ends, ends, ends},
	{"last page, and more by count", oneRecordPage(`,"total_count":9,"pages":{"page":1,"per_page":150,"total_pages":1}`), "no `pages.next`", goesOn, "by: none", goesOn},
	{"last page, flat", oneRecordPage(`,"page":1,"per_page":150,"total_pages":1`), ends, ends, ends, ends},
	{"first of two, flat", oneRecordPage(`,"page":1,"per_page":150,"total_pages":2`), "no `pages.next`", goesOn, "by: none", goesOn},
	{"no pages in total", oneRecordPage(`,"pages":{"page":1,"total_pages":0}`), "no `pages.next`", goesOn, ends, ends},
	{"next with both", oneRecordPage(`,"pages":{"next":{"page":2,"starting_after":"x"}}`), goesOn, goesOn, "by: none", goesOn},
	{"next with a cursor", oneRecordPage(`,"pages":{"next":{"starting_after":"x"}}`), goesOn, goesOn, "by: none", goesOn},
	{"next with a number as cursor", oneRecordPage(`,"pages":{"next":{"starting_after":42}}`), goesOn, goesOn, "by: none", goesOn},
	{"next with a page", oneRecordPage(`,"pages":{"next":{"page":2}}`), "no cursor", goesOn, "by: none", goesOn},
	{"next with a page as text", oneRecordPage(`,"pages":{"next":{"page":"2"}}`), "no cursor", goesOn, "by: none", goesOn},
	{"next {}", oneRecordPage(`,"pages":{"next":{}}`), "neither", "neither", "neither", "neither"},
	{"next with an empty cursor", oneRecordPage(`,"pages":{"next":{"page":2,"starting_after":""}}`), "empty text", "empty text", "empty text", "empty text"},
	{"next with a null cursor", oneRecordPage(`,"pages":{"next":{"page":2,"starting_after":null}}`), "no cursor", goesOn, "by: none", goesOn},
	{"next empty text", oneRecordPage(`,"pages":{"next":""}`), "empty text", "empty text", "empty text", "empty text"},
	{"next a number", oneRecordPage(`,"pages":{"next":2}`), "is number", "is number", "is number", "is number"},
	{"next false", oneRecordPage(`,"pages":{"next":false}`), "is bool", "is bool", "is bool", "is bool"},
	{"next a list", oneRecordPage(`,"pages":{"next":[]}`), "is array", "is array", "is array", "is array"},
	{"pages a text", oneRecordPage(`,"pages":"2"`), "is string", "is string", "is string", "is string"},
	{"next a URL", oneRecordPage(`,"pages":{"next":"{base}/things?page=2&per_page=150"}`), goesOn, goesOn, goesOn, goesOn},
	{"next a URL with a cursor", oneRecordPage(`,"pages":{"next":"{base}/things?starting_after=x%2By"}`), goesOn, goesOn, goesOn, goesOn},
	{"next a relative URL", oneRecordPage(`,"pages":{"next":"/things?page=2"}`), goesOn, goesOn, goesOn, goesOn},
	{"next a query", oneRecordPage(`,"pages":{"next":"?page=2"}`), goesOn, goesOn, goesOn, goesOn},
	{"next a URL without a place", oneRecordPage(`,"pages":{"next":"{base}/things?per_page=5"}`), "neither", "neither", "neither", "neither"},
	{"next at another host", oneRecordPage(`,"pages":{"next":"https://evil.example/things?page=2"}`), "another host", "another host", "another host", "another host"},
	{"next at no scheme's host", oneRecordPage(`,"pages":{"next":"//evil.example/things?page=2"}`), "another host", "another host", "another host", "another host"},
	{"next with a password", oneRecordPage(`,"pages":{"next":"http://a:b@{host}/things?page=2"}`), "another host", "another host", "another host", "another host"},
	{"next in another list", oneRecordPage(`,"pages":{"next":"{base}/others?page=2"}`), "another list", "another list", "another list", "another list"},
	{"count in another word", oneRecordPage(`,"count":250`), "the answer has 1 of 250 records (count)", goesOn, "has 1 of 250 records (count)", ends},
	{"count of the page", oneRecordPage(`,"count":1`), "no `pages.next`", goesOn, ends, ends},
	{"count in an object", oneRecordPage(`,"meta":{"pagination":{"totalItems":"9"}}`), "(meta.pagination.totalItems)", goesOn, "of 9 records (meta.pagination.totalItems)", ends},
	{"count of something else", oneRecordPage(`,"summary":{"count":9},"facets":{"next":"x"},"total":null,"offset":0`), "no `pages.next`", goesOn, ends, ends},
	{"words in a record", `{"data":[{"id":"1","count":9,"next":"x","has_more":true,"cursor":"x"}]}`, "no `pages.next`", goesOn, ends, ends},
	{"pages in another word", oneRecordPage(`,"page":{"number":0,"totalPages":3}`), "(page.totalPages)", goesOn, "one of several pages (page.totalPages)", ends},
	{"next beside the list", oneRecordPage(`,"count":2,"next":"{base}/things?page=2","previous":null`), goesOn, goesOn, "names a next page (next)", ends},
	{"next null beside the list", oneRecordPage(`,"count":1,"next":null,"previous":null`), ends, ends, ends, ends},
	{"next with an offset", oneRecordPage(`,"next":"{base}/things?offset=50"`), "the answer names a next page (next)", "the answer names a next page (next)", "names a next page (next)", ends},
	{"next cursor", oneRecordPage(`,"next_cursor":"50"`), "the answer names a next page (next_cursor)", goesOn, "(next_cursor)", ends},
	{"no next cursor", oneRecordPage(`,"next_cursor":null,"has_more":false`), "no `pages.next`", goesOn, ends, ends},
	{"next page token", oneRecordPage(`,"nextPageToken":"x"`), "(nextPageToken)", goesOn, "(nextPageToken)", ends},
	{"odata", oneRecordPage(`,"@odata.count":9,"@odata.nextLink":"x"`), "(@odata.nextLink)", goesOn, "(@odata.nextLink)", ends},
	{"next in links", oneRecordPage(`,"_links":{"self":{"href":"/things"},"next":{"href":"/things?offset=1"}}`), "(_links.next)", goesOn, "(_links.next)", ends},
	{"next in a list of links", oneRecordPage(`,"links":[{"rel":"self","href":"/x"},{"rel":"next","href":"/y"}]`), "(links)", goesOn, "(links)", ends},
	{"no next in links", oneRecordPage(`,"_links":{"self":{"href":"/things"},"next":{"href":null}},"links":[{"rel":"prev","href":"/y"}]`), "no `pages.next`", goesOn, ends, ends},
	{"has more", oneRecordPage(`,"has_more":true`), "(has_more)", goesOn, "(has_more)", ends},
	{"has no more", oneRecordPage(`,"hasMore":false,"cursor":"x"`), "no `pages.next`", goesOn, ends, ends},
	{"page info", oneRecordPage(`,"pageInfo":{"hasNextPage":true,"endCursor":"x"}`), "(pageInfo.hasNextPage)", goesOn, "(pageInfo.hasNextPage)", ends},
	{"last page info", oneRecordPage(`,"pageInfo":{"hasNextPage":false,"endCursor":"x"}`), "no `pages.next`", goesOn, ends, ends},
	{"cursor alone", oneRecordPage(`,"scroll_param":"x"`), "the answer has a cursor (scroll_param)", goesOn, "has a cursor (scroll_param)", ends},
	{"offset as text", oneRecordPage(`,"offset":"itr1/rec2"`), "(offset)", goesOn, "(offset)", ends},
	{"cursor in pages", oneRecordPage(`,"pages":{"type":"pages","next_cursor":"x"}`), "(pages.next_cursor)", goesOn, "(pages.next_cursor)", ends},
	{"header Link", oneRecordPage(``) + `LINK`, "(the header Link, rel=\"next\")", goesOn, "(the header Link, rel=\"next\")", ends},
	{"not the last page", oneRecordPage(`,"isLastPage":false,"nextPageStart":50`), "the answer names a next page (nextPageStart)", goesOn, "(nextPageStart)", ends},
	{"not the last one", oneRecordPage(`,"isLast":false,"startAt":0`), "the answer names a next page (isLast)", goesOn, "(isLast)", ends},
	{"the last page", oneRecordPage(`,"isLastPage":true,"nextPageStart":null,"cursor":"x"`), "no `pages.next`", goesOn, ends, ends},
	{"a number of the last page", oneRecordPage(`,"meta":{"last_page":9}`), "(meta.last_page)", goesOn, "(meta.last_page)", ends},
	{"records found", oneRecordPage(`,"found":450`), "the answer has 1 of 450 records (found)", goesOn, "has 1 of 450 records (found)", ends},
	{"size and limit", oneRecordPage(`,"size":450,"offset":0,"limit":50`), "no `pages.next`", goesOn, ends, ends},
	{"header of the next page", oneRecordPage(``) + `X-Next-Page`, "(the header X-Next-Page)", goesOn, "(the header X-Next-Page)", ends},
	{"header with a count", oneRecordPage(``) + `X-Total`, "the answer has 1 of 2 records (the header X-Total)", goesOn, "has 1 of 2 records (the header X-Total)", ends},
	{"next no URL", oneRecordPage(`,"pages":{"next":"http://[::1"}`), "not a URL", "not a URL", "not a URL", "not a URL"},
}

// TestT14T16ListEndsOfEveryShape gives every form in which a page names, or does not name, the next one, and what must follow.
// Holds: T17, T165, S12.
func TestT14T16ListEndsOfEveryShape(t *testing.T) {
	t.Parallel()
	for _, test := range listEnds {
		for by, want := range map[string]string{"cursor": test.cursor, "number": test.number, "none": test.none, "nested": test.nested} {
			t.Run(test.name+"/"+by, func(t *testing.T) {
				t.Parallel()
				n := 0
				a := serveAPI(t, nil)
				a.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if n++; r.URL.Query().Has("page") && r.URL.Query().Get("page") != "1" || r.URL.Query().Has("starting_after") {
						apitest.Reply(w, `{"data":[{"id":"2"}],"pages":{"next":null}}`)
						return
					}
					page, header, _ := strings.Cut(test.page, "X-")
					if header != "" {
						w.Header().Set("X-"+header, "2")
					}
					if strings.HasSuffix(test.page, "LINK") {
						w.Header().Add("Link", `<https://h.example/things>; rel="prev", </things?offset=50>; rel="next"`)
					}
					apitest.Reply(w, strings.NewReplacer("LINK", "", "{base}", a.URL, "{host}", strings.TrimPrefix(a.URL, "http://")).Replace(page))
				})
				s := sweepStream()
				s.Read.Path, s.Read.Page = "/things", schemas.Page{By: by, In: "query", Size: 150}
				ids, _, err := tryDrain(NewReader(a.newClient(t), Request{Stream: s}))
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
					class := api.ClassContract
					if by == "none" || strings.HasPrefix(want, "the answer ") || strings.HasPrefix(want, "(") {
						class = api.ClassConfig // the file can say which page comes next
					}
					if api.ClassOf(err) != class || !strings.Contains(err.Error(), want) {
						t.Errorf("got %v, want an error of class %s with %q", err, class, want)
					}
				}
			})
		}
	}
}

// TestPlacesAreAskedForWhereTheStreamSays compares the requests of each way of paging.
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
			a := serveAPI(t, apitest.AnswerWith(`{"data":[{"id":"1"}],"pages":{"next":`+test.next+`}}`, `{"data":[{"id":"2"}],"pages":{"next":null}}`))
			s := sweepStream()
			s.Read.Method, s.Read.Path, s.Read.Page, s.Read.Query = test.method, "/things/list", test.page, []schemas.Param{paramX}
			drainPhase(t, NewReader(a.newClient(t), Request{Stream: s}))
			got := a.Requests()[1]
			if got.Query != test.query || got.Body != test.body {
				t.Errorf("asked ?%s with %s\nwant ?%s with %s", got.Query, got.Body, test.query, test.body)
			}
		})
	}
}

func TestT30PageNumbersBeginAtOneAndSizeZeroIsNotSent(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1} {
		a := serveAPI(t, apitest.AnswerWith(`{"data":[]}`))
		s := sweepStream()
		s.Read.Page.Size = size
		drainPhase(t, NewReader(a.newClient(t), Request{Stream: s}))
		want := map[int]string{0: "page=1", 1: "page=1&per_page=1"}[size]
		if got := a.Requests()[0].Query; got != want {
			t.Errorf("size %d: asked ?%s, want ?%s", size, got, want)
		}
	}
}

func TestEmptyPagesWithoutEndStop(t *testing.T) {
	t.Parallel()
	n := 0
	a := serveAPI(t, func(w http.ResponseWriter, _ *http.Request, _ string) {
		n++
		apitest.Reply(w, envelopeOf(nil, 5, map[string]any{"starting_after": strconv.Itoa(n)}))
	})
	_, _, err := tryDrain(NewReader(a.newClient(t), Request{Stream: searchStream(), State: State{SyncedTo: watermark}}))
	if api.ClassOf(err) != api.ClassSource || n != emptyPages {
		t.Errorf("got %v after %d requests", err, n)
	}
}

func TestAListThatIgnoresThePageNumberFails(t *testing.T) {
	t.Parallel()
	a := serveAPI(t, apitest.AnswerWith(`{"data":[{"id":"1"}],"total_count":9}`))
	ids, _, err := tryDrain(NewReader(a.newClient(t), Request{Stream: sweepStream()}))
	if api.ClassOf(err) != api.ClassSource || len(ids) != 1 {
		t.Errorf("got %v and %v", ids, err)
	}
}

// numberedList is a list by number of n records, 1 to n, that fails as fail says.
func numberedList(n int, fail func(from, size int) bool) func(http.ResponseWriter, *http.Request, string) {
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

func TestT20FailingPageIsRequestedInHalves(t *testing.T) {
	t.Parallel()
	sizes := map[int]int{}
	a := serveAPI(t, numberedList(5000, func(from, size int) bool {
		sizes[size]++
		return size > 7 && from <= 1000 && 1000 < from+size // pages with record 1000 fail unless they are small
	}))
	c := a.newClient(t)
	ids, pages := drainPhase(t, NewReader(c, Request{Stream: sweepStream()}))
	if got := len(sortedDistinct(ids)); got != 5000 {
		t.Errorf("%d of 5000 records", got)
	}
	// 150, 75, 37, 18 and 9 fail, 4 does not; the size doubles after every ten good pages.
	if sizes[150] < 20 || sizes[4] == 0 || sizes[2] != 0 {
		t.Errorf("page sizes asked for: %v", sizes)
	}
	if c.Requests() > 200 || !lastState(pages).Sweep.Steady && lastState(pages).Sweep.Rows < 5000 {
		t.Errorf("%d requests, sweep %+v", c.Requests(), lastState(pages).Sweep)
	}
}

// From one record on, each page above a size fails. The pages grow again and again, and begin at earlier records when they do.
func TestT20ManyHalvedPagesAreNoLoop(t *testing.T) {
	t.Parallel()
	for _, size := range []int{25, 60, 150, 250} {
		for _, part := range []int{2, 3, 9} {
			for _, bad := range []int{0, 7 * size, 300, 1234} {
				a := serveAPI(t, numberedList(2000, func(from, n int) bool { return from+n > bad && n > size/part }))
				s := sweepStream()
				s.Read.Page.Size = size
				ids, pages, err := tryDrain(NewReader(a.newClient(t), Request{Stream: s}))
				if got := len(sortedDistinct(ids)); err != nil || got != 2000 || lastState(pages).SyncedTo == 0 {
					t.Errorf("pages of %d, from record %d on of %d: %d of 2000 records, %v", size, bad, size/part, got, err)
				}
			}
		}
	}
}

func TestT20PageThatFailsAtEverySizeFails(t *testing.T) {
	t.Parallel()
	a := serveAPI(t, numberedList(500, func(from, size int) bool { return from <= 200 && 200 < from+size }))
	c := a.newClient(t)
	ids, pages, err := tryDrain(NewReader(c, Request{Stream: sweepStream()}))
	if api.ClassOf(err) != api.ClassTransient || len(sortedDistinct(ids)) != 200 || c.Requests() > 60 {
		t.Errorf("%d records, %v after %d requests", len(sortedDistinct(ids)), err, c.Requests())
	}
	// The next run resumes where this one stopped, with small pages.
	if p := lastState(pages).Position; p == nil || (p.Page-1)*int64(p.Size) != 200 {
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
	ids, _ := drainPhase(t, NewReader(ws.newClient(t), Request{Stream: s, State: State{SyncedTo: secondsBeforeNoon(11 * hour), HistoryDone: true}}))
	if !slices.Equal(sortedDistinct(ids), ws.contactIDs()) {
		t.Errorf("%d of 300 records", len(sortedDistinct(ids)))
	}
}

func TestServersSmallerPagesAreCountedInItsSize(t *testing.T) {
	t.Parallel()
	a := serveAPI(t, func(w http.ResponseWriter, r *http.Request, body string) {
		q := r.URL.Query()
		q.Set("per_page", "25") // whatever was asked for
		r.URL.RawQuery = q.Encode()
		numberedList(90, func(int, int) bool { return false })(w, r, body)
	})
	ids, pages := drainPhase(t, NewReader(a.newClient(t), Request{Stream: sweepStream()}))
	if len(ids) != 90 || len(pages) != 4 || !lastState(pages).Sweep.Steady {
		t.Errorf("%d records on %d pages, sweep %+v", len(ids), len(pages), lastState(pages).Sweep)
	}
}

// A server that ignores per_page counts pages in a size of its own: its fifth page is not what the fifth half page would be.
func TestAFailingPageOfAServerThatIgnoresThePageSizeSkipsNothing(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		asked, failures int
		members         string // of the answer, besides its records
		whole           bool   // without an error
	}{
		"for a minute":                  {asked: 50, failures: 5, whole: true},
		"for a minute, size in answer":  {asked: 50, failures: 5, members: `,"pages":{"per_page":50,"total_pages":10}`, whole: true},
		"for a minute, total_count":     {asked: 50, failures: 5, members: `,"total_count":480`, whole: true},
		"longer":                        {asked: 50, failures: 1000},
		"larger pages are asked for":    {asked: 150, failures: 5},
		"larger pages, size in answer":  {asked: 150, failures: 5, members: `,"pages":{"per_page":50,"total_pages":10}`, whole: true},
		"a longer time, size in answer": {asked: 150, failures: 1000, members: `,"pages":{"per_page":50,"total_pages":10}`},
	} {
		failed := 0
		a := serveAPI(t, func(w http.ResponseWriter, r *http.Request, _ string) {
			page, _ := strconv.Atoi(r.URL.Query().Get("page"))
			if page == 3 && failed < test.failures {
				failed++
				apitest.Reply(w, "503 busy")
				return
			}
			var records []string
			for i := min(480, (page-1)*50); i < min(480, page*50); i++ {
				records = append(records, fmt.Sprintf(`{"id":"%03d"}`, i))
			}
			apitest.Reply(w, fmt.Sprintf(`{"data":[%s]%s}`, strings.Join(records, ","), test.members))
		})
		s := sweepStream()
		s.Read.Page.Size = test.asked
		ids, pages, err := tryDrain(NewReader(a.newClient(t), Request{Stream: s}))
		got := len(sortedDistinct(ids))
		if test.whole != (err == nil) || test.whole && (got != 480 || len(ids) != 480) || !test.whole && lastState(pages).SyncedTo != 0 {
			t.Errorf("%s: %d of 480 records, %d with repeats, %v", name, got, len(ids), err)
		}
	}
}

type readCloser struct{ *strings.Reader }

func (readCloser) Close() error { return nil }
