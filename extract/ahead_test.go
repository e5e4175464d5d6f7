package extract

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"aqueduck/extract/api"
	"aqueduck/extract/internal/apitest"
)

// mostWait is how long a test waits for a request that must come, before it fails.
const mostWait = 20 * time.Second

// always is a Request.ReadAhead.
func always() bool { return true }

// cutPages are pages of contacts with two contacts each, each of which has cut tags. The cursor of page n is "n".
type cutPages struct {
	pages  int
	each   int
	onPage func(n int)     // called when page n, from 1, is asked for
	onTags func(id string) // called when the tags of a contact are asked for
}

func (c cutPages) serve(t testing.TB) *fakeAPI {
	return serveAPI(t, func(w http.ResponseWriter, r *http.Request, body string) {
		if r.Method == http.MethodGet {
			id := strings.Split(r.URL.Path, "/")[2]
			c.onTags(id)
			apitest.Reply(w, tagList(12, ""))
			return
		}
		n := 1
		if _, after, found := strings.Cut(body, `"starting_after":"`); found {
			n, _ = strconv.Atoi(after[:strings.IndexByte(after, '"')])
		}
		c.onPage(n)
		var records []string
		for i := range c.each {
			id := fmt.Sprintf("c%d-%d", n, i)
			records = append(records, fmt.Sprintf(`{"id":%q,"updated_at":%d,"tags":{"data":[{"id":"t"}],"total_count":12,"url":"/contacts/%s/tags"}}`, id, secondsBeforeNoon(hour)+int64(n), id))
		}
		var next any
		if n < c.pages {
			next = map[string]any{"starting_after": strconv.Itoa(n + 1)}
		}
		apitest.Reply(w, envelopeOf(records, c.pages*c.each, next))
	})
}

// TestTheNextPageIsAskedForWhileCutListsAreRead holds the answers of the first page's cut lists back until the second page is asked for.
func TestTheNextPageIsAskedForWhileCutListsAreRead(t *testing.T) {
	t.Parallel()
	second := make(chan struct{})
	c := cutPages{pages: 2, each: 2, onPage: func(n int) {
		if n == 2 {
			close(second)
		}
	}, onTags: func(id string) {
		if strings.HasPrefix(id, "c1-") {
			await(t, second, "the second page")
		}
	}}
	r := NewReader(c.serve(t).newClient(t), Request{Stream: taggedStream(), ReadAhead: always, State: State{SyncedTo: secondsBeforeNoon(2 * hour), HistoryDone: true}})
	defer r.Close()
	if ids, _ := drainPhase(t, r); !slices.Equal(ids, []string{"c1-0", "c1-1", "c2-0", "c2-1"}) {
		t.Errorf("read %v", ids)
	}
}

// TestReaderIsAtMostOnePageAhead holds back no answer, and counts the pages that are asked for while the caller has only the first.
func TestReaderIsAtMostOnePageAhead(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex // guards pages
	var pages []int
	tags := make(chan struct{}, 100)
	c := cutPages{pages: 5, each: 2, onPage: func(n int) {
		mu.Lock()
		defer mu.Unlock()
		pages = append(pages, n)
	}, onTags: func(string) { tags <- struct{}{} }}
	r := NewReader(c.serve(t).newClient(t), Request{Stream: taggedStream(), ReadAhead: always, State: State{SyncedTo: secondsBeforeNoon(2 * hour), HistoryDone: true}})
	defer r.Close()
	firstPage(t, r)
	for range 4 { // the second page is complete, and nobody has taken it
		select {
		case <-tags:
		case <-time.After(mostWait):
			t.Fatal("the second page's lists are not read")
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if !slices.Equal(pages, []int{1, 2}) {
		t.Errorf("asked for pages %v, and the caller has one", pages)
	}
}

// TestCutListsAreReadSideBySideAsTheBudgetAllows holds all answers back until as many are under way as the pace allows in a second.
func TestCutListsAreReadSideBySideAsTheBudgetAllows(t *testing.T) {
	t.Parallel()
	const aside = 16
	var mu sync.Mutex // guards waiting
	waiting, together := 0, make(chan struct{})
	c := cutPages{pages: 1, each: aside, onPage: func(int) {}, onTags: func(string) {
		mu.Lock()
		if waiting++; waiting == aside {
			close(together)
		}
		mu.Unlock()
		await(t, together, "as many lists as the pace allows")
	}}
	budget := api.NewBudget(60 * aside)
	budget.ResumePace(api.LearnedPace{Pace: aside, Known: aside})
	client := c.serve(t).newClient(t, func(o *api.Options) { o.Budget = budget })
	drainPhase(t, NewReader(client, Request{Stream: taggedStream(), State: State{SyncedTo: secondsBeforeNoon(2 * hour), HistoryDone: true}}))
}

// TestClosedReaderLeavesNoRequest closes a Reader while the server still holds the page that was asked for ahead.
func TestClosedReaderLeavesNoRequest(t *testing.T) {
	t.Parallel()
	second, closed := make(chan struct{}), make(chan struct{})
	c := cutPages{pages: 3, each: 1, onPage: func(n int) {
		if n == 2 {
			close(second)
			await(t, closed, "the reader's end")
		}
	}, onTags: func(string) {}}
	r := NewReader(c.serve(t).newClient(t), Request{Stream: taggedStream(), ReadAhead: always, State: State{SyncedTo: secondsBeforeNoon(2 * hour), HistoryDone: true}})
	firstPage(t, r)
	await(t, second, "the second page")
	r.Close()
	close(closed)
}

// await fails the test when a channel is not closed.
func await(t testing.TB, closed <-chan struct{}, what string) {
	select {
	case <-closed:
	case <-time.After(mostWait):
		t.Errorf("%s was not asked for", what)
	}
}

// TestPanicWhileReadingAheadReachesTheCaller: the call that wants the second page panics, with the stack of the first panic.
func TestPanicWhileReadingAheadReachesTheCaller(t *testing.T) {
	t.Parallel()
	a := serveAPI(t, func(w http.ResponseWriter, _ *http.Request, body string) {
		if strings.Contains(body, "starting_after") {
			apitest.Reply(w, "503 {}")
			return
		}
		apitest.Reply(w, envelopeOf([]string{contactJSON("c1", secondsBeforeNoon(hour))}, 2, map[string]any{"starting_after": "2"}))
	})
	c := a.newClient(t, func(o *api.Options) {
		o.Wait = func(context.Context, time.Duration) error { panic("nobody waits here") }
	})
	r := NewReader(c, Request{Stream: searchStream(), ReadAhead: always, State: State{SyncedTo: secondsBeforeNoon(2 * hour), HistoryDone: true}})
	defer r.Close()
	firstPage(t, r)
	err := func() (err error) {
		defer RecoverPanic(&err)
		_, _ = r.Next(t.Context()) // it panics
		return nil
	}()
	var fault *PanicError
	if !errors.As(err, &fault) || fault.Value != "nobody waits here" || !strings.Contains(string(fault.Stack), "fetchApart") {
		t.Errorf("%v\n%s", err, fault.Stack)
	}
}
