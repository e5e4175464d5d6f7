package extract

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"aqueduck/extract/api"
	"aqueduck/extract/internal/apitest"
	"aqueduck/extract/internal/scan"
	"aqueduck/schemas"
)

// eventLog is a feed by cursor, which is the id of the event before the page.
type eventLog struct {
	*fakeAPI
	events []string // in the feed's order
	kept   int      // earlier events have been dropped
	tail   bool     // the last page has a cursor, too
	silent bool     // the last page has no `next`
	lost   int      // number of the answer, from 1, that lacks its `next`
	served int
	dead   bool // all cursors have expired
}

func newLog(t testing.TB, n int) *eventLog {
	t.Helper()
	l := &eventLog{}
	l.appendEvents(n)
	l.fakeAPI = serveAPI(t, func(w http.ResponseWriter, r *http.Request, _ string) {
		q := r.URL.Query()
		size, _ := strconv.Atoi(q.Get("per_page"))
		from := l.kept
		if token := q.Get("starting_after"); token != "" {
			if l.dead {
				apitest.Reply(w, errClient)
				return
			}
			for from < len(l.events) && l.events[from] <= token {
				from++
			}
		}
		to := min(from+size, len(l.events))
		var records []string
		for _, id := range l.events[from:to] {
			records = append(records, fmt.Sprintf(`{"id":%q}`, id))
		}
		var next any
		if token := q.Get("starting_after"); to < len(l.events) || l.tail {
			if to > from {
				token = l.events[to-1]
			}
			next = map[string]any{"starting_after": token}
		}
		pages := envelopeOf(records, 0, next)
		if l.served++; l.silent && next == nil || l.served == l.lost {
			pages = pages[:strings.Index(pages, `,"pages"`)] + "}"
		}
		pages = strings.Replace(pages, `,"total_count":0`, "", 1)
		apitest.Reply(w, "{"+pages[len(`{"type":"list",`):])
	})
	return l
}

func (l *eventLog) appendEvents(n int) {
	for range n {
		l.events = append(l.events, fmt.Sprintf("e%04d", 10*len(l.events)))
	}
}

func TestT38FeedReadsItsLastPageAgain(t *testing.T) {
	t.Parallel()
	for _, tail := range []bool{false, true} {
		t.Run(fmt.Sprintf("tail=%t", tail), func(t *testing.T) {
			t.Parallel()
			l := newLog(t, 25)
			l.tail = tail
			s := feedStream()
			s.Read.Page.Size = 10
			ids, pages := drainPhase(t, NewReader(l.newClient(t), Request{Stream: s}))
			if !slices.Equal(ids, l.events) || lastState(pages).SyncedTo != noon.Unix() || !pages[len(pages)-1].Boundary {
				t.Errorf("read %v, state %s", ids, lastState(pages))
			}
			if b := lastState(pages).Bookmark; b == nil || b.Token != "e0190" || b.Last != "e0240" {
				t.Fatalf("bookmark %+v, want the cursor of the last page that held anything", b)
			}

			// Between two readings the feed has grown, and an event was added before ones that were read.
			l.events = slices.Insert(l.events, 23, "e0225")
			l.appendEvents(3)
			more, pages := drainPhase(t, NewReader(l.newClient(t), Request{Stream: s, State: mustParse(t, lastState(pages).String())}))
			if !slices.Equal(more, l.events[20:]) {
				t.Errorf("then read %v, want %v", more, l.events[20:])
			}
			// Nothing new: the last page is read, and the page after its cursor.
			before := len(l.Requests())
			more, pages = drainPhase(t, NewReader(l.newClient(t), Request{Stream: s, State: lastState(pages)}))
			if len(l.Requests())-before > 2 || len(more) == 0 || lastState(pages).Bookmark == nil {
				t.Errorf("a quiet feed: %v in %d requests", more, len(l.Requests())-before)
			}
			for _, p := range pages {
				if p.Gap {
					t.Error("a gap where there is none")
				}
			}
		})
	}
}

func TestT38FeedKilledAtEachPageLosesNothing(t *testing.T) {
	t.Parallel()
	l := newLog(t, 55)
	s := feedStream()
	s.Read.Page.Size = 10
	var read []string
	var state State
	for n := 1; n <= 6; n++ {
		// Each run gets one page further than the last before it is killed.
		r := NewReader(l.newClient(t), Request{Stream: s, State: mustParse(t, state.String())})
		for range min(n, 2) {
			p := firstPage(t, r)
			for _, rec := range p.Records {
				id, _ := scan.Text(scan.Field(rec.Raw, "id"))
				read = append(read, id)
			}
			state = p.State
		}
	}
	if got := sortedDistinct(read); !slices.Equal(got, l.events) {
		t.Errorf("read %v", got)
	}
}

func TestT39AFeedThatLostItsPositionReportsAGap(t *testing.T) {
	t.Parallel()
	s := feedStream()
	s.Read.Page.Size = 10
	for name, outage := range map[string]func(*eventLog){
		"cursor is dead":      func(l *eventLog) { l.dead = true; l.kept = 40; l.appendEvents(3) },
		"events are gone":     func(l *eventLog) { l.kept = 40; l.appendEvents(20) },
		"all events are gone": func(l *eventLog) { l.kept = 25 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLog(t, 25)
			_, pages := drainPhase(t, NewReader(l.newClient(t), Request{Stream: s}))
			l.appendEvents(17)
			outage(l)
			ids, pages, err := tryDrain(NewReader(l.newClient(t), Request{Stream: s, State: lastState(pages)}))
			if l.dead {
				// The next page needs a cursor: the first page is kept, the gap is reported, then the reading stops.
				if api.ClassOf(err) != "" || len(ids) == 0 {
					t.Errorf("read %v, %v", ids, err)
				}
			} else if err != nil {
				t.Fatal(err)
			}
			gaps := 0
			for _, p := range pages {
				if p.Gap {
					gaps++
				}
			}
			if gaps != 1 {
				t.Errorf("%d gaps told, want 1", gaps)
			}
			if !slices.Equal(sortedDistinct(ids), l.events[l.kept:]) {
				t.Errorf("read %v, want %v", sortedDistinct(ids), l.events[l.kept:])
			}
		})
	}
}

func TestAFeedOfOnePageThatLostItsBeginningReportsAGap(t *testing.T) {
	t.Parallel()
	l := newLog(t, 5)
	_, pages := drainPhase(t, NewReader(l.newClient(t), Request{Stream: feedStream()}))
	l.kept = 8
	l.appendEvents(5)
	_, pages = drainPhase(t, NewReader(l.newClient(t), Request{Stream: feedStream(), State: lastState(pages)}))
	if !pages[0].Gap {
		t.Error("no gap told")
	}
}

func TestFeedFindsItsPositionByIDsOfAnyForm(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*schemas.Stream)
	}{
		"a number":    {change: func(*schemas.Stream) {}},
		"no such key": {change: func(s *schemas.Stream) { s.Key = []string{"a", "b"} }},
	} {
		a := serveAPI(t, apitest.AnswerWith(`{"data":[{"id":41},{"id":42}],"pages":{"next":null}}`))
		s := feedStream()
		test.change(s)
		_, pages := drainPhase(t, NewReader(a.newClient(t), Request{Stream: s}))
		_, pages = drainPhase(t, NewReader(a.newClient(t), Request{Stream: s, State: mustParse(t, lastState(pages).String())}))
		if pages[0].Gap {
			t.Errorf("%s: a gap where there is none", name)
		}
	}
}

func TestEmptyFeedKeepsItsBookmark(t *testing.T) {
	t.Parallel()
	a := serveAPI(t, apitest.AnswerWith(`{"data":[]}`))
	state := State{Bookmark: &Position{Token: "a", Fingerprint: "other", Last: "x"}}
	_, pages := drainPhase(t, NewReader(a.newClient(t), Request{Stream: feedStream(), State: state}))
	if got := lastState(pages); got.Bookmark == nil || got.Bookmark.Token != "a" {
		t.Errorf("state %s", got)
	}
	if got := a.Requests()[0]; got.Method != http.MethodGet || got.Query != "per_page=150" {
		t.Errorf("asked %+v: a cursor of another request must not be sent", got)
	}
}

// The server forgets all cursors and answers them with status 200: with an empty page, or with its newest page.
func TestAForgottenCursorWithStatus200ReadsTheFeedAgain(t *testing.T) {
	t.Parallel()
	for name, from := range map[string]int{"an empty page": 40, "the newest page": 30} {
		l := newLog(t, 25)
		s := feedStream()
		s.Read.Page.Size = 10
		_, pages := drainPhase(t, NewReader(l.newClient(t), Request{Stream: s}))
		l.appendEvents(15)
		old := lastState(pages).Bookmark.Token
		a := serveAPI(t, func(w http.ResponseWriter, r *http.Request, _ string) {
			token := r.URL.Query().Get("starting_after")
			if token == old {
				apitest.Reply(w, envelopeOf(eventRecords(l.events[from:]), 40, nil))
				return
			}
			// The new cursors have another form.
			at, _ := strconv.Atoi(strings.TrimPrefix(token, "new"))
			var next any
			if at < 30 {
				next = map[string]any{"starting_after": fmt.Sprint("new", at+10)}
			}
			apitest.Reply(w, envelopeOf(eventRecords(l.events[at:at+10]), 40, next))
		})
		state := lastState(pages)
		walk := newWalk(a.newClient(t), listOf(s, 0), nil)
		state.Bookmark.Fingerprint = walk.fingerprint
		for range 2 { // a run that is killed after the first page, and the next run
			p := firstPage(t, NewReader(a.newClient(t), Request{Stream: s, State: state}))
			if state = p.State; !p.Gap || p.Boundary || state.Bookmark.Token != old {
				t.Errorf("%s: first page: gap %t, boundary %t, bookmark %+v; want the old one kept", name, p.Gap, p.Boundary, state.Bookmark)
			}
		}
		ids, pages := drainPhase(t, NewReader(a.newClient(t), Request{Stream: s, State: state, ReadAhead: func() bool { return true }}))
		if got := sortedDistinct(ids); !slices.Equal(got, l.events) {
			t.Errorf("%s: read %v, want all", name, got)
		}
		gaps := 0
		for _, p := range pages {
			if p.Gap {
				gaps++
			}
		}
		if gaps != 1 || lastState(pages).Bookmark.Token != "new30" {
			t.Errorf("%s: %d gaps told, bookmark %+v", name, gaps, lastState(pages).Bookmark)
		}
	}
}

// eventRecords is the JSON of events.
func eventRecords(ids []string) (records []string) {
	for _, id := range ids {
		records = append(records, fmt.Sprintf(`{"id":%q}`, id))
	}
	return records
}
