package extract

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/extract/api"
	"aqueduck/extract/internal/apitest"
	"aqueduck/schemas"
)

// detailStream is a searched stream with `detail`.
func detailStream() *schemas.Stream {
	s := searchStream()
	s.Read.Detail = &schemas.Detail{
		Path: "/contacts/{id}", Query: []schemas.Param{paramX}, UnlessSame: [][]string{{"updated_at"}},
		For: 14 * 24 * time.Hour, Every: 7 * 24 * time.Hour,
	}
	return s
}

// withDetails answers searches from a workspace, and reads by id from f.
func withDetails(t testing.TB, ws *testWorkspace, f func(id string) string) *fakeAPI {
	t.Helper()
	return serveAPI(t, func(w http.ResponseWriter, r *http.Request, body string) {
		if id, ok := strings.CutPrefix(r.URL.Path, "/contacts/"); ok && r.Method == http.MethodGet {
			apitest.Reply(w, f(id))
			return
		}
		ws.serveSearch(w, r, body)
	})
}

func contactWithParts(id string) string {
	return fmt.Sprintf(`{"type":"contact","id":%q,"parts":[1]}`, id)
}

func someContacts(n int) (list []testContact) {
	for i := range n {
		list = append(list, testContact{fmt.Sprintf("id%03d", i), secondsBeforeNoon(time.Hour) + int64(i)})
	}
	return list
}

func TestEachRecordOfAPageIsReplacedByItsOwnReading(t *testing.T) {
	t.Parallel()
	a := withDetails(t, &testWorkspace{contacts: someContacts(70), cursors: map[string]int{}}, contactWithParts)
	r := NewReader(a.newClient(t), Request{Stream: detailStream()})
	page, err := r.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	leave := make([]bool, 70)
	leave[3], leave[69] = true, true
	page, err = r.ReadDetails(t.Context(), page, leave)
	if err != nil || len(page.Records) != 68 || page.State.SyncedTo == 0 {
		t.Fatalf("%d records, %v, state %s", len(page.Records), err, page.State)
	}
	for i, record := range page.Records {
		want := fmt.Sprintf("id%03d", i)
		if i >= 3 {
			want = fmt.Sprintf("id%03d", i+1)
		}
		if string(record.Raw) != contactWithParts(want) {
			t.Fatalf("record %d is %s, want %s", i, record.Raw, want)
		}
	}
	singles := 0
	for _, q := range a.Requests() {
		if q.Method == http.MethodGet {
			singles++
			if q.Query != "x=1" || q.Version != "2.17" {
				t.Fatalf("asked %+v", q)
			}
		}
	}
	if singles != 68 {
		t.Errorf("%d records were read by themselves, want 68: those left out cost nothing", singles)
	}
}

func TestT60RecordThatIsGoneBySingleReading(t *testing.T) {
	t.Parallel()
	a := withDetails(t, &testWorkspace{contacts: someContacts(2), cursors: map[string]int{}}, func(id string) string {
		if id == "id001" {
			return errNotFound
		}
		return contactWithParts(id)
	})
	r := NewReader(a.newClient(t), Request{Stream: detailStream()})
	page, err := r.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	page, err = r.ReadDetails(t.Context(), page, nil)
	if err != nil || len(page.Records) != 2 || !page.Records[1].Gone || page.Records[1].Over != "id001" || page.Records[0].Gone {
		t.Errorf("%+v, %v", page.Records, err)
	}
}

func TestT56FailedReadingByIDKeepsTheOthersAndThePage(t *testing.T) {
	t.Parallel()
	a := withDetails(t, &testWorkspace{contacts: someContacts(5), cursors: map[string]int{}}, func(id string) string {
		if id == "id004" {
			return `403 {"type":"error.list","errors":[{"code":"api_plan_restricted","message":"no"}]}`
		}
		return contactWithParts(id)
	})
	before := State{SyncedTo: secondsBeforeNoon(2 * time.Hour), HistoryDone: true, Version: "2.17", Refreshed: secondsBeforeNoon(2 * time.Hour)}
	r := NewReader(a.newClient(t), Request{Stream: detailStream(), State: before})
	page, err := r.Next(t.Context())
	if err != nil || page.State.SyncedTo == before.SyncedTo {
		t.Fatalf("%v, %s", err, page.State)
	}
	page, err = r.ReadDetails(t.Context(), page, nil)
	if api.ClassOf(err) != api.ClassPlan {
		t.Errorf("%v, want what the API said", err)
	}
	if page.State.String() != before.String() || page.Boundary {
		t.Errorf("the state moved to %s", page.State)
	}
	for _, record := range page.Records {
		if !strings.Contains(string(record.Raw), "parts") {
			t.Errorf("a record of the list was kept: %s", record.Raw)
		}
	}
}

// Holds: T56.
func TestDetailWithinTheBudgetIsKeptWhenTheBudgetEnds(t *testing.T) {
	t.Parallel()
	a := withDetails(t, &testWorkspace{contacts: someContacts(20), cursors: map[string]int{}}, contactWithParts)
	r := NewReader(a.newClient(t, func(o *api.Options) { o.MaxRequests = 12 }), Request{Stream: detailStream()})
	page, err := r.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	page, err = r.ReadDetails(t.Context(), page, nil)
	if !errors.Is(err, api.ErrBudget) || len(page.Records) != 10 {
		t.Errorf("%d records and %v; two requests were searches", len(page.Records), err)
	}
}

func TestT58SilentChangesAreLookedForNowAndThen(t *testing.T) {
	t.Parallel()
	day := 24 * time.Hour
	tests := map[string]struct {
		refreshed time.Duration // ago
		version   string
		from      time.Duration
		again     bool
	}{
		"lately":                   {refreshed: 6 * day, version: "2.17", from: 2*day + time.Hour},
		"a week ago":               {refreshed: 7 * day, version: "2.17", from: 14 * day, again: true},
		"under another version":    {refreshed: day, version: "2.16", from: 14 * day, again: true},
		"never, and yet it was on": {refreshed: 0, version: "2.17", from: 14 * day, again: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ws := newWorkspace(t, testContact{"old", secondsBeforeNoon(10 * day)}, testContact{"new", secondsBeforeNoon(day)})
			state := State{SyncedTo: secondsBeforeNoon(time.Hour), HistoryDone: true, Version: test.version}
			if test.refreshed > 0 {
				state.Refreshed = secondsBeforeNoon(test.refreshed)
			}
			ids, pages := drainPhase(t, NewReader(ws.newClient(t), Request{Stream: detailStream(), State: state}))
			if found := slices.Contains(ids, "old"); found != test.again || pages[0].RereadAll != test.again {
				t.Errorf("read %v, again %t; want %t", ids, pages[0].RereadAll, test.again)
			}
			if !strings.Contains(ws.Requests()[0].Body, fmt.Sprint(secondsBeforeNoon(test.from))) {
				t.Errorf("asked %s, want from %d", ws.Requests()[0].Body, secondsBeforeNoon(test.from))
			}
			if end := lastState(pages); (end.Refreshed == end.SyncedTo) != test.again {
				t.Errorf("state after it: %s", end)
			}
		})
	}
}

func TestAFullRefreshReadsEveryRecordByItselfUntilTheHistoryIsRead(t *testing.T) {
	t.Parallel()
	ws := newWorkspace(t, testContact{"older", secondsBeforeNoon(400 * 24 * time.Hour)}, testContact{"new", secondsBeforeNoon(time.Hour)})
	c := ws.newClient(t)
	_, forward := drainPhase(t, NewReader(c, Request{Stream: detailStream(), State: State{RereadAll: true}}))
	_, history := drainPhase(t, NewReader(c, Request{Stream: detailStream(), State: lastState(forward), Phase: History}))
	for _, page := range slices.Concat(forward, history) {
		if !page.RereadAll {
			t.Errorf("a page of a full refresh is not read again: %s", page.State)
		}
	}
	if end := lastState(history); end.RereadAll || !end.HistoryDone {
		t.Errorf("after it: %s", end)
	}
}

func TestHistoryAsksForNoRecordThatTheWindowAboveHasRead(t *testing.T) {
	t.Parallel()
	week := int64(7 * 24 * 3600)
	ws := newWorkspace(t, testContact{"old", secondsBeforeNoon(time.Hour) - 2*week}, testContact{"edge", secondsBeforeNoon(time.Hour) - week}, testContact{"new", secondsBeforeNoon(time.Hour)})
	state := State{SyncedTo: secondsBeforeNoon(0), HistoryTo: secondsBeforeNoon(time.Hour) - week, Version: "2.17"}
	ids, _ := drainPhase(t, NewReader(ws.newClient(t), Request{Stream: detailStream(), State: state, Phase: History}))
	if want := []string{"edge", "old"}; !slices.Equal(sortedDistinct(ids), want) {
		t.Errorf("read %v, want %v", ids, want)
	}
}

func TestContextEndsSingleReadings(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	a := withDetails(t, &testWorkspace{contacts: someContacts(40), cursors: map[string]int{}}, func(id string) string {
		if id == "id005" {
			cancel()
		}
		return contactWithParts(id)
	})
	r := NewReader(a.newClient(t), Request{Stream: detailStream()})
	page, err := r.Next(ctx)
	if err != nil {
		t.Fatal(err)
	}
	page, err = r.ReadDetails(ctx, page, nil)
	if !errors.Is(err, context.Canceled) || page.State.SyncedTo != 0 {
		t.Errorf("%v, %s", err, page.State)
	}
}

func TestT170ARecordThatCanNeverBeReadIsSetAside(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{"500 oops", "{", `{"type":"error.list","errors":[{"code":"odd","message":"odd"}]}`} {
		a := withDetails(t, &testWorkspace{contacts: someContacts(5), cursors: map[string]int{}}, func(id string) string {
			if id == "id002" {
				return answer
			}
			return contactWithParts(id)
		})
		r := NewReader(a.newClient(t), Request{Stream: detailStream(), State: State{SyncedTo: secondsBeforeNoon(2 * time.Hour), HistoryDone: true, Version: "2.17", Refreshed: secondsBeforeNoon(2 * time.Hour)}})
		page, err := r.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		state := page.State.String()
		page, err = r.ReadDetails(t.Context(), page, nil)
		if err != nil || !page.Boundary || page.State.String() != state || len(page.Records) != 5 {
			t.Fatalf("%s: %v, %d records, state %s", answer, err, len(page.Records), page.State)
		}
		for _, record := range page.Records {
			if aside := record.Over == "id002"; aside != (record.Missing == Unreadable) || aside != (record.Raw == nil) || aside != (record.Error != "") {
				t.Errorf("%s: %+v", answer, record)
			}
		}
	}
}

func TestT170SourceIsDownIfNoRecordCanBeRead(t *testing.T) {
	t.Parallel()
	a := withDetails(t, &testWorkspace{contacts: someContacts(3), cursors: map[string]int{}}, func(string) string { return "500 oops" })
	r := NewReader(a.newClient(t), Request{Stream: detailStream()})
	page, err := r.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if page, err = r.ReadDetails(t.Context(), page, nil); api.ClassOf(err) != api.ClassTransient || page.Boundary {
		t.Errorf("got %v", err)
	}
}

// TestT195TheAnswerOfAnotherRecordIsNone reads records by id, one of which is answered with another record: once, and always.
func TestT195TheAnswerOfAnotherRecordIsNone(t *testing.T) {
	t.Parallel()
	for _, wrong := range []int{1, 9} {
		asked := 0
		a := withDetails(t, &testWorkspace{contacts: someContacts(3), cursors: map[string]int{}}, func(id string) string {
			if id == "id001" {
				if asked++; asked <= wrong {
					return contactWithParts("id002")
				}
			}
			return contactWithParts(id)
		})
		page, err := NewReader(a.newClient(t), Request{Stream: detailStream()}).ReadByID(t.Context(), []string{"id000", "id001", "id002"})
		if err != nil || len(page.Records) != 3 || asked != 2 {
			t.Fatalf("%d records, %v after %d requests", len(page.Records), err, asked)
		}
		one := page.Records[1]
		if stays := wrong > 1; one.Over != "id001" || stays != (one.Missing == Unreadable && one.Raw == nil && strings.Contains(one.Error, "id002")) || !stays && string(one.Raw) != contactWithParts("id001") {
			t.Errorf("wrong %d times: %+v", wrong, one)
		}
	}
}

func TestT163IncompleteRecordIsRequestedOnceMore(t *testing.T) {
	t.Parallel()
	s := detailStream()
	s.Columns = append(s.Columns, textColumn("name"), textColumn("email"), textColumn("phone"))
	s.Children = []schemas.Child{{Table: "parts", From: []string{"parts", "list"}, Count: []string{"parts", "total_count"}, Key: []string{"id"}}}
	const stub, bare, good = `{"id":"id000","updated_at":5}`, `{"id":"id000","name":null}`, `{"id":"id000","name":"n","parts":{"list":[]}}`
	const few, all = `{"id":"id000","name":"n","parts":{"list":[2],"total_count":2}}`, `{"id":"id000","name":"n","parts":{"list":[1,2],"total_count":2}}`
	fullest := map[string]string{few: few, all: all}
	tests := []struct {
		name    string
		answers []string
		missing string
		asked   int
	}{
		{"whole", []string{good}, "", 1},
		{"a stub, then whole", []string{stub, good}, "", 2},
		{"no parts, then whole", []string{bare, good}, "", 2},
		{"always a stub", []string{stub}, Stub, 2},
		{"never parts", []string{bare}, NoItems, 2},
		{"null for parts", []string{`{"id":"id000","name":"n","parts":null}`}, "", 1},
		{"none by their count", []string{`{"id":"id000","name":"n","parts":{"total_count":0}}`}, "", 1},
		{"an empty list and a count of some", []string{`{"id":"id000","name":"n","parts":{"list":[],"total_count":2}}`}, NoItems, 2},
		{"an empty list and a count of none", []string{`{"id":"id000","name":"n","parts":{"list":[],"total_count":0}}`}, "", 1},
		{"fewer than their count, then all", []string{few, all}, "", 2},
		{"fewer than their count, then still fewer", []string{few, `{"id":"id000","name":"n","parts":{"list":[],"total_count":2}}`}, "", 2},
		{"a count without them", []string{`{"id":"id000","name":"n","parts":{"total_count":2}}`}, NoItems, 2},
	}
	for _, tt := range tests {
		n := 0
		a := withDetails(t, &testWorkspace{contacts: someContacts(1), cursors: map[string]int{}}, func(string) string {
			n++
			return tt.answers[min(n, len(tt.answers))-1]
		})
		page, err := NewReader(a.newClient(t), Request{Stream: s}).ReadByID(t.Context(), []string{"id000"})
		if err != nil || len(page.Records) != 1 || page.Records[0].Missing != tt.missing || n != tt.asked {
			t.Errorf("%s: %+v, %v after %d requests", tt.name, page.Records, err, n)
		}
		if want := fullest[tt.answers[0]]; want != "" && string(page.Records[0].Raw) != want && string(page.Records[0].Raw) != all {
			t.Errorf("%s: took %s", tt.name, page.Records[0].Raw)
		}
	}
}

// TestT196FewerItemsThanTheSourceSendsAreIncomplete: a source that sends three items at most, and a record that counts them.
func TestT196FewerItemsThanTheSourceSendsAreIncomplete(t *testing.T) {
	t.Parallel()
	s := detailStream()
	s.Children = []schemas.Child{{Table: "parts", From: []string{"parts", "list"}, Count: []string{"parts", "total_count"}, Key: []string{"id"}}}
	s.Capped = schemas.Capped{Count: s.Children[0].Count, Most: 3, Of: "parts"}
	for _, tt := range []struct {
		parts   string
		missing string
		asked   int
		cut     int64 // the count that the audit reports
	}{
		{`{"list":[1,2],"total_count":2}`, "", 1, 0},
		{`{"list":[1,2],"total_count":3}`, FewItems, 2, 0},
		{`{"list":[1,2],"total_count":9}`, FewItems, 2, 9},
		{`{"list":[1,2,3],"total_count":9}`, "", 1, 9},
		{`{"list":[1,2]}`, "", 1, 0},
		{`{"list":[],"total_count":2}`, NoItems, 2, 0},
		{`{"total_count":2}`, NoItems, 2, 0},
		{`{"list":[],"total_count":0}`, "", 1, 0},
	} {
		n := 0
		a := withDetails(t, &testWorkspace{contacts: someContacts(1), cursors: map[string]int{}}, func(string) string {
			n++
			return `{"id":"id000","name":"n","parts":` + tt.parts + `}`
		})
		page, err := NewReader(a.newClient(t), Request{Stream: s}).ReadByID(t.Context(), []string{"id000"})
		if err != nil || len(page.Records) != 1 || page.Records[0].Missing != tt.missing || n != tt.asked || page.Records[0].Raw == nil {
			t.Errorf("%s: %+v, %v after %d requests", tt.parts, page.Records, err, n)
			continue
		}
		if _, _, _, of := FindTruncated(s, page.Records[0].Raw); of != tt.cut {
			t.Errorf("%s: cut from %d", tt.parts, of)
		}
	}
}

// textColumn is a column of texts under its own name.
func textColumn(name string) schemas.Column {
	return schemas.Column{Name: name, From: []string{name}, Type: schemas.Text}
}
