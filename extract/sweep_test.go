package extract

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"aqueduck/extract/internal/apitest"
	"aqueduck/extract/internal/scan"
	"aqueduck/schemas"
)

// shiftingList is a list by number to which tests add and from which they remove entries.
type shiftingList struct {
	*fakeAPI
	ids     []string
	between func(n int) // before the nth request, from 1
	n       int
}

func newShifting(t testing.TB, n int) *shiftingList {
	t.Helper()
	s := &shiftingList{between: func(int) {}}
	for i := range n {
		s.ids = append(s.ids, fmt.Sprintf("d%03d", i))
	}
	s.fakeAPI = serveAPI(t, func(w http.ResponseWriter, r *http.Request, _ string) {
		s.n++
		s.between(s.n)
		q := r.URL.Query()
		page, size := scan.Count([]byte(q.Get("page"))), scan.Count([]byte(q.Get("per_page")))
		var records []string
		from := min((page-1)*size, int64(len(s.ids)))
		for _, id := range s.ids[from:min(from+size, int64(len(s.ids)))] {
			records = append(records, fmt.Sprintf(`{"id":%q}`, id))
		}
		var next any
		if page*size < int64(len(s.ids)) {
			next = map[string]any{"page": page + 1}
		}
		apitest.Reply(w, envelopeOf(records, len(s.ids), next))
	})
	return s
}

func smallSweep() *schemas.Stream {
	s := sweepStream()
	s.Read.Page.Size = 10
	return s
}

func TestSweepReadsAListOnce(t *testing.T) {
	t.Parallel()
	list := newShifting(t, 25)
	c := list.newClient(t)
	r := NewReader(c, Request{Stream: smallSweep()})
	ids, pages := drainPhase(t, r)
	if !slices.Equal(ids, list.ids) {
		t.Errorf("read %v", ids)
	}
	want := State{SyncedTo: noon.Unix(), Version: "2.17", Sweep: &Sweep{Number: 1, Opened: noon.Unix(), Steady: true, Total: 25, Rows: 25}}
	if diff := cmp.Diff(want, lastState(pages)); diff != "" {
		t.Errorf("state (-want +got):\n%s", diff)
	}
	if p := pages[1]; p.Boundary || p.State.Window == nil || p.Done != 20 || p.Left != 5 {
		t.Errorf("second page: %+v", p)
	}
	if pages[0].State.SyncedTo != 0 || pages[0].State.Sweep.Rows != 10 {
		t.Errorf("first page's state: %s", pages[0].State)
	}

	// An ended sweep has nothing left; the next one is begun by its number.
	if _, err := NewReader(c, Request{Stream: smallSweep(), State: lastState(pages)}).Next(context.Background()); !errors.Is(err, io.EOF) {
		t.Errorf("a sweep that has ended: %v, want io.EOF", err)
	}
	again := lastState(pages)
	again.Sweep = &Sweep{Number: 2}
	ids, pages = drainPhase(t, NewReader(c, Request{Stream: smallSweep(), State: again}))
	if len(ids) != 25 || lastState(pages).Sweep.Number != 2 || lastState(pages).Sweep.Opened < noon.Unix() {
		t.Errorf("second sweep: %d records, %+v", len(ids), lastState(pages).Sweep)
	}
	if _, err := NewReader(c, Request{Stream: smallSweep(), Phase: History}).Next(context.Background()); !errors.Is(err, io.EOF) {
		t.Errorf("history of a list: %v, want io.EOF", err)
	}
}

func TestT28T29ListThatMovesIsNotSteady(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(ids []string) []string
		found  int
	}{
		"one removed":  {func(ids []string) []string { return ids[1:] }, 29},                      // shifted past the reader
		"one inserted": {func(ids []string) []string { return slices.Insert(ids, 0, "new") }, 30}, // one entry comes twice, one is missed
		"one replaced": {func(ids []string) []string { return append(ids[1:], "new") }, 30},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			list := newShifting(t, 30)
			list.between = func(n int) {
				if n == 2 {
					list.ids = test.change(list.ids)
				}
			}
			ids, pages := drainPhase(t, NewReader(list.newClient(t), Request{Stream: smallSweep()}))
			if got := len(sortedDistinct(ids)); got != test.found {
				t.Errorf("found %d, want %d", got, test.found)
			}
			// A replacement keeps every count: only a second sweep shows it.
			if steady := lastState(pages).Sweep.Steady; steady != (name == "one replaced") {
				t.Errorf("steady: %t, sweep %+v", steady, lastState(pages).Sweep)
			}
			again := lastState(pages)
			again.Sweep = &Sweep{Number: 2}
			more, pages := drainPhase(t, NewReader(list.newClient(t), Request{Stream: smallSweep(), State: again}))
			if !slices.Equal(more, list.ids) || !lastState(pages).Sweep.Steady {
				t.Errorf("the quiet second sweep: %v, %+v", more, lastState(pages).Sweep)
			}
		})
	}
}

func TestSweepContinuesAfterAKill(t *testing.T) {
	t.Parallel()
	list := newShifting(t, 45)
	var read []string
	var s State
	for range 3 {
		p := firstPage(t, NewReader(list.newClient(t), Request{Stream: smallSweep(), State: mustParse(t, s.String())}))
		for _, rec := range p.Records {
			id, _ := scan.Text(scan.Field(rec.Raw, "id"))
			read = append(read, id)
		}
		s = p.State
	}
	list.Clock.Set(noon.Add(day))
	ids, pages := drainPhase(t, NewReader(list.newClient(t), Request{Stream: smallSweep(), State: s}))
	if got := append(read, ids...); !slices.Equal(got, list.ids) {
		t.Errorf("read %v", got)
	}
	// It was interrupted for a night: it cannot show what left the list meanwhile.
	got := lastState(pages).Sweep
	if want := (Sweep{Number: 1, Opened: noon.Unix(), Steady: false, Total: 45, Rows: 45}); *got != want {
		t.Errorf("sweep %+v, want %+v", *got, want)
	}
}

func TestSweepRestartsWhenItsCursorExpires(t *testing.T) {
	t.Parallel()
	n := 0
	a := serveAPI(t, func(w http.ResponseWriter, r *http.Request, _ string) {
		n++
		switch token := r.URL.Query().Get("starting_after"); {
		case n == 2:
			apitest.Reply(w, errClient)
		case token == "":
			apitest.Reply(w, envelopeOf([]string{`{"id":"1"}`}, 2, map[string]any{"starting_after": "a"}))
		default:
			apitest.Reply(w, envelopeOf([]string{`{"id":"2"}`}, 2, nil))
		}
	})
	s := feedStream()
	s.Read.Since.By = "full"
	ids, pages := drainPhase(t, NewReader(a.newClient(t), Request{Stream: s}))
	if got := lastState(pages).Sweep; !slices.Equal(ids, []string{"1", "1", "2"}) || got.Steady || got.Rows != 2 {
		t.Errorf("read %v, sweep %+v", ids, got)
	}
}

// Holds: T82.
func TestListWithoutPagesIsOnePage(t *testing.T) {
	t.Parallel()
	a := serveAPI(t, apitest.AnswerWith(`{"type":"segment.list","segments":[{"id":"1"},null,{"id":"2"}],"pages":{}}`))
	s := sweepStream()
	s.Read.Records, s.Read.Page = []string{"segments"}, schemas.Page{By: "none"}
	ids, pages := drainPhase(t, NewReader(a.newClient(t), Request{Stream: s}))
	if got := lastState(pages).Sweep; len(ids) != 2 || !got.Steady || got.Total != -1 || a.Requests()[0].Query != "" {
		t.Errorf("read %v, sweep %+v, asked %+v", ids, got, a.Requests())
	}
}

func TestSweepWithoutADateHasAnOpening(t *testing.T) {
	t.Parallel()
	a := serveAPI(t, func(w http.ResponseWriter, _ *http.Request, _ string) {
		w.Header()["Date"] = nil
		apitest.Reply(w, `{"data":[]}`)
	})
	_, pages := drainPhase(t, NewReader(a.newClient(t), Request{Stream: sweepStream()}))
	if got := lastState(pages).Sweep.Opened; got < noon.Unix() || got > noon.Add(time.Minute).Unix() {
		t.Errorf("opened at %d", got)
	}
}

// TestSweepOverValuesWalksAListForEach, and resumes in the list in which it was interrupted.
func TestSweepOverValuesWalksAListForEach(t *testing.T) {
	t.Parallel()
	var asked []string
	source := serveAPI(t, func(w http.ResponseWriter, r *http.Request, _ string) {
		q := r.URL.Query()
		kind, page := q.Get("kind"), scan.Count([]byte(q.Get("page")))
		asked = append(asked, fmt.Sprint(kind, page))
		var next any
		if page < 2 {
			next = map[string]any{"page": page + 1}
		}
		apitest.Reply(w, envelopeOf([]string{fmt.Sprintf(`{"id":"%s%d"}`, kind, page)}, 2, next))
	})
	s := smallSweep()
	s.Read.Over = &schemas.Over{Values: []string{"a", "b"}, As: "kind"}
	c := source.newClient(t)
	read := func(state State, pages int) (State, []string) {
		t.Helper()
		var found []string
		r := NewReader(c, Request{Stream: s, State: state})
		for range pages {
			page, err := r.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			state = page.State
			for _, record := range page.Records {
				found = append(found, record.Over+" "+string(record.Raw))
			}
			if want := string(page.Records[0].Raw) == `{"id":"b2"}`; page.Boundary != want {
				t.Errorf("after %v a boundary: %v", found, page.Boundary)
			}
		}
		return state, found
	}
	state, found := read(State{}, 4)
	if want := []string{`a {"id":"a1"}`, `a {"id":"a2"}`, `b {"id":"b1"}`, `b {"id":"b2"}`}; !slices.Equal(found, want) || !state.Sweep.Steady {
		t.Errorf("found %v, %+v", found, state.Sweep)
	}
	for left, want := range map[int][]string{1: {"a2", "b1"}, 2: {"a1", "a2"}, 3: {"b2"}} {
		state, _ := read(State{}, left)
		asked = nil
		if read(state, len(want)); !slices.Equal(asked, want) {
			t.Errorf("left after %d pages it asked for %v", left, asked)
		}
	}
}

// TestT182UnknownValueDoesNotStopTheOthers reads the lists of two values and is refused that of a third.
func TestT182UnknownValueDoesNotStopTheOthers(t *testing.T) {
	t.Parallel()
	const objectOfErrors = `400 {"type":"error.list","request_id":"r1","errors":{"base":"model is not known"}}`
	for name, test := range map[string]struct {
		answer  string
		refused bool
	}{
		"400":              {`400 {"type":"error.list","errors":[{"code":"parameter_invalid","message":"model"}]}`, true},
		"400 in an object": {objectOfErrors, true},
		"404":              {errNotFound, true},
		"403":              {`403 {"type":"error.list","errors":[{"code":"api_plan_restricted","message":"no"}]}`, true},
		"an empty list":    {`{"data":[]}`, false},
		"records":          {`{"data":[{"id":"z"}]}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := serveAPI(t, func(w http.ResponseWriter, r *http.Request, _ string) {
				switch kind := r.URL.Query().Get("kind"); kind {
				case "c":
					apitest.Reply(w, test.answer)
				default:
					apitest.Reply(w, `{"data":[{"id":"`+kind+`1"}]}`)
				}
			})
			s := sweepStream()
			s.Read.Page = schemas.Page{By: "none"}
			s.Read.Over = &schemas.Over{Values: []string{"a", "c", "b"}, Optional: []string{"c"}, As: "kind"}
			ids, pages := drainPhase(t, NewReader(a.newClient(t), Request{Stream: s}))
			last := pages[len(pages)-1].State.Sweep
			if ids[0] != "a1" || ids[len(ids)-1] != "b1" || len(a.Requests()) != 3 || slices.Equal(last.RefusedValues(), []string{"c"}) != test.refused {
				t.Errorf("got %v by %d requests, refused %v", ids, len(a.Requests()), last.RefusedValues())
			}
		})
	}
	// An error that concerns more than the value fails the stream, as for values that are not optional.
	for name, s := range map[string]*schemas.Over{
		"an outage":    {Values: []string{"a", "c"}, Optional: []string{"c"}, As: "kind"},
		"not optional": {Values: []string{"a", "c"}, As: "kind"},
	} {
		a := serveAPI(t, func(w http.ResponseWriter, r *http.Request, _ string) {
			switch {
			case r.URL.Query().Get("kind") != "c":
				apitest.Reply(w, `{"data":[{"id":"a1"}]}`)
			case name == "an outage":
				apitest.Reply(w, "503 <html>")
			default:
				apitest.Reply(w, objectOfErrors)
			}
		})
		stream := sweepStream()
		stream.Read.Page, stream.Read.Over = schemas.Page{By: "none"}, s
		if ids, _, err := tryDrain(NewReader(a.newClient(t), Request{Stream: stream})); err == nil {
			t.Errorf("%s: got %v and no error", name, ids)
		}
	}
}
