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

	"github.com/google/go-cmp/cmp"

	"aqueduck/extract/api"
	"aqueduck/extract/internal/apitest"
)

// firstPage reads one page.
func firstPage(t testing.TB, r *Reader) Page {
	t.Helper()
	p, err := r.Next(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func minutesOf(n int) []testContact {
	var contacts []testContact
	for i := range n {
		contacts = append(contacts, testContact{fmt.Sprintf("c%03d", i), secondsBeforeNoon(10*hour) + int64(i)*60})
	}
	return contacts
}

// Holds: F20.
func TestT12ExpiredCursorContinuesFromLastTime(t *testing.T) {
	t.Parallel()
	ws := newWorkspace(t, minutesOf(100)...)
	s := searchStream()
	s.Read.Page.Size = 10
	p := firstPage(t, NewReader(ws.newClient(t), Request{Stream: s, State: State{SyncedTo: secondsBeforeNoon(11 * hour), HistoryDone: true}}))

	ws.life = 1 // the server was restarted and has lost its cursors
	clear(ws.cursors)
	c := ws.newClient(t)
	ids, pages := drainPhase(t, NewReader(c, Request{Stream: s, State: mustParse(t, p.State.String())}))
	if diff := cmp.Diff(ws.contactIDs()[9:], ids[:91]); diff != "" {
		t.Errorf("ids after the restart (-want +got):\n%s", diff)
	}
	if !pages[9].Boundary || pages[9].State.SyncedTo != watermark || c.Restarts() != 1 {
		t.Errorf("%d restarts, state %s; want 1, the watermark at %d", c.Restarts(), pages[9].State, watermark)
	}
	got := ws.Requests()
	if q := got[2].Body; strings.Contains(q, "starting_after") || !strings.Contains(q, fmt.Sprintf(`"value":%d`, secondsBeforeNoon(10*hour)+9*60)) {
		t.Errorf("after the dead cursor it asked %s", q)
	}
}

func TestT12RepeatedlyExpiringCursorsLoseNothing(t *testing.T) {
	t.Parallel()
	for _, zone := range []*time.Location{nil, time.FixedZone("", 3*3600)} {
		ws := newWorkspace(t, minutesOf(300)...)
		ws.days = zone
		n := 0
		ws.between = func(int) {
			if n++; n%25 == 0 { // enough for the longest day, which must be read from its beginning
				clear(ws.cursors)
			}
		}
		ws.life = 100
		s := searchStream()
		s.Read.Page.Size = 15
		c := ws.newClient(t)
		ids, pages := drainPhase(t, NewReader(c, Request{Stream: s, State: State{SyncedTo: secondsBeforeNoon(11 * hour), HistoryDone: true}}))
		if diff := cmp.Diff(ws.contactIDs(), sortedDistinct(ids)); diff != "" {
			t.Errorf("zone %v (-want +got):\n%s", zone, diff)
		}
		for _, p := range pages[:len(pages)-1] {
			if p.State.Position.Unsorted {
				t.Fatalf("zone %v: a day read again from its beginning was taken for disorder", zone)
			}
		}
	}
}

func TestT12AlwaysExpiredCursorsFailTheStream(t *testing.T) {
	t.Parallel()
	ws := newWorkspace(t, minutesOf(100)...)
	for i := range ws.contacts {
		ws.contacts[i].at = secondsBeforeNoon(hour) // all are in one second: there is no later time to resume from
	}
	ws.between = func(int) { clear(ws.cursors) }
	ws.life = 1
	s := searchStream()
	s.Read.Page.Size = 10
	_, pages, err := tryDrain(NewReader(ws.newClient(t), Request{Stream: s, State: State{SyncedTo: secondsBeforeNoon(2 * hour), HistoryDone: true}}))
	if api.ClassOf(err) != api.ClassCursor {
		t.Errorf("got %v, want the cursor's error", err)
	}
	if lastState(pages).SyncedTo != secondsBeforeNoon(2*hour) {
		t.Error("the watermark moved")
	}
}

func TestT13CursorOfAnotherRequestIsNotUsed(t *testing.T) {
	t.Parallel()
	ws := newWorkspace(t, minutesOf(50)...)
	s := searchStream()
	s.Read.Page.Size = 10
	p := firstPage(t, NewReader(ws.newClient(t), Request{Stream: s, State: State{SyncedTo: secondsBeforeNoon(11 * hour), HistoryDone: true}}))

	change := map[string]struct {
		client func(*api.Options)
		stream func() *Request
		keeps  bool
	}{
		"nothing":   {keeps: true},
		"page size": {keeps: true, stream: func() *Request { s := searchStream(); s.Read.Page.Size = 20; return &Request{Stream: s} }},
		"query": {stream: func() *Request {
			s := searchStream()
			s.Read.Query = append(s.Read.Query, paramX)
			return &Request{Stream: s}
		}},
		"sorted field": {stream: func() *Request { s := searchStream(); s.Read.Since.Field = "created_at"; return &Request{Stream: s} }},
		"path":         {stream: func() *Request { s := searchStream(); s.Read.Path = "/companies/search"; return &Request{Stream: s} }},
		"version":      {client: func(o *api.Options) { o.Version = "2.14" }},
		"address":      {client: func(o *api.Options) { o.BaseURL = strings.Replace(o.BaseURL, "127.0.0.1", "localhost", 1) }},
	}
	for name, test := range change {
		t.Run(name, func(t *testing.T) {
			before := len(ws.Requests())
			r := Request{Stream: s}
			if test.stream != nil {
				r = *test.stream()
			}
			r.State = mustParse(t, p.State.String())
			var options []func(*api.Options)
			if test.client != nil {
				options = append(options, test.client)
			}
			if _, err := NewReader(ws.newClient(t, options...), r).Next(context.Background()); err != nil {
				t.Fatal(err)
			}
			asked := ws.Requests()[before]
			if kept := strings.Contains(asked.Body, "starting_after"); kept != test.keeps {
				t.Errorf("cursor used: %t, want %t: %s", kept, test.keeps, asked.Body)
			}
		})
	}
}

func TestT113AnotherVersionReadsFourDaysAgain(t *testing.T) {
	t.Parallel()
	ws := newWorkspace(t)
	state := State{SyncedTo: secondsBeforeNoon(hour), HistoryTo: 1, HistoryDone: true, Version: "2.16",
		Window: &Window{Kind: "forward", From: secondsBeforeNoon(49 * hour), To: secondsBeforeNoon(0)}, Position: &Position{Token: "x", Fingerprint: "y", Size: 150}}
	_, pages := drainPhase(t, NewReader(ws.newClient(t), Request{Stream: searchStream(), State: state}))
	got := ws.Requests()
	if len(got) != 1 || got[0].Version != "2.17" {
		t.Fatalf("asked %v, want one request with the version", got)
	}
	if want := fmt.Sprintf(`"value":%d`, secondsBeforeNoon(hour+4*day)); !strings.Contains(got[0].Body, want) || strings.Contains(got[0].Body, "starting_after") {
		t.Errorf("asked %s, want %s and no cursor", got[0].Body, want)
	}
	if s := lastState(pages); s.Version != "2.17" || s.SyncedTo != watermark {
		t.Errorf("state %s", s)
	}
}

func TestT15CursorThatComesAgainStopsTheStream(t *testing.T) {
	t.Parallel()
	next := func(token string, id string) string {
		return envelopeOf([]string{contactJSON(id, secondsBeforeNoon(hour))}, 100, map[string]any{"starting_after": token})
	}
	for name, texts := range map[string][]string{
		"at once":     {next("a", "1"), next("a", "2")},
		"a circle":    {next("a", "1"), next("b", "2"), next("a", "3")},
		"no end of b": {next("a", "1"), next("b", "2"), next("b", "3")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := serveAPI(t, apitest.AnswerWith(texts...))
			_, pages, err := tryDrain(NewReader(a.newClient(t), Request{Stream: searchStream(), State: State{SyncedTo: secondsBeforeNoon(2 * hour)}}))
			if !errors.Is(err, ErrCursorLoop) || api.ClassOf(err) != api.ClassSource {
				t.Errorf("got %v, want ErrCursorLoop", err)
			}
			if len(pages) > 0 && lastState(pages).SyncedTo != secondsBeforeNoon(2*hour) {
				t.Error("the watermark moved")
			}
		})
	}
}

func TestT15CursorThatWasResumedFromCountsAsSeen(t *testing.T) {
	t.Parallel()
	a := serveAPI(t, apitest.AnswerWith(envelopeOf([]string{contactJSON("1", secondsBeforeNoon(hour))}, 9, map[string]any{"starting_after": "a"})))
	s := searchStream()
	p := firstPage(t, NewReader(a.newClient(t), Request{Stream: s, State: State{SyncedTo: secondsBeforeNoon(2 * hour)}}))
	if _, _, err := tryDrain(NewReader(a.newClient(t), Request{Stream: s, State: p.State})); !errors.Is(err, ErrCursorLoop) {
		t.Errorf("got %v, want ErrCursorLoop", err)
	}
}

// Holds: F8.
func TestT131T164TheEarliestSaneClockCounts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name                string
		own, server, newest time.Duration // of our clock, the server's and the newest record, from noon
		want                time.Duration // of the time before which the watermark lies by its lag
	}{
		{"they agree", 4 * time.Minute, 0, -hour, 0},
		{"the server's is ahead", 0, 10 * day, -hour, 0},
		{"ours is ahead", 365 * day, 0, -hour, 0},
		{"the server's is behind, and no record is newer", 0, -2 * hour, -3 * hour, -2 * hour},
		{"the server's is behind, as a record shows", 0, -2 * hour, -hour, 0},
		{"ours is a year behind, as a record shows", -365 * day, 0, -hour, 0},
		{"ours is behind, and no record is newer", -hour, 0, -hour, -hour},
		{"both are ahead of each other and of all records", 30 * day, 20 * day, -hour, 20 * day},
		{"a record from the future of both says nothing", 0, 10 * day, 400 * day, 0},
	}
	for _, tt := range tests {
		ws := newWorkspace(t, testContact{"a", noon.Add(tt.newest).Unix()})
		ws.Skew = tt.server
		c := ws.newClient(t, func(o *api.Options) { o.Now = func() time.Time { return ws.Clock.Now().Add(tt.own) } })
		ids, pages := drainPhase(t, NewReader(c, Request{Stream: searchStream()}))
		want := noon.Add(tt.want - 15*time.Minute).Unix()
		s := lastState(pages)
		if past, _ := drainPhase(t, NewReader(c, Request{Stream: searchStream(), State: s, Phase: History})); len(ids) == 0 {
			ids = past
		}
		if len(ids) == 0 || s.SyncedTo < want-2 || s.SyncedTo > want+2 || s.HistoryTo > want-7*24*3600+2 {
			t.Errorf("%s: %d records, state %s, want the watermark at %d", tt.name, len(ids), s, want)
		}
		if got := c.ServerNow().Sub(noon.Add(tt.want)).Abs(); got > 2*time.Second {
			t.Errorf("%s: the server's now is off by %v", tt.name, got)
		}
		if got, want := c.ClocksDisagree(), (tt.server-tt.own).Abs() > 5*time.Minute; got != want {
			t.Errorf("%s: the clocks disagree: %v", tt.name, got)
		}
	}
}

// Holds: F8.
func TestT132WatermarkNeverMovesBack(t *testing.T) {
	t.Parallel()
	ws := newWorkspace(t, testContact{"a", secondsBeforeNoon(hour)})
	state := State{SyncedTo: secondsBeforeNoon(-5 * hour), HistoryDone: true} // the server's clock was five hours ahead then
	_, pages := drainPhase(t, NewReader(ws.newClient(t), Request{Stream: searchStream(), State: state}))
	if got := lastState(pages).SyncedTo; got != state.SyncedTo {
		t.Errorf("watermark %d, was %d", got, state.SyncedTo)
	}
}

func TestT133RecordTimesReplaceAMissingDate(t *testing.T) {
	t.Parallel()
	var records []string
	a := serveAPI(t, func(w http.ResponseWriter, _ *http.Request, _ string) {
		w.Header()["Date"] = nil
		apitest.Reply(w, envelopeOf(records, len(records), nil))
	})
	read := func(state State) State {
		_, pages := drainPhase(t, NewReader(a.newClient(t), Request{Stream: searchStream(), State: state}))
		if !pages[0].ServerTime.IsZero() {
			t.Errorf("a server's time without a date: %v", pages[0].ServerTime)
		}
		return lastState(pages)
	}
	if s := read(State{}); s.SyncedTo != 0 || s.HistoryTo != 0 || !s.HistoryDone {
		t.Errorf("an empty list moved a watermark: %s", s)
	}
	records = []string{contactJSON("a", secondsBeforeNoon(3*hour)), contactJSON("b", secondsBeforeNoon(2*hour))}
	s := read(State{})
	if s.SyncedTo != secondsBeforeNoon(2*hour+15*time.Minute) || !s.HistoryDone {
		t.Errorf("state %s, want the latest record's time less the lag, and no history left", s)
	}
	// A record from the far future does not move the watermark there.
	records = append(records, contactJSON("c", secondsBeforeNoon(-1000*day)))
	if s := read(s); s.SyncedTo > noon.Unix() {
		t.Errorf("state %s is in the future", s)
	}
}

func TestT137WatermarkInTheFutureIsRefused(t *testing.T) {
	t.Parallel()
	future := time.Date(2999, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
	ws := newWorkspace(t, testContact{"a", secondsBeforeNoon(hour)})
	for name, s := range map[string]State{
		"watermark": {SyncedTo: future},
		"history":   {SyncedTo: watermark, HistoryTo: future},
		"window":    {SyncedTo: watermark, Window: &Window{Kind: "forward", From: future}},
		"a day":     {SyncedTo: noon.Add(25 * hour).Unix()},
	} {
		for _, phase := range []Phase{Forward, History} {
			if phase == History && name != "history" {
				continue
			}
			_, pages, err := tryDrain(NewReader(ws.newClient(t), Request{Stream: searchStream(), State: s, Phase: phase}))
			if !errors.Is(err, errFuture) || len(pages) != 0 {
				t.Errorf("%s: got %v and %d pages, want errFuture", name, err, len(pages))
			}
		}
	}
}

func TestT165TheSecondReadingOfAShortListBeginsAtItsBeginningAfterALostCursorToo(t *testing.T) {
	t.Parallel()
	ws := newWorkspace(t, minutesOf(40)...)
	ws.short, ws.life = 3, 100
	ws.between = func(n int) {
		switch n {
		case 5: // the first reading took four pages
			ws.short = 0
		case 6:
			clear(ws.cursors)
		}
	}
	s := searchStream()
	s.Read.Page.Size = 10
	ids, pages, err := tryDrain(NewReader(ws.newClient(t), Request{Stream: s, State: State{SyncedTo: secondsBeforeNoon(11 * hour), HistoryDone: true}}))
	if err != nil || !slices.Equal(sortedDistinct(ids), ws.contactIDs()) || lastState(pages).SyncedTo != watermark {
		t.Errorf("%d of 40 records, %v, state %s", len(sortedDistinct(ids)), err, lastState(pages))
	}
}

// A record leaves the list after each lost cursor. The walk that goes on states only the count of its rest.
func TestRecordsThatLeaveAListAfterALostCursorAreNoContradiction(t *testing.T) {
	t.Parallel()
	ws := newWorkspace(t, minutesOf(60)...)
	ws.life = 100
	ws.between = func(n int) {
		switch n {
		case 3, 11:
			clear(ws.cursors)
		case 5, 13:
			ws.contacts = slices.DeleteFunc(ws.contacts, func(c testContact) bool { return c.id == fmt.Sprintf("c0%d", 40+n) })
		}
	}
	s := searchStream()
	s.Read.Page.Size = 10
	c := ws.newClient(t)
	ids, pages, err := tryDrain(NewReader(c, Request{Stream: s, State: State{SyncedTo: secondsBeforeNoon(11 * hour), HistoryDone: true}}))
	if err != nil || !slices.Equal(sortedDistinct(ids), ws.contactIDs()) || lastState(pages).SyncedTo != watermark || c.Requests() > 10 {
		t.Errorf("%d records, %v, %d requests, state %s", len(sortedDistinct(ids)), err, c.Requests(), lastState(pages))
	}
}

// A record that was not read leaves the list before each page, and a run reads four pages. The window is read twice and not for ever.
func TestT9AWindowIsReadOnceMoreAndNoMoreOften(t *testing.T) {
	t.Parallel()
	ws := newWorkspace(t, minutesOf(60)...)
	ws.life = 100
	ws.between = func(int) { ws.contacts = ws.contacts[:len(ws.contacts)-1] }
	s := searchStream()
	s.Read.Page.Size = 10
	c := ws.newClient(t)
	state := State{SyncedTo: secondsBeforeNoon(11 * hour), HistoryDone: true}
	for ended := false; !ended; {
		r := NewReader(c, Request{Stream: s, State: state})
		for n := 0; n < 4 && !ended; n++ {
			page, err := r.Next(t.Context())
			if err != nil || c.Requests() > 20 {
				t.Fatalf("%d requests, %v, state %s", c.Requests(), err, state)
			}
			state, ended = page.State, page.Boundary
		}
	}
	if state.SyncedTo != watermark || c.Requests() != 11 { // six pages, then five
		t.Errorf("%d requests, state %s", c.Requests(), state)
	}
}
