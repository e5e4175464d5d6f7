package extract

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"aqueduck/extract/api"
	"aqueduck/extract/internal/apitest"
	"aqueduck/extract/internal/scan"
	"aqueduck/schemas"
)

func taggedStream() *schemas.Stream {
	s := searchStream()
	for _, name := range []string{"tags", "notes"} {
		s.Children = append(s.Children, schemas.Child{
			Table: "contact_" + name, From: []string{name, "data"}, Count: []string{name, "total_count"}, Rest: []string{name, "url"},
		})
	}
	return s
}

// nestedAPI has one contact with the given lists, and the answers of its nested addresses.
func nestedAPI(t testing.TB, tags, notes string, nested func(w http.ResponseWriter, page, size int)) *fakeAPI {
	t.Helper()
	return serveAPI(t, func(w http.ResponseWriter, r *http.Request, _ string) {
		if strings.HasSuffix(r.URL.Path, "/search") {
			apitest.Reply(w, envelopeOf([]string{fmt.Sprintf(`{ "id":"c1", "tags" : %s ,"notes":%s, "updated_at":%d}`, tags, notes, secondsBeforeNoon(hour))}, 1, nil))
			return
		}
		page, _ := strconv.Atoi(r.URL.Query().Get("page"))
		size, _ := strconv.Atoi(r.URL.Query().Get("per_page"))
		nested(w, page, size)
	})
}

func tagList(n int, rest string) string {
	var tags []string
	for i := range n {
		tags = append(tags, fmt.Sprintf(`{"type":"tag","id":"%d"}`, i))
	}
	return `{"type":"list","data":[` + strings.Join(tags, ",") + `]` + rest + `}`
}

func TestT44CutListsAreReadOn(t *testing.T) {
	t.Parallel()
	const url = `,"url":"/contacts/c1/tags"`
	tests := []struct {
		name    string
		n, sent int
		rest    string
		asks    bool
	}{
		{"none", 0, 0, url + `,"total_count":0,"has_more":false`, false},
		{"nine", 9, 9, url + `,"total_count":9,"has_more":false`, false},
		{"ten, all", 10, 10, url + `,"total_count":10,"has_more":false`, false},
		{"ten, all, has_more is wrong", 10, 10, url + `,"total_count":10`, false},
		{"ten, nothing said", 10, 10, url, true},
		{"ten, nothing said and more", 12, 10, url, true},
		{"ten, no more, no count", 10, 10, url + `,"has_more":false`, false},
		{"eleven", 11, 10, url + `,"total_count":11,"has_more":true`, true},
		{"eleven, has_more lies", 11, 10, url + `,"total_count":11,"has_more":false`, true},
		{"eleven, count as text", 11, 10, url + `,"total_count":"11"`, true},
		{"has_more alone", 11, 5, url + `,"has_more":true`, true},
		{"five hundred", 500, 10, url + `,"total_count":500,"has_more":true`, true},
	}
	for _, test := range tests {
		for _, paged := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/paged=%t", test.name, paged), func(t *testing.T) {
				t.Parallel()
				a := nestedAPI(t, tagList(test.sent, test.rest), tagList(1, ""), func(w http.ResponseWriter, page, size int) {
					if !paged {
						apitest.Reply(w, tagList(test.n, ""))
						return
					}
					numberedList(test.n, func(int, int) bool { return false })(w, &http.Request{URL: mustURL(page, size)}, "")
				})
				r := Request{Stream: taggedStream(), State: State{SyncedTo: secondsBeforeNoon(2 * hour), HistoryDone: true}}
				p := firstPage(t, NewReader(a.newClient(t), r))
				var got struct {
					ID        string
					UpdatedAt int64 `json:"updated_at"`
					Tags      struct{ Data []struct{ ID string } }
					Notes     struct{ Data []any }
				}
				if err := json.Unmarshal(p.Records[0].Raw, &got); err != nil {
					t.Fatalf("%v in %s", err, p.Records[0].Raw)
				}
				if len(got.Tags.Data) != test.n || got.ID != "c1" || got.UpdatedAt == 0 || len(got.Notes.Data) != 1 {
					t.Errorf("got %d tags in %s", len(got.Tags.Data), p.Records[0].Raw)
				}
				for i, tag := range got.Tags.Data {
					if tag.ID != strconv.Itoa(i) {
						t.Fatalf("tag %d is %s", i, tag.ID)
					}
				}
				if asked := len(a.Requests()) > 1; asked != test.asks {
					t.Errorf("asked on: %t, want %t", asked, test.asks)
				}
			})
		}
	}
}

func TestT44BothListsOfARecordAreReadOn(t *testing.T) {
	t.Parallel()
	a := nestedAPI(t, tagList(2, `,"total_count":3,"url":"\/contacts\/c1\/tags"`), tagList(1, `,"total_count":4,"url":"/contacts/c1/notes"`),
		func(w http.ResponseWriter, _, _ int) { apitest.Reply(w, tagList(4, "")) })
	p := firstPage(t, NewReader(a.newClient(t), Request{Stream: taggedStream(), State: State{SyncedTo: secondsBeforeNoon(2 * hour), HistoryDone: true}}))
	raw := p.Records[0].Raw
	tags, _ := scan.CountItems(raw, "tags", "data")
	notes, _ := scan.CountItems(raw, "notes", "data")
	if tags != 4 || notes != 4 || !json.Valid(raw) {
		t.Errorf("got %s", raw)
	}
}

func TestT190ATruncatedListOfADisappearedRecordIsOmitted(t *testing.T) {
	t.Parallel()
	a := nestedAPI(t, tagList(10, `,"total_count":12,"url":"/contacts/c1/tags"`), tagList(0, ""), func(w http.ResponseWriter, _, _ int) { apitest.Reply(w, errNotFound) })
	p := firstPage(t, NewReader(a.newClient(t), Request{Stream: taggedStream(), State: State{SyncedTo: secondsBeforeNoon(2 * hour), HistoryDone: true}}))
	record := p.Records[0]
	if _, there := scan.CountItems(record.Raw, "tags", "data"); there || record.Short != "c1" || scan.Field(record.Raw, "notes", "data") == nil || !json.Valid(record.Raw) {
		t.Errorf("got %+v: %s", record, record.Raw)
	}
}

func TestT170AnUnreadableNestedListIsOmittedFromItsRecord(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		answer string
		class  api.Class // of the page; "": it goes on
	}{
		"server error":  {"500 oops", ""},
		"no list":       {`{"type":"list"}`, ""},
		"proxy's 404":   {"404 <html>", ""},
		"bad cursor":    {errClient, ""},
		"short of 12":   {tagList(11, `,"total_count":12`), ""},
		"without scope": {"403 {}", api.ClassScope},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := nestedAPI(t, tagList(10, `,"total_count":12,"url":"/contacts/c1/tags"`), tagList(0, ""), func(w http.ResponseWriter, _, _ int) { apitest.Reply(w, test.answer) })
			c := a.newClient(t)
			_, pages, err := tryDrain(NewReader(c, Request{Stream: taggedStream(), State: State{SyncedTo: secondsBeforeNoon(2 * hour), HistoryDone: true}}))
			if api.ClassOf(err) != test.class || c.Requests() > 20 {
				t.Errorf("%d pages, %v after %d requests; want class %s", len(pages), err, c.Requests(), test.class)
			}
			if test.class != "" {
				return
			}
			record := pages[0].Records[0]
			if _, there := scan.CountItems(record.Raw, "tags", "data"); record.Missing != Unreadable || record.Error == "" || there || !json.Valid(record.Raw) || scan.Field(record.Raw, "tags", "url") == nil {
				t.Errorf("%+v: %s", record, record.Raw)
			}
		})
	}
}

func TestT170ManyUnreadableRecordsAreAFailureOfTheSource(t *testing.T) {
	t.Parallel()
	for _, n := range []int{10, 11} {
		var records []string
		for i := range n {
			records = append(records, fmt.Sprintf(`{"id":"c%d","updated_at":%d,"tags":{"data":[%s],"total_count":12,"url":"/contacts/c%d/tags"}}`, i, secondsBeforeNoon(hour), `{"id":"t"}`, i))
		}
		a := serveAPI(t, func(w http.ResponseWriter, r *http.Request, _ string) {
			if r.Method == http.MethodGet {
				apitest.Reply(w, "500 oops")
				return
			}
			apitest.Reply(w, envelopeOf(records, n, nil))
		})
		_, pages, err := tryDrain(NewReader(a.newClient(t), Request{Stream: taggedStream(), State: State{SyncedTo: secondsBeforeNoon(2 * hour), HistoryDone: true}}))
		if failed := api.ClassOf(err) == api.ClassTransient && len(pages) == 0; failed != (n > 10) {
			t.Errorf("%d records: %d pages, %v", n, len(pages), err)
		}
	}
}

// Holds: S12.
func TestNestedAddressesLeadNowhereElse(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"https://evil.example/contacts/c1/tags", "//evil.example/contacts/c1", "/contacts/../admins", "/contacts/c1/tags\r\nX: 1", "",
		"/contacts/c1/tags?x=1", "/contacts/c1/tags#x", "contacts/c1/tags", "/contacts/%2e%2e/tags", `\\evil\c1\tags`, "/contacts/c1/tags/", "/a/b",
	} {
		quoted, _ := json.Marshal(address)
		a := nestedAPI(t, tagList(10, `,"total_count":12,"url":`+string(quoted)), tagList(0, ""), func(w http.ResponseWriter, _, _ int) { apitest.Reply(w, tagList(12, "")) })
		_, pages, err := tryDrain(NewReader(a.newClient(t), Request{Stream: taggedStream(), State: State{SyncedTo: secondsBeforeNoon(2 * hour), HistoryDone: true}}))
		if err != nil || !strings.Contains(pages[0].Records[0].Error, "is not an address") || len(a.Requests()) != 1 {
			t.Errorf("%q: %v after %d requests", address, err, len(a.Requests()))
		}
	}
}
