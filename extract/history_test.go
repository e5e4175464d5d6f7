package extract

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"aqueduck/extract/api"
	"aqueduck/extract/internal/apitest"
	"aqueduck/extract/internal/windows"
)

// longHistory is a workspace with a contact on each of 400 days, the newest eight days before noon. onRequest is called with the end
// of the window that a request asks for, and may answer it.
func longHistory(t *testing.T, onRequest func(end int64) (answer string)) *testWorkspace {
	ws := &testWorkspace{cursors: map[string]int{}}
	for i := range 400 {
		ws.contacts = append(ws.contacts, testContact{fmt.Sprintf("c%04d", i), secondsBeforeNoon(8*day+time.Duration(i)*day) - 3600})
	}
	ws.fakeAPI = serveAPI(t, func(w http.ResponseWriter, r *http.Request, body string) {
		if answer := onRequest(windowEnd(body)); answer != "" {
			apitest.Reply(w, answer)
			return
		}
		ws.serveSearch(w, r, body)
	})
	return ws
}

var upperEnd = regexp.MustCompile(`"operator":"(?:<|\\u003c)","value":(\d+)`)

// windowEnd is the end of the history window that a request asks for, 0 when it is of no history window.
func windowEnd(body string) int64 {
	found := upperEnd.FindStringSubmatch(body)
	if found == nil {
		return 0
	}
	at, err := strconv.ParseInt(found[1], 10, 64)
	if err != nil {
		panic(err)
	}
	return at - int64(windows.Margin/time.Second)
}

// pacedClient is a client that has learned a pace, in requests a second.
func pacedClient(t *testing.T, ws *testWorkspace, pace float64, options ...func(*api.Options)) *api.Client {
	budget := api.NewBudget(0)
	budget.ResumePace(api.LearnedPace{Pace: pace, Known: pace})
	return ws.newClient(t, append(options, func(o *api.Options) { o.Budget = budget })...)
}

// sideBySide asks for the history of a longHistory, with windows side by side.
func sideBySide(from State) Request {
	s := searchStream()
	s.Read.Page.Size = 5
	return Request{Stream: s, State: from, Phase: History, ReadAhead: always, Left: 400, Oldest: time.Unix(secondsBeforeNoon(408*day), 0)}
}

// beforeHistory is the state after the forward phase.
func beforeHistory() State {
	return State{SyncedTo: watermark, HistoryTo: secondsBeforeNoon(8 * day), Version: "2.17"}
}

// TestWindowsOfTheHistoryAreReadSideBySide holds the newest window's answers back until a request for another window comes.
func TestWindowsOfTheHistoryAreReadSideBySide(t *testing.T) {
	t.Parallel()
	newest, other, once := secondsBeforeNoon(8*day), make(chan struct{}), sync.Once{}
	first := true
	var mu sync.Mutex // guards first
	ws := longHistory(t, func(end int64) string {
		mu.Lock()
		held := end == newest && !first // the second window is planned when the first has a count
		first = false
		mu.Unlock()
		if held {
			await(t, other, "a window below the newest")
		} else if end != newest {
			once.Do(func() { close(other) })
		}
		return ""
	})
	r := NewReader(pacedClient(t, ws, 80), withoutCount(sideBySide(beforeHistory())))
	defer r.Close()
	if ids, pages := drainPhase(t, r); len(sortedDistinct(ids)) != 400 || !lastState(pages).HistoryDone {
		t.Errorf("%d of 400 records, state %s", len(sortedDistinct(ids)), lastState(pages))
	}
}

// withoutCount is a request whose history has no known size: its windows double.
func withoutCount(r Request) Request {
	r.Left, r.Oldest = 0, time.Time{}
	return r
}

// TestT138HistoryBoundMovesOnlyOverFinishedWindows holds the newest window back until all others are read. Then the reading ends like a kill.
// The next one reads the rest of the newest window and nothing else.
func TestT138HistoryBoundMovesOnlyOverFinishedWindows(t *testing.T) {
	t.Parallel()
	newest, release := secondsBeforeNoon(8*day), make(chan struct{})
	holding := true
	var mu sync.Mutex // guards holding and asked
	asked := map[int64]int{}
	ws := longHistory(t, func(end int64) string {
		mu.Lock()
		held := holding && end == newest && asked[end] > 0
		asked[end]++
		mu.Unlock()
		if held {
			await(t, release, "the newest window")
		}
		return ""
	})
	c := pacedClient(t, ws, 80)
	r := NewReader(c, withoutCount(sideBySide(beforeHistory())))
	read := map[string]bool{}
	state := beforeHistory()
	below := func(s State) (done int) {
		for _, w := range s.Below {
			if w.Done {
				done++
			}
		}
		return done
	}
	for below(state) < 6 { // 28, 56, 112, 224 and 448 days, and all before
		p, err := r.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		noteIDs(t, read, p)
		if state = mustParse(t, p.State.String()); state.HistoryTo != newest {
			t.Fatalf("the newest window is not done, and the history reached %s", state)
		}
	}
	mu.Lock()
	holding, asked = false, map[int64]int{}
	mu.Unlock()
	close(release)
	r.Close()

	r = NewReader(c, withoutCount(sideBySide(state)))
	defer r.Close()
	ids, pages := drainPhase(t, r)
	for _, id := range ids {
		read[id] = true
	}
	mu.Lock()
	defer mu.Unlock()
	if len(asked) != 1 || asked[newest] == 0 || len(read) != 400 || !lastState(pages).HistoryDone || lastState(pages).Below != nil {
		t.Errorf("asked for windows to %v; %d of 400 records; state %s", asked, len(read), lastState(pages))
	}
}

func noteIDs(t *testing.T, read map[string]bool, p Page) {
	for _, record := range p.Records {
		id, ok := RecordKey(searchStream(), record.Raw)
		if !ok {
			t.Fatalf("a record without a key: %s", record.Raw)
		}
		read[id] = true
	}
}

// TestAKillAtEachPageOfWindowsSideBySideLosesNothing ends the reading after every page, and goes on from the state of that page.
func TestAKillAtEachPageOfWindowsSideBySideLosesNothing(t *testing.T) {
	t.Parallel()
	ws := longHistory(t, func(int64) string { return "" })
	c := pacedClient(t, ws, 80)
	for _, each := range []int{3, 10} {
		read, state, pages := map[string]bool{}, beforeHistory(), 0
		for done := false; !done; {
			r := NewReader(c, sideBySide(state))
			for range each {
				p, err := r.Next(t.Context())
				if done = errors.Is(err, io.EOF); done {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				if pages++; pages > 400 {
					t.Fatalf("no end: %s", state)
				}
				noteIDs(t, read, p)
				state = mustParse(t, p.State.String())
			}
			r.Close()
		}
		if len(read) != 400 || !state.HistoryDone {
			t.Errorf("after %d pages each: %d of 400 records, state %s", each, len(read), state)
		}
	}
}

// TestRefusalReducesTheWindowsSideBySide: at half the pace only the newest of two windows asks for more pages, and the other one rests.
func TestRefusalReducesTheWindowsSideBySide(t *testing.T) {
	t.Parallel()
	newest := secondsBeforeNoon(8 * day)
	var mu sync.Mutex // guards refuse and asked
	refuse, asked := false, map[int64]int{}
	ws := longHistory(t, func(end int64) string {
		mu.Lock()
		defer mu.Unlock()
		asked[end]++
		if refuse {
			refuse = false
			return "429 {}"
		}
		return ""
	})
	request := withoutCount(sideBySide(beforeHistory()))
	request.Stream.Read.Page.Size = 1 // 14 pages of the newest window
	r := NewReader(pacedClient(t, ws, 2*windowPace), request)
	defer r.Close()
	firstPage(t, r)
	mu.Lock()
	refuse = true
	mu.Unlock()
	readWindow(t, r, newest)
	mu.Lock()
	defer mu.Unlock()
	below := sumBelow(asked, newest)
	// Before the refusal: one or two pages that the caller may take, and the page ahead of each.
	if asked[newest] < 14 || below > 8 {
		t.Errorf("asked %d times for the newest window, %d times for others", asked[newest], below)
	}
}

// readWindow reads until the window with an end is done.
func readWindow(t *testing.T, r *Reader, end int64) {
	t.Helper()
	for p := (Page{}); !p.Boundary || p.Window.To != end; {
		p = firstPage(t, r)
	}
}

// sumBelow is the number of requests for other windows than the newest.
func sumBelow(asked map[int64]int, newest int64) (below int) {
	for end, n := range asked {
		if end != newest {
			below += n
		}
	}
	return below
}

// TestWindowsSideBySideNeedNoMoreRequests compares with the windows of a reading at the slowest pace, one after the other.
func TestWindowsSideBySideNeedNoMoreRequests(t *testing.T) {
	t.Parallel()
	var asked [2]int
	for i, pace := range []float64{1, 20 * windowPace} {
		ws := longHistory(t, func(int64) string { return "" })
		c := pacedClient(t, ws, pace)
		r := NewReader(c, sideBySide(beforeHistory()))
		if ids, _ := drainPhase(t, r); len(sortedDistinct(ids)) != 400 {
			t.Errorf("%d of 400 records", len(sortedDistinct(ids)))
		}
		r.Close()
		asked[i] = int(c.Requests())
	}
	if asked[1] > asked[0] {
		t.Errorf("%d requests one window after the other, %d side by side", asked[0], asked[1])
	}
}

// TestRecordOfTheNewerWindowIsNotCompletedAgain: the request for a window reaches two days above it, and cut lists of those records
// are read once.
func TestRecordOfTheNewerWindowIsNotCompletedAgain(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex // guards tags and asked
	tags := map[string]int{}
	newest, noted, asked := secondsBeforeNoon(8*day), make(chan struct{}), 0
	ws := longHistory(t, func(int64) string { return "" })
	ws.fakeAPI = serveAPI(t, func(w http.ResponseWriter, r *http.Request, body string) {
		if r.Method == http.MethodGet {
			mu.Lock()
			tags[strings.Split(r.URL.Path, "/")[2]]++
			mu.Unlock()
			apitest.Reply(w, tagList(12, ""))
			return
		}
		if windowEnd(body) != newest {
			await(t, noted, "the newest window's first page")
		}
		mu.Lock()
		if asked++; asked == 3 && windowEnd(body) == newest { // the first page has been taken
			close(noted)
		}
		mu.Unlock()
		recorded := httptest.NewRecorder()
		ws.serveSearch(recorded, r, body)
		apitest.Reply(w, cutTags.ReplaceAllString(recorded.Body.String(), `"id":"$1","tags":{"data":[{"id":"t"}],"total_count":12,"url":"/contacts/$1/tags"}`))
	})
	edge := secondsBeforeNoon(22 * day) // where the newest window ends and the next one begins
	ws.touchContact("c-edge", edge)
	request := withoutCount(sideBySide(beforeHistory()))
	request.Stream = taggedStream()
	request.Stream.Read.Page.Size = 5
	r := NewReader(pacedClient(t, ws, 2*windowPace), request)
	defer r.Close()
	ids, pages := drainPhase(t, r)
	if len(sortedDistinct(ids)) != 401 || len(tags) != 401 {
		t.Errorf("%d of 401 records, %d with all tags", len(sortedDistinct(ids)), len(tags))
	}
	for id, n := range tags {
		if n > 1 && id != "c-edge" {
			t.Errorf("the tags of %s were read %d times", id, n)
		}
	}
	// A record of the window itself is not left out: a window that lacks what is stored of it is doubted.
	if !slices.ContainsFunc(pages, func(p Page) bool {
		return p.Window != nil && p.Window.To == edge && slices.ContainsFunc(p.Records, func(r Record) bool { return strings.Contains(string(r.Raw), "c-edge") })
	}) {
		t.Error("the window below lacks the record of its last second")
	}
}

var cutTags = regexp.MustCompile(`"id":"(c[\w-]+)"`)

// TestFirstWindowWithManyRecordsIsShortened: the newest records are read alone, so there are few of them.
func TestFirstWindowWithManyRecordsIsShortened(t *testing.T) {
	t.Parallel()
	const hours, contacts = 160, 160 * 22 // of the last week
	for _, each := range []struct {
		pace        float64
		least, most int // records of the first window
	}{
		{pace: 20 * windowPace, least: 2_500, most: 3_200},
		{pace: windowPace, least: contacts, most: contacts}, // one window uses the pace
	} {
		ws := &testWorkspace{cursors: map[string]int{}}
		for i := range contacts {
			ws.contacts = append(ws.contacts, testContact{fmt.Sprintf("c%04d", i), secondsBeforeNoon(time.Duration(i%hours) * hour)})
		}
		ws.fakeAPI = serveAPI(t, ws.serveSearch)
		c := pacedClient(t, ws, each.pace)
		s := searchStream()
		r := NewReader(c, Request{Stream: s, ReadAhead: always})
		ids, pages := drainPhase(t, r)
		r.Close()
		if n := len(sortedDistinct(ids)); n < each.least || n > each.most {
			t.Errorf("at %.0f requests a second: %d records in the first window, want %d to %d", each.pace, n, each.least, each.most)
		}
		r = NewReader(c, Request{Stream: s, ReadAhead: always, Phase: History, State: mustParse(t, lastState(pages).String())})
		older, pages := drainPhase(t, r)
		r.Close()
		if n := len(sortedDistinct(append(ids, older...))); n != contacts || !lastState(pages).HistoryDone {
			t.Errorf("%d of %d records, state %s", n, contacts, lastState(pages))
		}
	}
}

// TestLowerWindowsRestWhileRequestsWait: the newest windows are read first where the pace allows no more.
func TestLowerWindowsRestWhileRequestsWait(t *testing.T) {
	t.Parallel()
	newest := secondsBeforeNoon(8 * day)
	var mu sync.Mutex // guards asked
	asked := map[int64]int{}
	ws := longHistory(t, func(end int64) string {
		mu.Lock()
		defer mu.Unlock()
		asked[end]++
		return ""
	})
	// The clock stands, so more and more requests wait.
	c := pacedClient(t, ws, 4*windowPace, func(o *api.Options) { o.Wait = func(context.Context, time.Duration) error { return nil } })
	request := withoutCount(sideBySide(beforeHistory()))
	request.Stream.Read.Page.Size = 1
	r := NewReader(c, request)
	defer r.Close()
	readWindow(t, r, newest)
	mu.Lock()
	defer mu.Unlock()
	below := sumBelow(asked, newest)
	// Before four requests wait, the windows below ask for a page or two each.
	if asked[newest] < 14 || below > 8 {
		t.Errorf("asked for windows to %v, want little of those below %d", asked, newest)
	}
}
