package extract

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"aqueduck/extract/api"
	"aqueduck/extract/internal/apitest"
	"aqueduck/extract/internal/scan"
)

func TestT160AForwardPassEndsWhereTheListEnds(t *testing.T) {
	t.Parallel()
	ws := newWorkspace(t)
	for i := range 100 {
		ws.touchContact(fmt.Sprintf("c%02d", i), secondsBeforeNoon(hour)+int64(i)*60)
	}
	s := searchStream()
	s.Read.Page.Size = 10
	ids, pages := drainPhase(t, NewReader(ws.newClient(t), Request{Stream: s, State: State{SyncedTo: secondsBeforeNoon(2 * hour), HistoryDone: true}}))
	// 46 records up to 15 minutes before noon, and those after it, which are no end.
	if len(ids) != 100 || len(pages) != 10 || !pages[9].Boundary || pages[9].State.SyncedTo != watermark {
		t.Errorf("%d records on %d pages, state %s, want 100 on 10 and the watermark at %d", len(ids), len(pages), lastState(pages), watermark)
	}
	if p := pages[1]; p.Done != 20 || p.Left != 80 || p.Total != 100 {
		t.Errorf("second page: total %d, done %d, left %d", p.Total, p.Done, p.Left)
	}
}

func TestExplicitWindowMovesNoWatermark(t *testing.T) {
	t.Parallel()
	ws := newWorkspace(t)
	for i := range 50 {
		ws.touchContact(fmt.Sprintf("c%02d", i), secondsBeforeNoon(time.Duration(i)*day))
	}
	s := searchStream()
	s.Read.Page.Size = 3
	state := State{SyncedTo: secondsBeforeNoon(hour), HistoryTo: secondsBeforeNoon(9 * day), Version: "2.17"}
	r := Request{Stream: s, State: state, Since: noon.Add(-30 * day), Until: noon.Add(-20 * day)}
	ids, pages := drainPhase(t, NewReader(ws.newClient(t), r))
	if ids = sortedDistinct(ids); ids[0] != "c19" || ids[len(ids)-1] != "c30" {
		t.Errorf("read %v, want c30 to c20, and c19 for the day that a zone may lie away", ids)
	}
	for _, p := range pages {
		if diff := cmp.Diff(state, p.State); diff != "" {
			t.Fatalf("the state changed (-want +got):\n%s", diff)
		}
	}
}

func TestWindowOfAnEarlierRunIsFinishedThenANewOneRead(t *testing.T) {
	t.Parallel()
	ws := newWorkspace(t)
	for i := range 30 {
		ws.touchContact(fmt.Sprintf("c%02d", i), secondsBeforeNoon(hour)+int64(i))
	}
	s := searchStream()
	s.Read.Page.Size = 10
	p, err := NewReader(ws.newClient(t), Request{Stream: s, State: State{SyncedTo: secondsBeforeNoon(2 * hour), HistoryDone: true}}).Next(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	ws.Clock.Set(noon.Add(day))
	ws.touchContact("new", noon.Add(23*hour).Unix())
	ids, pages := drainPhase(t, NewReader(ws.newClient(t), Request{Stream: s, State: mustParse(t, p.State.String())}))
	if !slices.Contains(ids, "new") || !slices.Contains(ids, "c29") {
		t.Errorf("read %v", ids)
	}
	var watermarks []int64
	for _, p := range pages {
		if p.Boundary {
			watermarks = append(watermarks, p.State.SyncedTo)
		}
	}
	if want := []int64{watermark, watermark + 24*3600}; !slices.Equal(watermarks, want) {
		t.Errorf("watermarks %v, want %v", watermarks, want)
	}
}

func TestContextEndsAReadingAtOnce(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{})
	leave := make(chan struct{})
	a := serveAPI(t, func(http.ResponseWriter, *http.Request, string) {
		close(arrived)
		<-leave
	})
	defer close(leave)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-arrived
		cancel()
	}()
	_, err := NewReader(a.newClient(t), Request{Stream: searchStream(), State: State{SyncedTo: watermark}}).Next(ctx)
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "read contacts") {
		t.Errorf("got %v, want the context's error and what was being done", err)
	}
}

func mustParse(t testing.TB, text string) State {
	t.Helper()
	s, err := ParseState(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestNextAfterTheEndStaysAtTheEnd(t *testing.T) {
	t.Parallel()
	ws := newWorkspace(t, testContact{"a", secondsBeforeNoon(hour)})
	r := NewReader(ws.newClient(t), Request{Stream: searchStream(), State: State{SyncedTo: secondsBeforeNoon(2 * hour), HistoryDone: true}})
	drainPhase(t, r)
	for range 3 {
		if _, err := r.Next(context.Background()); !errors.Is(err, io.EOF) {
			t.Fatalf("got %v, want io.EOF", err)
		}
	}
}

// Every run reads forward before it continues the history: a window that takes several runs must still end.
func TestHistoryWindowIsResumedAfterAForwardOne(t *testing.T) {
	t.Parallel()
	ws := newWorkspace(t)
	for i := range 1500 {
		ws.touchContact(fmt.Sprintf("c%04d", i), secondsBeforeNoon(10*day)-int64(i)) // all in the first window of the history
	}
	c := ws.newClient(t)
	var state State
	var ids []string
	for runs := 0; !state.HistoryDone; runs++ {
		if runs > 20 {
			t.Fatalf("no end after %d runs of one page, %d of 1500 records read: %s", runs, len(sortedDistinct(ids)), state)
		}
		_, pages := drainPhase(t, NewReader(c, Request{Stream: searchStream(), State: state}))
		stored, err := ParseState(lastState(pages).String())
		if err != nil {
			t.Fatal(err)
		}
		page, err := NewReader(c, Request{Stream: searchStream(), State: stored, Phase: History}).Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range page.Records {
			ids = append(ids, string(scan.Field(r.Raw, "id")))
		}
		state = page.State
	}
	if got := len(sortedDistinct(ids)); got != 1500 {
		t.Errorf("%d records read, want 1500", got)
	}
}

// The windows of a stream are read in order: one that fails keeps those after it from being read, and the watermark where it was.
func TestT138AFailedWindowMovesNoWatermark(t *testing.T) {
	t.Parallel()
	ws := &testWorkspace{cursors: map[string]int{}}
	for i := range 300 {
		ws.touchContact(fmt.Sprintf("c%03d", i), secondsBeforeNoon(time.Duration(i)*day))
	}
	whole := watermark - int64(21*day/time.Second) // the forward window, and the first of the history
	second, third := fmt.Sprint(whole-int64(28*day/time.Second)), fmt.Sprint(whole-int64(84*day/time.Second))
	broken := true
	a := serveAPI(t, func(w http.ResponseWriter, r *http.Request, body string) {
		if broken && strings.Contains(body, second) {
			apitest.Reply(w, "503 busy")
			return
		}
		ws.serveSearch(w, r, body)
	})
	s := searchStream()
	s.Read.Page.Size = 10
	ids, pages := drainPhase(t, NewReader(a.newClient(t), Request{Stream: s}))
	more, history, err := tryDrain(NewReader(a.newClient(t), Request{Stream: s, State: lastState(pages), Phase: History}))
	if got := lastState(history); api.ClassOf(err) != api.ClassTransient || got.HistoryTo != whole || got.HistoryDone {
		t.Errorf("%v, and the history is read down to %d, want %d: %s", err, got.HistoryTo, whole, got)
	}
	for _, q := range a.Requests() {
		if strings.Contains(q.Body, third) {
			t.Errorf("a window after it was asked for: %s", q.Body)
		}
	}
	broken = false
	rest, _ := drainPhase(t, NewReader(a.newClient(t), Request{Stream: s, State: mustParse(t, lastState(history).String()), Phase: History}))
	if got := sortedDistinct(slices.Concat(ids, more, rest)); !slices.Equal(got, ws.contactIDs()) {
		t.Errorf("%d of 300 records", len(got))
	}
}
