package extract

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"aqueduck/extract/api"
	"aqueduck/extract/internal/apitest"
)

func TestT166ListsWithoutAnEndAreLeft(t *testing.T) {
	t.Parallel()
	pageOf := func(from, n, total, turn int) string {
		var records []string
		for i := range n {
			records = append(records, contactJSON(fmt.Sprintf("c%05d", from+i), secondsBeforeNoon(hour)))
		}
		return envelopeOf(records, total, map[string]any{"starting_after": "t" + strconv.Itoa(turn)})
	}
	tests := []struct {
		name     string
		page     func(turn int) string // from 1
		requests int
		want     string
	}{
		{"the same records behind ever new cursors", func(turn int) string { return pageOf(0, 20, 50, turn) }, 11, "10 pages in a row returned no new record"},
		{"all of them, over and over", func(turn int) string { return pageOf(20*(turn%4), 20, 80, turn) }, 14, "10 pages in a row returned no new record"},
		{"ever new records, more than twice what it states", func(turn int) string { return pageOf(20*turn, 20, 99, turn) }, 60, "the list states 99 records, but returned 1200"},
		{"empty pages", func(turn int) string { return pageOf(0, 0, 99, turn) }, 200, "200 pages in a row have no record"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			turn := 0
			a := serveAPI(t, func(w http.ResponseWriter, _ *http.Request, _ string) {
				turn++
				apitest.Reply(w, tt.page(turn))
			})
			s := searchStream()
			s.Read.Page.Size = 20
			state := State{SyncedTo: secondsBeforeNoon(2 * hour), HistoryDone: true}
			_, pages, err := tryDrain(NewReader(a.newClient(t), Request{Stream: s, State: state}))
			if api.ClassOf(err) != api.ClassSource || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want an error with %q", err, tt.want)
			}
			if got := len(a.Requests()); got != tt.requests {
				t.Errorf("%d requests, want %d", got, tt.requests)
			}
			if got := lastState(pages).SyncedTo; got != state.SyncedTo {
				t.Errorf("the watermark moved to %d", got)
			}
		})
	}
}

func TestT166AListThatStopsCountingIsReadToItsEnd(t *testing.T) {
	t.Parallel()
	const n = 5000
	a := serveAPI(t, func(w http.ResponseWriter, _ *http.Request, body string) {
		from := 0
		if _, token, found := strings.Cut(body, `"starting_after":"`); found {
			from, _ = strconv.Atoi(strings.TrimRight(token, `"}`))
		}
		var records []string
		for i := from; i < min(n, from+150); i++ {
			records = append(records, contactJSON(strconv.Itoa(i), secondsBeforeNoon(hour)+int64(i)))
		}
		var next any
		if from+150 < n {
			next = map[string]any{"starting_after": strconv.Itoa(from + 150)}
		}
		apitest.Reply(w, envelopeOf(records, 1000, next))
	})
	s := searchStream()
	ids, pages := drainPhase(t, NewReader(a.newClient(t), Request{Stream: s, State: State{SyncedTo: secondsBeforeNoon(2 * hour), HistoryDone: true}}))
	if len(ids) != n || lastState(pages).SyncedTo != watermark {
		t.Errorf("%d records, state %s", len(ids), lastState(pages))
	}
}

func TestT171AFeedEndsOnAPageThatNamesNoNextOne(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ size, requests int }{
		"a page that is not full": {4, 3},
		"a full page":             {5, 3}, // it is asked for twice
	} {
		l := newLog(t, 10)
		l.silent = true
		s := feedStream()
		s.Read.Page.Size = test.size
		c := l.newClient(t)
		ids, pages := drainPhase(t, NewReader(c, Request{Stream: s}))
		if !slices.Equal(ids, l.events) || len(l.Requests()) != test.requests || lastState(pages).SyncedTo != noon.Unix() {
			t.Errorf("%s: read %v by %d requests, state %s", name, ids, len(l.Requests()), lastState(pages))
		}
		l.appendEvents(3)
		ids, _ = drainPhase(t, NewReader(c, Request{Stream: s, State: lastState(pages)}))
		if ids = sortedDistinct(ids); !slices.Equal(ids[len(ids)-3:], l.events[10:]) {
			t.Errorf("%s: read on with %v", name, ids)
		}
	}
}

func TestT171AFullPageOfAFeedThatLostItsNextOnceIsNoEnd(t *testing.T) {
	t.Parallel()
	l := newLog(t, 20)
	l.lost = 2 // the second answer
	s := feedStream()
	s.Read.Page.Size = 5
	reader := NewReader(l.newClient(t), Request{Stream: s})
	var ids []string
	for {
		page, err := reader.Next(context.Background())
		if err != nil {
			break
		}
		for _, r := range page.Records {
			id, _ := RecordKey(s, r.Raw)
			ids = append(ids, id)
		}
	}
	if !slices.Equal(ids, l.events) {
		t.Errorf("read %v", ids)
	}
}
