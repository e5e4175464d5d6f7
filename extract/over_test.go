package extract

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"aqueduck/extract/api"
	"aqueduck/extract/internal/apitest"
	"aqueduck/schemas"
)

func TestOverReadsOneRecordPerID(t *testing.T) {
	t.Parallel()
	a := serveAPI(t, func(w http.ResponseWriter, r *http.Request, _ string) {
		id := strings.TrimPrefix(r.URL.Path, "/contacts/")
		// Fields of a record may be named like those of an envelope.
		apitest.Reply(w, fmt.Sprintf(`{"id":%q,"pages":{"next":"x"},"data":7,"total_count":99}`, id))
	})
	var asked []string
	for i := range 120 {
		asked = append(asked, fmt.Sprintf("id-%03d", i))
	}
	ids, pages := drainPhase(t, NewReader(a.newClient(t), Request{Stream: overStream(), IDs: asked}))
	if !slices.Equal(ids, asked) || len(pages) != 3 {
		t.Errorf("%d records on %d pages", len(ids), len(pages))
	}
	if p := pages[1]; p.Done != 100 || p.Left != 20 || p.Boundary || p.State.SyncedTo != 0 || p.ServerTime.IsZero() {
		t.Errorf("second page: done %d, left %d, state %s", p.Done, p.Left, p.State)
	}
	if p := pages[2]; !p.Boundary || p.State.SyncedTo < noon.Unix() || p.Records[0].Over != "id-100" {
		t.Errorf("last page: %+v", p.State)
	}
	if _, err := NewReader(a.newClient(t), Request{Stream: overStream()}).Next(context.Background()); !errors.Is(err, io.EOF) {
		t.Errorf("no ids: %v, want io.EOF", err)
	}
}

func TestT37T169OnlyTheAPIsOwn404MeansDeleted(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		answer string
		gone   bool
		class  api.Class
	}{
		"not_found":       {answer: errNotFound, gone: true},
		"gone":            {answer: `410 {"type":"error.list","errors":[{"code":"contact_merged","message":"merged"}]}`, gone: true},
		"not coded":       {answer: `404 {"type":"error.list","errors":[{"message":"none"}]}`, gone: true},
		"errors by name":  {answer: `404 {"type":"error.list","errors":{"base":"none"}}`, gone: true},
		"its own code":    {answer: `404 {"type":"error.list","errors":[{"code":"contact_not_found","message":"none"}]}`, gone: true},
		"another's code":  {answer: `404 {"type":"error.list","errors":[{"code":"conversation_not_found","message":"none"}]}`, class: api.ClassContract},
		"not_found, 200":  {answer: `{"type":"error.list","errors":[{"code":"not_found","message":"none"}]}`, gone: true},
		"nginx":           {answer: "404 <html><center>404 Not Found</center></html>", class: api.ClassTransient},
		"empty":           {answer: "404 ", class: api.ClassTransient},
		"other JSON":      {answer: `404 {"error":"not_found"}`, class: api.ClassTransient},
		"other code":      {answer: `404 {"type":"error.list","errors":[{"code":"parameter_not_found","message":"x"}]}`, class: api.ClassContract},
		"no error":        {answer: `404 {"type":"error.list","errors":[]}`, class: api.ClassContract},
		"nginx says gone": {answer: "410 <html>Gone</html>", class: api.ClassContract},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := serveAPI(t, apitest.AnswerWith(test.answer))
			ids, pages, err := tryDrain(NewReader(a.newClient(t), Request{Stream: overStream(), IDs: []string{"x"}}))
			if test.gone && (err != nil || !slices.Equal(ids, []string{"gone:x"}) || pages[0].ServerTime.IsZero()) {
				t.Errorf("read %v, %v; want it gone, with the server's time", ids, err)
			}
			if !test.gone && (api.ClassOf(err) != test.class || len(ids) != 0) {
				t.Errorf("read %v, %v; want class %s", ids, err, test.class)
			}
		})
	}
}

// Holds: S15.
func TestOverRefusesStrangeIDsAndReadsTheOthers(t *testing.T) {
	t.Parallel()
	a := serveAPI(t, apitest.AnswerWith(`{"id":"ok"}`))
	bad := []string{"../admins", "%2e%2e", "a\nb", "", "a/b", "a?b", "a#b", "é", strings.Repeat("a", 129), "a b", ".", ".."}
	ids, _, err := tryDrain(NewReader(a.newClient(t), Request{Stream: overStream(), IDs: append(bad, "fine_ID-1")}))
	if !slices.Equal(ids, []string{"ok"}) || api.ClassOf(err) != api.ClassContract || !strings.Contains(err.Error(), "12 of 13 ids") {
		t.Errorf("read %v, %v", ids, err)
	}
	if got := a.Requests(); len(got) != 1 || got[0].Path != "/contacts/fine_ID-1" {
		t.Errorf("asked %v", got)
	}
}

func TestOverAFailedIDDoesNotStopTheOthers(t *testing.T) {
	t.Parallel()
	a := serveAPI(t, func(w http.ResponseWriter, r *http.Request, _ string) {
		if strings.HasSuffix(r.URL.Path, "/b") {
			apitest.Reply(w, "500 oops")
			return
		}
		apitest.Reply(w, `{"id":"`+r.URL.Path[len("/contacts/"):]+`"}`)
	})
	ids, pages, err := tryDrain(NewReader(a.newClient(t), Request{Stream: overStream(), IDs: []string{"a", "b", "c"}}))
	if !slices.Equal(ids, []string{"a", "c"}) || api.ClassOf(err) != api.ClassTransient || lastState(pages).SyncedTo != 0 {
		t.Errorf("read %v, %v, state %s", ids, err, lastState(pages))
	}
}

// TestT170FailedIDsDoNotStopTheOthers has as many that can never be read as a reading may have, and one more, all of them first.
func TestT170FailedIDsDoNotStopTheOthers(t *testing.T) {
	t.Parallel()
	for _, bad := range []int{mostAsideRecords, mostAsideRecords + 1} {
		a := serveAPI(t, func(w http.ResponseWriter, r *http.Request, _ string) {
			id := r.URL.Path[len("/contacts/"):]
			if n, err := strconv.Atoi(id); err == nil && n%4 == 0 && n/4 < bad {
				apitest.Reply(w, "500 oops")
				return
			}
			apitest.Reply(w, `{"id":"`+id+`"}`)
		})
		var asked []string
		for i := range 200 {
			asked = append(asked, fmt.Sprint(i))
		}
		ids, pages, err := tryDrain(NewReader(a.newClient(t), Request{Stream: overStream(), IDs: asked}))
		if whole := len(ids) == 200-bad; whole != (bad <= mostAsideRecords) || api.ClassOf(err) != api.ClassTransient || lastState(pages).SyncedTo != 0 {
			t.Errorf("%d that fail: read %d, %v, state %s", bad, len(ids), err, lastState(pages))
		}
	}
}

func TestOverGivesUpWhenAllFail(t *testing.T) {
	t.Parallel()
	a := serveAPI(t, apitest.AnswerWith("500 oops"))
	var asked []string
	for i := range 500 {
		asked = append(asked, fmt.Sprint(i))
	}
	c := a.newClient(t)
	if _, _, err := tryDrain(NewReader(c, Request{Stream: overStream(), IDs: asked})); api.ClassOf(err) != api.ClassTransient || c.Requests() > 50 {
		t.Errorf("got %v after %d requests", err, c.Requests())
	}
}

func TestOverStopsAtOnceWhenNothingMayBeRead(t *testing.T) {
	t.Parallel()
	a := serveAPI(t, apitest.AnswerWith(`403 {"type":"error.list","errors":[{"code":"api_plan_restricted","message":"x"}]}`))
	c := a.newClient(t)
	_, _, err := tryDrain(NewReader(c, Request{Stream: overStream(), IDs: strings.Split(strings.Repeat("a,", 200)+"a", ",")}))
	if api.ClassOf(err) != api.ClassPlan || c.Requests() > 10 {
		t.Errorf("got %v after %d requests", err, c.Requests())
	}
}

func TestOverReadsListsPerID(t *testing.T) {
	t.Parallel()
	a := serveAPI(t, func(w http.ResponseWriter, r *http.Request, _ string) {
		if r.URL.Query().Get("page") == "1" {
			apitest.Reply(w, `{"data":[{"id":"1"}],"pages":{"next":{"page":2}}}`)
			return
		}
		apitest.Reply(w, `{"data":[{"id":"2"}],"pages":{"next":null}}`)
	})
	s := overStream()
	s.Read.Path, s.Read.Records = "/companies/{id}/notes", []string{"data"}
	s.Read.Page = sweepStream().Read.Page
	ids, pages := drainPhase(t, NewReader(a.newClient(t), Request{Stream: s, IDs: []string{"a", "b"}}))
	if !slices.Equal(ids, []string{"1", "2", "1", "2"}) || pages[0].Records[3].Over != "b" {
		t.Errorf("read %v", ids)
	}
}

// childLists serves the list of notes of each company: two pages with one note each. answers has, by path and cursor, other answers
// in their order; the last one of them is repeated.
func childLists(t *testing.T, answers map[string][]string) *fakeAPI {
	return serveAPI(t, func(w http.ResponseWriter, r *http.Request, _ string) {
		token := r.URL.Query().Get("starting_after")
		at := strings.TrimPrefix(r.URL.Path, "/companies/") + "?" + token
		if other := answers[at]; len(other) > 0 {
			answers[at] = other[min(1, len(other)-1):]
			if other[0] != "" {
				apitest.Reply(w, other[0])
				return
			}
		}
		if id := r.URL.Path[len("/companies/") : len("/companies/")+1]; token == "" {
			apitest.Reply(w, envelopeOf([]string{`{"id":"` + id + `1"}`}, 2, map[string]any{"starting_after": "x"}))
		} else {
			apitest.Reply(w, envelopeOf([]string{`{"id":"` + id + `2"}`}, 2, nil))
		}
	})
}

func childListStream() *schemas.Stream {
	s := overStream()
	s.Read.Path, s.Read.Records = "/companies/{id}/notes", []string{"data"}
	s.Read.Page = schemas.Page{By: "cursor", In: "query", Size: 2}
	return s
}

const shortOfSeven = `{"data":[],"total_count":7,"pages":{"next":null}}`

func TestT165AShortChildListIsReadAgainThenItsIDFails(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		answers  []string
		ids      string
		answered string
	}{
		"once":       {answers: []string{shortOfSeven, ""}, ids: "a1 a2 b1 b2", answered: "a b"},
		"each time":  {answers: []string{shortOfSeven}, ids: "b1 b2", answered: "b"},
		"a bit less": {answers: []string{`{"data":[{"id":"a1"}],"total_count":2,"pages":{"next":null}}`}, ids: "b1 b2", answered: "b"},
	} {
		a := childLists(t, map[string][]string{"a/notes?": test.answers})
		ids, pages, err := tryDrain(NewReader(a.newClient(t), Request{Stream: childListStream(), IDs: []string{"a", "b"}}))
		if strings.Join(ids, " ") != test.ids || strings.Join(pages[0].Answered, " ") != test.answered {
			t.Errorf("%s: read %v, answered %v", name, ids, pages[0].Answered)
		}
		if whole := test.answered == "a b"; whole != (err == nil) || !whole && (api.ClassOf(err) != api.ClassSource || !errors.Is(err, errShort)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOneBadListDoesNotBlockTheListsOfOtherParents(t *testing.T) {
	t.Parallel()
	loop := envelopeOf([]string{`{"id":"a1"}`}, 7, map[string]any{"starting_after": "x"})
	for name, test := range map[string]struct {
		at      string
		answers []string
		ids     string
		class   api.Class
	}{
		"its cursor comes again":  {at: "a/notes?x", answers: []string{loop}, ids: "b1 b2", class: api.ClassSource},
		"it loses its cursor":     {at: "a/notes?x", answers: []string{errClient}, ids: "b1 b2", class: api.ClassCursor},
		"it lost its cursor once": {at: "a/notes?x", answers: []string{errClient, ""}, ids: "a1 a2 b1 b2"},
	} {
		a := childLists(t, map[string][]string{test.at: test.answers})
		ids, pages, err := tryDrain(NewReader(a.newClient(t), Request{Stream: childListStream(), IDs: []string{"a", "b"}}))
		if strings.Join(ids, " ") != test.ids || api.ClassOf(err) != test.class {
			t.Errorf("%s: read %v, %v", name, ids, err)
		}
		if len(pages) != 1 || (lastState(pages).SyncedTo == 0) != (test.class != "") {
			t.Errorf("%s: %d pages", name, len(pages))
		}
	}
}

// TestAStreamIsNotUnavailableWhereAnyParentAnswers has more deleted parents than a page has ids, and they wait longest.
func TestAStreamIsNotUnavailableWhereAnyParentAnswers(t *testing.T) {
	t.Parallel()
	for _, all := range []int{60, 100, 1000} {
		for _, exist := range []bool{true, false} {
			a := serveAPI(t, func(w http.ResponseWriter, r *http.Request, _ string) {
				id := r.URL.Path[len("/companies/"):strings.LastIndex(r.URL.Path, "/")]
				if !exist || id < "id-0050" {
					apitest.Reply(w, errNotFound)
					return
				}
				apitest.Reply(w, `{"data":[{"id":"of-`+id+`"}]}`)
			})
			var asked, want []string
			for i := range all {
				asked = append(asked, fmt.Sprintf("id-%04d", i))
				if i < 50 {
					want = append(want, "gone:"+asked[i])
				} else {
					want = append(want, "of-"+asked[i])
				}
			}
			s := childListStream()
			s.Read.Page = schemas.Page{By: "none"}
			s.Read.Over = &schemas.Over{Streams: []string{"companies"}, Where: "id"}
			ids, _, err := tryDrain(NewReader(a.newClient(t), Request{Stream: s, IDs: asked}))
			if exist && (err != nil || !slices.Equal(sortedDistinct(ids), want)) {
				t.Errorf("%d parents, 50 deleted: %d records, %v", all, len(ids), err)
			}
			if !exist && (api.ClassOf(err) != api.ClassNotFound || len(ids) > 0 || len(a.Requests()) > overBatch) {
				t.Errorf("%d parents, none with the stream: read %v, %v in %d requests", all, ids, err, len(a.Requests()))
			}
		}
	}
}
