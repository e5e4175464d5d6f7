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
	"time"

	"aqueduck/extract/api"
	"aqueduck/extract/internal/apitest"
	"aqueduck/extract/internal/scan"
	"aqueduck/schemas"
)

func logStream() *schemas.Stream {
	return &schemas.Stream{
		Name: "admin_activity_logs", Key: []string{"id"},
		Columns: []schemas.Column{{Name: "id", From: []string{"id"}}},
		Read: schemas.Read{
			Method: "GET", Path: "/admins/activity_logs", Records: []string{"activity_logs"}, Page: schemas.Page{By: "none"},
			Since: schemas.Since{By: "between", Field: "created_at", Lag: 15 * time.Minute, Overlap: 48 * time.Hour},
		},
	}
}

// boundedLog is a log as the API serves it: the newest entries between two times, up to a maximum.
type boundedLog struct {
	times []int64 // of the entries; their ids are their indexes
	most  int
	out   bool   // the bounds are exclusive
	more  string // the pages object when there are more entries
}

const (
	moreByNext  = `{"type":"pages","page":1,"next":{"page":2}}`
	moreByURL   = `{"type":"pages","next":"https://elsewhere.example/admins/activity_logs?page=2"}`
	moreByTotal = `{"type":"pages","page":1,"per_page":20,"total_pages":2}`
)

func (b *boundedLog) serveLog(w http.ResponseWriter, r *http.Request, _ string) {
	after, err := strconv.ParseInt(r.URL.Query().Get("created_at_after"), 10, 64)
	if err != nil {
		apitest.Reply(w, `404 {"type":"error.list","errors":[{"code":"parameter_not_found","message":"created_at_after"}]}`)
		return
	}
	before, _ := strconv.ParseInt(r.URL.Query().Get("created_at_before"), 10, 64)
	if b.out {
		after, before = after+1, before-1
	}
	var found []string
	for i, at := range b.times {
		if at >= after && at <= before {
			found = append(found, fmt.Sprintf(`{"id":"%d","created_at":%d}`, i, at))
		}
	}
	slices.Reverse(found)
	pages := "{}"
	if len(found) > b.most {
		found, pages = found[:b.most], b.more
	}
	apitest.Reply(w, `{"type":"activity_log.list","activity_logs":[`+strings.Join(found, ",")+`],"pages":`+pages+`}`)
}

// TestT84AFullAnswerWithoutPagingIsSplit: the document allows an empty pages object. Then only as many entries as were asked for show
// that there may be more.
func TestT84AFullAnswerWithoutPagingIsSplit(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		more     string // the pages object when there are more entries
		times    []int64
		overflow bool
	}{
		"empty":         {more: "{}"},
		"null":          {more: "null"},
		"in one second": {more: "{}", times: slices.Repeat([]int64{noon.Unix() - 7200}, 20), overflow: true},
		"one less":      {more: "{}", times: slices.Repeat([]int64{noon.Unix() - 7200}, 19)},
	} {
		b := &boundedLog{most: 20, more: test.more, times: test.times}
		for i := int64(0); test.times == nil && i < 900; i++ {
			b.times = append(b.times, noon.Unix()-3600-i*60)
		}
		slices.Sort(b.times)
		s := logStream()
		s.Read.Query = []schemas.Param{{Name: "per_page", Value: "20"}}
		before := State{SyncedTo: noon.Unix() - 24*3600, HistoryDone: true}
		ids, pages, err := tryDrain(NewReader(serveAPI(t, b.serveLog).newClient(t), Request{Stream: s, State: before}))
		if errors.Is(err, errOverflow) != test.overflow || !test.overflow && (err != nil || len(sortedDistinct(ids)) != len(b.times)) {
			t.Errorf("%s: %d of %d entries, %v", name, len(sortedDistinct(ids)), len(b.times), err)
		}
		if moved := len(pages) > 0 && lastState(pages).SyncedTo > before.SyncedTo; moved == test.overflow {
			t.Errorf("%s: watermark moved: %t", name, moved)
		}
	}
}

// readBook reads forward, then the history, as a run does, and gives the ids met, each once.
func readBook(t testing.TB, c *api.Client, st State, start time.Time) (ids map[string]bool, after State, err error) {
	t.Helper()
	ids, after = map[string]bool{}, st
	for _, phase := range []Phase{Forward, History} {
		some, pages, err := tryDrain(NewReader(c, Request{Stream: logStream(), State: after, Phase: phase, Start: start}))
		for _, id := range some {
			ids[id] = true
		}
		if len(pages) > 0 {
			after = lastState(pages)
		}
		if err != nil {
			return ids, after, err
		}
	}
	return ids, after, nil
}

func TestT84WindowsAreSplitUntilOneAnswerHoldsAll(t *testing.T) {
	t.Parallel()
	for name, more := range map[string]string{"next": moreByNext, "next as URL": moreByURL, "total_pages": moreByTotal} {
		for _, out := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, bounds outside %t", name, out), func(t *testing.T) {
				t.Parallel()
				b := &boundedLog{most: 20, out: out, more: more}
				for i := range int64(10_000) { // in one hour, three in each second at most
					b.times = append(b.times, noon.Unix()-30*24*3600+i*3600/10_000)
				}
				for i := range int64(300) { // a year of the usual
					b.times = append(b.times, noon.Unix()-3600-i*365*24*12)
				}
				slices.Sort(b.times)
				c := serveAPI(t, b.serveLog).newClient(t)
				ids, st, err := readBook(t, c, State{}, time.Time{})
				if err != nil || len(ids) != len(b.times) {
					t.Fatalf("read %d of %d entries, %v", len(ids), len(b.times), err)
				}
				if !st.HistoryDone || st.SyncedTo != noon.Add(-15*time.Minute).Unix() || st.Window != nil || st.Version == "" {
					t.Errorf("state %s", st)
				}
				if n := c.Requests(); n > 1200 {
					t.Errorf("%d requests", n)
				}
			})
		}
	}
}

func TestT84OverfullSecondFailsTheStream(t *testing.T) {
	t.Parallel()
	b := &boundedLog{most: 20, more: moreByNext}
	for range 50 {
		b.times = append(b.times, noon.Unix()-3*24*3600)
	}
	b.times = append(b.times, noon.Unix()-5*24*3600, noon.Unix()-24*3600)
	slices.Sort(b.times)
	ids, st, err := readBook(t, serveAPI(t, b.serveLog).newClient(t), State{}, time.Time{})
	if !errors.Is(err, errOverflow) || api.ClassOf(err) != api.ClassContract || !strings.Contains(err.Error(), "2026-03-07T") {
		t.Errorf("got %v", err)
	}
	if st.SyncedTo != 0 || !ids["0"] || ids["51"] {
		t.Errorf("read %v, state %s: what lies before the second is whole, the watermark has not moved", ids, st)
	}
}

// TestBetweenContinuesAfterEveryAnswer stops the reading after each answer. The next reader resumes there, loses nothing, and reads
// only the lookback window twice.
func TestBetweenContinuesAfterEveryAnswer(t *testing.T) {
	t.Parallel()
	b := &boundedLog{most: 20, more: moreByTotal}
	for i := range int64(700) {
		b.times = append(b.times, noon.Unix()-3600-i*i*50)
	}
	slices.Sort(b.times)
	a := serveAPI(t, b.serveLog)
	st, ids := State{}, map[string]bool{}
	for n := 0; ; n++ {
		phase := Forward
		if st.SyncedTo > 0 {
			phase = History
		}
		p, err := NewReader(a.newClient(t), Request{Stream: logStream(), State: st, Phase: phase}).Next(context.Background())
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil || n > 500 {
			t.Fatalf("reader %d: %v, state %s", n, err, st)
		}
		for _, r := range p.Records {
			id, _ := scan.Text(scan.Field(r.Raw, "id"))
			ids[id] = true
		}
		var parsed error
		if st, parsed = ParseState(p.State.String()); parsed != nil {
			t.Fatal(parsed)
		}
	}
	if len(ids) != len(b.times) || !st.HistoryDone {
		t.Errorf("read %d of %d, state %s", len(ids), len(b.times), st)
	}
}

func TestBetweenReadsOnlyWhatIsNewAndNothingBeforeItsStart(t *testing.T) {
	t.Parallel()
	b := &boundedLog{most: 20, more: moreByNext}
	for i := range int64(100) {
		b.times = append(b.times, noon.Unix()-i*24*3600)
	}
	slices.Sort(b.times)
	a := serveAPI(t, b.serveLog)
	ids, st, err := readBook(t, a.newClient(t), State{}, noon.Add(-30*24*time.Hour))
	if err != nil || len(ids) < 30 || len(ids) > 32 || !st.HistoryDone {
		t.Fatalf("read %d, %v, state %s", len(ids), err, st)
	}
	a.Clock.Set(a.Clock.Now().Add(24 * time.Hour))
	b.times = append(b.times, a.Clock.Now().Add(-time.Hour).Unix())
	c := a.newClient(t)
	ids, next, err := readBook(t, c, st, noon.Add(-30*24*time.Hour))
	if err != nil || !ids["100"] || len(ids) > 5 || c.Requests() > 2 || next.SyncedTo != st.SyncedTo+24*3600 {
		t.Errorf("read %v with %d requests, %v, state %s", ids, c.Requests(), err, next)
	}
	// An explicit window moves no watermark.
	_, pages, err := tryDrain(NewReader(a.newClient(t), Request{Stream: logStream(), State: next, Since: noon.Add(-80 * 24 * time.Hour), Until: noon.Add(-70 * 24 * time.Hour)}))
	if err != nil || lastState(pages).String() != next.String() || len(pages[0].Records) < 10 {
		t.Errorf("an explicit window: %v, %+v", err, pages)
	}
}

// Holds: T133.
func TestBetweenWithoutAServersClockConcludesFromItsRecords(t *testing.T) {
	t.Parallel()
	b := &boundedLog{times: []int64{noon.Unix() - 7200, noon.Unix() - 3600}, most: 20, more: moreByNext}
	a := serveAPI(t, func(w http.ResponseWriter, r *http.Request, body string) {
		w.Header()["Date"] = nil
		b.serveLog(w, r, body)
	})
	ids, st, err := readBook(t, a.newClient(t), State{}, time.Time{})
	if err != nil || len(ids) != 2 || st.SyncedTo != noon.Unix()-3600-15*60 {
		t.Errorf("read %v, %v, state %s", ids, err, st)
	}
}

func TestBetweenAWindowThatTimesOutIsHalved(t *testing.T) {
	t.Parallel()
	b := &boundedLog{times: []int64{noon.Unix() - 3*24*3600, noon.Unix() - 24*3600}, most: 20, more: moreByNext}
	a := serveAPI(t, func(w http.ResponseWriter, r *http.Request, body string) {
		after, _ := strconv.ParseInt(r.URL.Query().Get("created_at_after"), 10, 64)
		before, _ := strconv.ParseInt(r.URL.Query().Get("created_at_before"), 10, 64)
		if before-after > 4*24*3600 {
			apitest.Reply(w, "504 ")
			return
		}
		b.serveLog(w, r, body)
	})
	st := State{SyncedTo: noon.Add(-5 * 24 * time.Hour).Unix(), HistoryDone: true}
	ids, pages := drainPhase(t, NewReader(a.newClient(t), Request{Stream: logStream(), State: st}))
	if len(ids) != 2 || lastState(pages).SyncedTo != noon.Add(-15*time.Minute).Unix() {
		t.Errorf("read %v, state %s", ids, lastState(pages))
	}
}
