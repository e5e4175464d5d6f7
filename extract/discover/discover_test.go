package discover

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"aqueduck/extract/api"
	"aqueduck/extract/internal/apitest"
	"aqueduck/schemas"
)

// otherList is a list of another API: 450 records, 50 in a page unless per_page says otherwise.
type otherList struct {
	most    int                                                 // per page
	total   int                                                 // records
	refusal string                                              // message for a larger page; "": it is reduced
	rest    func(page, per int, last bool, v url.Values) string // members beside the list
	header  func(page int, last bool) string                    // the header Link
	numbers bool                                                // page is heeded
	strict  bool                                                // a page after the last one is a 404
}

func (l otherList) answer(w http.ResponseWriter, r *http.Request, _ string) {
	query := r.URL.Query()
	number := func(name string, usual int) int {
		if n, err := strconv.Atoi(query.Get(name)); err == nil {
			return n
		}
		return usual
	}
	per, page := number("per_page", 50), 1
	if l.numbers {
		page = number("page", 1)
	}
	if per > l.most && l.refusal != "" {
		apitest.Reply(w, `400 {"type":"error.list","errors":[{"code":"parameter_invalid","message":"`+l.refusal+`"}]}`)
		return
	}
	per = min(per, l.most)
	var records []string
	for i := (page - 1) * per; i < min(page*per, l.total); i++ {
		records = append(records, fmt.Sprintf(`{"id":%d}`, i))
	}
	if l.strict && records == nil {
		http.NotFound(w, r)
		return
	}
	last := page*per >= l.total
	if l.header != nil {
		w.Header().Set("Link", l.header(page, last))
	}
	apitest.Reply(w, `{"data":[`+strings.Join(records, ",")+`]`+l.rest(page, per, last, query)+`}`)
}

func saysNothing(int, int, bool, url.Values) string { return "" }

// TestProposedPagingReadsOtherAPIs proposes the paging, with the largest page, of lists that name their pages in many ways.
func TestProposedPagingReadsOtherAPIs(t *testing.T) {
	t.Parallel()
	count := func(int, int, bool, url.Values) string { return `,"count":450` }
	nextURL := func(page, _ int, last bool, _ url.Values) string {
		if last {
			return `,"count":450,"next":null`
		}
		return fmt.Sprintf(`,"count":450,"next":"/things?page=%d"`, page+1)
	}
	pages := func(page, per int, last bool, _ url.Values) string {
		if last {
			return fmt.Sprintf(`,"pages":{"next":null,"per_page":%d}`, per)
		}
		return fmt.Sprintf(`,"pages":{"next":{"starting_after":"c%d"},"per_page":%d}`, page, per)
	}
	cursor := func(_, per int, last bool, _ url.Values) string {
		if last {
			return `,"next_cursor":null`
		}
		return fmt.Sprintf(`,"next_cursor":"%d"`, per)
	}
	start := func(_, per int, last bool, _ url.Values) string {
		if last {
			return `,"isLastPage":true,"nextPageStart":null`
		}
		return fmt.Sprintf(`,"isLastPage":false,"nextPageStart":%d`, per)
	}
	flag := func(_, _ int, last bool, _ url.Values) string { return fmt.Sprintf(`,"isLast":%t`, last) }
	found := func(int, int, bool, url.Values) string { return `,"found":450` }
	link := func(page int, last bool) string {
		if last {
			return ""
		}
		return fmt.Sprintf(`</things?page=%d>; rel="next"`, page+1)
	}
	tests := []struct {
		name string
		list otherList
		want schemas.Page
		says string // of an *UnreadableError
	}{
		{"count and page", otherList{most: 200, total: 450, rest: count, numbers: true}, schemas.Page{By: "number", In: "query", Size: 200}, ""},
		{"next address", otherList{most: 120, total: 450, rest: nextURL, numbers: true, strict: true}, schemas.Page{By: "number", In: "query", Size: 120}, ""},
		{"header Link", otherList{most: 100, total: 450, rest: saysNothing, header: link, numbers: true}, schemas.Page{By: "number", In: "query", Size: 100}, ""},
		{"page without any sign", otherList{most: 100, total: 450, rest: saysNothing, numbers: true}, schemas.Page{By: "number", In: "query", Size: 100}, ""},
		{"cursor, size granted", otherList{most: 150, total: 450, rest: pages}, schemas.Page{By: "cursor", In: "query", Size: 150}, ""},
		{"cursor, size refused with its limit", otherList{most: 175, total: 450, rest: pages, refusal: "per_page must be between 1 and 175"}, schemas.Page{By: "cursor", In: "query", Size: 175}, ""},
		{"cursor, size refused", otherList{most: 220, total: 450, rest: pages, refusal: "too large"}, schemas.Page{By: "cursor", In: "query", Size: 200}, ""},
		{"one answer", otherList{most: 50, total: 20, rest: saysNothing}, schemas.Page{By: "none"}, ""},
		{"another cursor", otherList{most: 100, total: 450, rest: cursor}, schemas.Page{}, "the answer names a next page (next_cursor)"},
		{"an offset and its flag", otherList{most: 50, total: 450, rest: start}, schemas.Page{}, "the answer names a next page (nextPageStart)"},
		{"a flag of the last page", otherList{most: 50, total: 450, rest: flag, numbers: true}, schemas.Page{By: "number", In: "query", Size: 50}, ""},
		{"a flag, and nothing to ask by", otherList{most: 50, total: 450, rest: flag}, schemas.Page{}, "the answer names a next page (isLast)"},
		{"records found", otherList{most: 50, total: 450, rest: found}, schemas.Page{}, "the answer has 50 of 450 records (found)"},
		{"a count, and nothing to ask by", otherList{most: 50, total: 450, rest: count}, schemas.Page{}, "the answer has 50 of 450 records (count)"},
		{"pages that end with a 404", otherList{most: 50, total: 450, rest: count, numbers: true, strict: true}, schemas.Page{}, "the answer has 50 of 450 records (count)"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			a := apitest.Serve(t, test.list.answer)
			c, err := api.New(api.Options{BaseURL: a.URL, Token: "secret-token-of-the-tests", Version: "2.17", Now: a.Clock.Now, Wait: a.Clock.Wait})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			got, err := DescribeList(context.Background(), c, "/things", "")
			var unreadable *UnreadableError
			if errors.As(err, &unreadable) != (test.says != "") || unreadable == nil && err != nil {
				t.Fatalf("got %v, want an error with %q", err, test.says)
			}
			if unreadable != nil && !strings.Contains(err.Error(), test.says) || got.Page != test.want {
				t.Errorf("got %+v, %v; want %+v, %q", got.Page, err, test.want, test.says)
			}
			if len(a.Requests()) > 8 {
				t.Errorf("%d requests", len(a.Requests()))
			}
		})
	}
}

// TestAChosenListIsOneOfTheAnswer asks once, and names the lists that there are.
func TestAChosenListIsOneOfTheAnswer(t *testing.T) {
	t.Parallel()
	a := apitest.Serve(t, apitest.AnswerWith(`{"type":"list","data":[{"id":1}],"others":[{"id":2}]}`))
	c, err := api.New(api.Options{BaseURL: a.URL, Token: "secret-token-of-the-tests", Version: "2.17", Now: a.Clock.Now, Wait: a.Clock.Wait})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, err = DescribeList(context.Background(), c, "/things", "nix")
	if want := `the answer to GET /things has no list "nix"; it has data, others`; err == nil || err.Error() != want || len(a.Requests()) != 1 {
		t.Errorf("got %v after %d requests, want %s", err, len(a.Requests()), want)
	}
}

// TestListThatIsTheAnswerIsRefused describes an answer that is a list without an object around it.
func TestListThatIsTheAnswerIsRefused(t *testing.T) {
	t.Parallel()
	a := apitest.Serve(t, apitest.AnswerWith(`[{"id":1}]`))
	c, err := api.New(api.Options{BaseURL: a.URL, Token: "secret-token-of-the-tests", Version: "2.17", Now: a.Clock.Now, Wait: a.Clock.Wait})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := DescribeList(context.Background(), c, "/things", ""); !errors.As(err, new(*UnreadableError)) {
		t.Errorf("got %v", err)
	}
}
