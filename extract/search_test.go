package extract

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"aqueduck/extract/api"
	"aqueduck/extract/internal/scan"
)

const (
	hour = time.Hour
	day  = 24 * time.Hour
)

// secondsBeforeNoon is a time before noon, in seconds.
func secondsBeforeNoon(before time.Duration) int64 { return noon.Add(-before).Unix() }

// watermark is where a forward window that opens at noon ends.
var watermark = noon.Add(-15 * time.Minute).Unix()

func TestNewStreamReadsForwardThenHistory(t *testing.T) {
	t.Parallel()
	ws := newWorkspace(t)
	for i := range 1000 {
		ws.touchContact(fmt.Sprintf("c%04d", i), secondsBeforeNoon(time.Duration(i)*30*hour)-3600) // three and a half years
	}
	c := ws.newClient(t)

	ids, pages := drainPhase(t, NewReader(c, Request{Stream: searchStream()}))
	s := lastState(pages)
	want := State{SyncedTo: watermark, HistoryTo: watermark - 7*24*3600, Version: "2.17"}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Fatalf("state after the forward window (-want +got):\n%s", diff)
	}
	if len(ids) != 6 {
		t.Errorf("%d records in the forward window, want the 6 of a week", len(ids))
	}

	more, pages := drainPhase(t, NewReader(c, Request{Stream: searchStream(), State: s, Phase: History}))
	if diff := cmp.Diff(ws.contactIDs(), sortedDistinct(append(ids, more...))); diff != "" {
		t.Errorf("ids (-want +got):\n%s", diff)
	}
	var spans []int64
	for _, p := range pages {
		if p.Boundary {
			spans = append(spans, p.State.HistorySpan/86400)
		}
	}
	if got := fmt.Sprint(spans[:6]); got != "[14 28 56 112 224 448]" || len(spans) != 7 {
		t.Errorf("history windows of %v days", spans)
	}
	got := lastState(pages)
	if !got.HistoryDone || got.HistoryTo != 0 || got.SyncedTo != watermark || got.Window != nil || got.Position != nil {
		t.Errorf("state after the history: %s", got)
	}
	if _, _, err := tryDrain(NewReader(c, Request{Stream: searchStream(), State: got, Phase: History})); err != nil {
		t.Errorf("history that is done: %v", err)
	}
}

func TestHistoryEndsAtStart(t *testing.T) {
	t.Parallel()
	ws := newWorkspace(t)
	for i := range 100 {
		ws.touchContact(fmt.Sprintf("c%04d", i), secondsBeforeNoon(time.Duration(i)*day))
	}
	c := ws.newClient(t)
	start := noon.Add(-60 * day)
	state := State{SyncedTo: watermark, HistoryTo: secondsBeforeNoon(7 * day), Version: "2.17"}
	ids, pages := drainPhase(t, NewReader(c, Request{Stream: searchStream(), State: state, Phase: History, Start: start}))
	if got := lastState(pages); got.HistoryTo != start.Unix() || !got.HistoryDone {
		t.Errorf("state %s, want history down to %d, done", got, start.Unix())
	}
	if ids := sortedDistinct(ids); len(ids) < 54 || ids[len(ids)-1] != "c0060" {
		t.Errorf("read %d records, the oldest %s; want all down to c0060", len(ids), ids[len(ids)-1])
	}

	// A start later than what has been read leaves nothing to do.
	_, pages = drainPhase(t, NewReader(c, Request{Stream: searchStream(), State: state, Phase: History, Start: noon.Add(-day)}))
	if len(pages) != 1 || !lastState(pages).HistoryDone || len(pages[0].Records) != 0 {
		t.Errorf("a later start: %d pages, want one that says that the history is done", len(pages))
	}
}

func TestT1T2OneQueryMissesNothingInAnyZone(t *testing.T) {
	t.Parallel()
	zones := []*time.Location{nil} // seconds
	for _, offset := range []int{-11 * 60, -8 * 60, -1, 0, 1, 5*60 + 45, 12*60 + 45, 14 * 60} {
		zones = append(zones, time.FixedZone(fmt.Sprintf("UTC%+d", offset), offset*60))
	}
	for _, zone := range zones {
		for _, h := range []int{0, 1, 3, 11, 13, 20, 22, 23} { // with noon, and the zones, all around midnight
			ws := newWorkspace(t)
			ws.days = zone
			// Three readings within a day, two hours apart, each after changes in the seconds around it.
			begin := noon.Add(time.Duration(h)*hour - 30*day)
			ws.Clock.Set(begin)
			state := State{SyncedTo: begin.Add(-4 * hour).Unix(), HistoryTo: 1, HistoryDone: true, Version: "2.17"}
			var read []string
			c := ws.newClient(t)
			for run := range 3 {
				now := ws.Clock.Now()
				for i, before := range []time.Duration{0, 1, time.Second, 15 * time.Minute, 16 * time.Minute, hour, 3*hour + 59*time.Minute} {
					ws.touchContact(fmt.Sprintf("r%d-%d", run, i), now.Add(-before).Unix())
				}
				ids, pages := drainPhase(t, NewReader(c, Request{Stream: searchStream(), State: state}))
				read, state = append(read, ids...), lastState(pages)
				ws.Clock.Set(now.Add(2 * hour))
			}
			if diff := cmp.Diff(ws.contactIDs(), sortedDistinct(read)); diff != "" {
				t.Fatalf("zone %v, hour %d (-want +got):\n%s", zone, h, diff)
			}
		}
	}
}

func TestT4T11TiesLongerThanAPageSurviveAKillAtEachPage(t *testing.T) {
	t.Parallel()
	ws := newWorkspace(t)
	for i := range 500 {
		ws.touchContact(fmt.Sprintf("c%04d", i), secondsBeforeNoon(hour))
	}
	s := searchStream()
	s.Read.Page.Size = 20
	state := State{SyncedTo: secondsBeforeNoon(2 * hour), HistoryDone: true, Version: "2.17"}
	var read []string
	pages := 0
	for state.SyncedTo != watermark {
		// A new client and reader for every page: each resumes from the committed state alone.
		r := NewReader(ws.newClient(t), Request{Stream: s, State: mustParse(t, state.String())})
		p, err := r.Next(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if p.State.SyncedTo != secondsBeforeNoon(2*hour) && !p.Boundary {
			t.Fatal("the watermark moved inside the window")
		}
		for _, rec := range p.Records {
			id, _ := scan.Text(scan.Field(rec.Raw, "id"))
			read = append(read, id)
		}
		state = p.State
		pages++
	}
	if diff := cmp.Diff(ws.contactIDs(), sortedDistinct(read)); diff != "" || len(read) != 500 || pages != 25 {
		t.Errorf("%d records on %d pages (-want +got):\n%s", len(read), pages, diff)
	}
}

func TestT5WatermarkStaysBehindTheServersClock(t *testing.T) {
	t.Parallel()
	ws := newWorkspace(t, testContact{"a", secondsBeforeNoon(0)})
	c := ws.newClient(t)
	_, pages := drainPhase(t, NewReader(c, Request{Stream: searchStream(), State: State{SyncedTo: secondsBeforeNoon(hour), HistoryDone: true}}))
	// Changed again in the same second, after its page was served.
	ws.touchContact("b", secondsBeforeNoon(0))
	ids, _ := drainPhase(t, NewReader(c, Request{Stream: searchStream(), State: lastState(pages)}))
	if !slices.Contains(ids, "b") {
		t.Errorf("read %v, without b", ids)
	}
}

func TestT6LateRecordsAreWithinTheLookbackWindow(t *testing.T) {
	t.Parallel()
	ws := newWorkspace(t, testContact{"a", secondsBeforeNoon(hour)})
	c := ws.newClient(t)
	_, pages := drainPhase(t, NewReader(c, Request{Stream: searchStream(), State: State{SyncedTo: secondsBeforeNoon(2 * hour), HistoryDone: true}}))
	ws.touchContact("late", secondsBeforeNoon(47*hour)) // the index shows it two days after its change
	ids, _ := drainPhase(t, NewReader(c, Request{Stream: searchStream(), State: lastState(pages)}))
	if !slices.Contains(ids, "late") {
		t.Errorf("read %v, without the late one", ids)
	}
}

func TestT9ChangesWhilePagingLoseNothing(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		dice := rand.New(rand.NewPCG(seed, 9))
		n := 1 + dice.IntN(40)
		ws := newWorkspace(t)
		for i := range n {
			ws.touchContact(fmt.Sprintf("c%04d", i), secondsBeforeNoon(time.Duration(i)*10*time.Minute))
		}
		s := searchStream()
		s.Read.Page.Size = 1 + dice.IntN(10)
		ws.between = func(int) {
			for range dice.IntN(3) {
				ws.touchContact(fmt.Sprintf("c%04d", dice.IntN(n+5)), ws.Clock.Now().Unix())
			}
		}
		c := ws.newClient(t)
		latest := map[string]int64{}
		state := State{SyncedTo: secondsBeforeNoon(11 * hour), HistoryDone: true, Version: "2.17"}
		for range 2 {
			_, pages := drainPhase(t, NewReader(c, Request{Stream: s, State: state}))
			noteLatestTimes(latest, pages)
			state = lastState(pages)
			ws.between = nil // the second reading meets a quiet workspace
			ws.Clock.Set(noon.Add(day))
		}
		for _, c := range ws.contacts {
			if latest[c.id] != c.at {
				t.Fatalf("seed %d: %s was changed at %d, last read as of %d", seed, c.id, c.at, latest[c.id])
			}
		}
	}
}

// noteLatestTimes keeps the latest time that each record was read as of.
func noteLatestTimes(latest map[string]int64, pages []Page) {
	for _, p := range pages {
		for _, rec := range p.Records {
			id, _ := scan.Text(scan.Field(rec.Raw, "id"))
			at, _ := scan.Number(scan.Field(rec.Raw, "updated_at"))
			latest[id] = max(latest[id], at)
		}
	}
}

func TestT10UnsortedListIsReadToItsEnd(t *testing.T) {
	t.Parallel()
	ws := newWorkspace(t)
	ws.shuffle = true
	for i := range 100 {
		ws.touchContact(fmt.Sprintf("c%02d", i), secondsBeforeNoon(time.Duration((i*37)%100)*hour/2))
	}
	s := searchStream()
	s.Read.Page.Size = 10
	ids, pages := drainPhase(t, NewReader(ws.newClient(t), Request{Stream: s, State: State{SyncedTo: secondsBeforeNoon(2 * hour), HistoryDone: true}}))
	if diff := cmp.Diff(ws.contactIDs(), sortedDistinct(ids)); diff != "" {
		t.Errorf("ids (-want +got):\n%s", diff)
	}
	if p := pages[4].State.Position; !p.Unsorted || p.LastTime != 0 {
		t.Errorf("position %+v: want it unsorted, without a time", p)
	}
	if got := lastState(pages).SyncedTo; got != watermark {
		t.Errorf("watermark %d, want %d", got, watermark)
	}
}

func TestT10ARecordOutOfItsPlaceDoesNotEndAWindow(t *testing.T) {
	t.Parallel()
	ws := newWorkspace(t)
	for i := range 40 {
		ws.touchContact(fmt.Sprintf("c%02d", i), secondsBeforeNoon(hour)+int64(i)*60)
	}
	ws.shuffle = true                                      // by id, which is by time for all but one:
	ws.touchContact("c09", secondsBeforeNoon(time.Minute)) // the last of its page
	s := searchStream()
	s.Read.Page.Size = 10
	ids, _ := drainPhase(t, NewReader(ws.newClient(t), Request{Stream: s, State: State{SyncedTo: secondsBeforeNoon(2 * hour), HistoryDone: true}}))
	if diff := cmp.Diff(ws.contactIDs(), sortedDistinct(ids)); diff != "" {
		t.Errorf("ids (-want +got):\n%s", diff)
	}
}

func TestT10RecordsAfterTheWindowEndNoListOutOfOrder(t *testing.T) {
	t.Parallel()
	ws := newWorkspace(t)
	ws.shuffle = true // by id: two that are not in the order of time, six after the window that are, and those of the window
	for i, before := range []int{30, 50, 14, 12, 10, 8, 6, 4, 45, 44, 43, 42} {
		ws.touchContact(fmt.Sprintf("c%02d", i), secondsBeforeNoon(time.Duration(before)*time.Minute))
	}
	s := searchStream()
	s.Read.Page.Size = 8
	ids, _ := drainPhase(t, NewReader(ws.newClient(t), Request{Stream: s, State: State{SyncedTo: secondsBeforeNoon(2 * hour), HistoryDone: true}}))
	if diff := cmp.Diff(ws.contactIDs(), sortedDistinct(ids)); diff != "" {
		t.Errorf("ids (-want +got):\n%s", diff)
	}
}

// The API refuses a time as text or with a fraction, too many filters in a group, and groups nested too deep. Every search has two
// filters, or these two and an end.
func TestT21T22SearchHasFewFiltersWithWholeSeconds(t *testing.T) {
	t.Parallel()
	ws := newWorkspace(t, minutesOf(60)...)
	ws.touchContact("old", secondsBeforeNoon(100*day))
	ws.life = 2
	s := searchStream()
	s.Read.Page.Size = 10
	c := ws.newClient(t)
	_, pages := drainPhase(t, NewReader(c, Request{Stream: s}))
	drainPhase(t, NewReader(c, Request{Stream: s, State: lastState(pages), Phase: History}))
	drainPhase(t, NewReader(c, Request{Stream: s, State: lastState(pages), Since: noon.Add(-11*hour - time.Second/2), Until: noon}))
	from := `\{"operator":"OR","value":\[\{"field":"updated_at","operator":"=","value":(\d+)\},` +
		`\{"field":"updated_at","operator":"(?:>|\\u003e)","value":(\d+)\}\]\}`
	question := regexp.MustCompile(`^\{"query":(?:` + from + `|\{"operator":"AND","value":\[` + from +
		`,\{"field":"updated_at","operator":"(?:<|\\u003c)","value":\d+\}\]\}),"sort":`)
	for _, q := range ws.Requests() {
		if m := question.FindStringSubmatch(q.Body); m == nil || m[1] != m[2] || m[3] != m[4] {
			t.Errorf("asked %s", q.Body)
		}
	}
}

func TestT135AChangeOfTheZoneBetweenReadingsMissesNothing(t *testing.T) {
	t.Parallel()
	zones := []*time.Location{time.FixedZone("west", -11*3600), time.UTC, time.FixedZone("east", 14*3600)}
	for _, before := range zones {
		for _, after := range zones {
			for _, h := range []int{0, 9, 10, 13, 22, 23} {
				ws := newWorkspace(t)
				ws.days = before
				ws.Clock.Set(noon.Add(time.Duration(h)*hour - 30*day))
				state := State{SyncedTo: ws.Clock.Now().Add(-4 * hour).Unix(), HistoryTo: 1, HistoryDone: true, Version: "2.16"}
				var read []string
				c := ws.newClient(t, func(o *api.Options) { o.Version = "2.16" })
				for run := range 3 {
					now := ws.Clock.Now()
					for i, ago := range []time.Duration{0, time.Second, 16 * time.Minute, hour, 3*hour + 59*time.Minute} {
						ws.touchContact(fmt.Sprintf("r%d-%d", run, i), now.Add(-ago).Unix())
					}
					ids, pages := drainPhase(t, NewReader(c, Request{Stream: searchStream(), State: state}))
					read, state = append(read, ids...), lastState(pages)
					// The index is slow: for one more reading it has the existing records in the days of the old zone.
					ws.Clock.Set(now.Add(3 * hour))
					ws.days, ws.indexed = after, []*time.Location{before, after, after}[run]
				}
				if diff := cmp.Diff(ws.contactIDs(), sortedDistinct(read)); diff != "" {
					t.Fatalf("from %v to %v, hour %d (-want +got):\n%s", before, after, h, diff)
				}
			}
		}
	}
}

func TestT160OlderTimesInTheIndexEndNoWindow(t *testing.T) {
	t.Parallel()
	ws := newWorkspace(t)
	now := map[string]int64{}
	for i := range 90 {
		id := fmt.Sprintf("c%02d", i)
		ws.touchContact(id, secondsBeforeNoon(time.Duration(90-i)*day))
		if i%10 > 4 { // five in a row, over and over
			now[id] = secondsBeforeNoon(time.Minute)
		}
	}
	ws.now = now
	s := searchStream()
	s.Read.Page.Size = 4
	c := ws.newClient(t)
	ids, pages := drainPhase(t, NewReader(c, Request{Stream: s}))
	more, _ := drainPhase(t, NewReader(c, Request{Stream: s, State: lastState(pages), Phase: History}))
	if diff := cmp.Diff(ws.contactIDs(), sortedDistinct(append(ids, more...)), cmpopts.SortSlices(strings.Compare)); diff != "" {
		t.Errorf("ids (-want +got):\n%s", diff)
	}
}

func TestT160ExpiredCursorContinuesFromAnIndexedTime(t *testing.T) {
	t.Parallel()
	for _, told := range []bool{true, false} {
		ws := newWorkspace(t)
		now := map[string]int64{}
		for i := range 60 {
			id := fmt.Sprintf("c%02d", i)
			ws.touchContact(id, secondsBeforeNoon(6*day)+int64(i)*3600)
			if i >= 12 && i < 20 { // the page before the cursor dies ends among them
				now[id] = secondsBeforeNoon(time.Minute)
			}
		}
		ws.now = now
		ws.untold, ws.life = !told, 100
		ws.between = func(n int) {
			if n == 5 {
				clear(ws.cursors)
			}
		}
		s := searchStream()
		s.Read.Page.Size = 4
		ids, pages := drainPhase(t, NewReader(ws.newClient(t), Request{Stream: s, State: State{SyncedTo: secondsBeforeNoon(5 * day), HistoryDone: true}}))
		if diff := cmp.Diff(ws.contactIDs(), sortedDistinct(ids), cmpopts.SortSlices(strings.Compare)); diff != "" {
			t.Errorf("total told: %v: ids (-want +got):\n%s", told, diff)
		}
		if lastState(pages).SyncedTo != watermark {
			t.Errorf("total told: %v: state %s", told, lastState(pages))
		}
	}
}

func TestT165ListShorterThanItsCountFailsInEveryRun(t *testing.T) {
	t.Parallel()
	ws := newWorkspace(t, minutesOf(40)...)
	ws.short = 3 // of its records never come
	s := searchStream()
	s.Read.Page.Size = 10
	state := State{SyncedTo: secondsBeforeNoon(11 * hour), HistoryDone: true}
	for range 2 {
		ids, pages, err := tryDrain(NewReader(ws.newClient(t), Request{Stream: s, State: state}))
		if api.ClassOf(err) != api.ClassSource || !errors.Is(err, errShort) || !strings.Contains(err.Error(), "states 40, but 37 were returned") {
			t.Errorf("got %v", err)
		}
		if len(sortedDistinct(ids)) != 37 {
			t.Errorf("%d records", len(sortedDistinct(ids)))
		}
		if state = lastState(pages); state.SyncedTo != secondsBeforeNoon(11*hour) || state.Window != nil {
			t.Errorf("state %s", state)
		}
	}
	ws.short = 0
	ids, pages := drainPhase(t, NewReader(ws.newClient(t), Request{Stream: s, State: state}))
	if len(ids) != 40 || lastState(pages).SyncedTo != watermark {
		t.Errorf("%d records, state %s", len(ids), lastState(pages))
	}
}

func TestT165ASecondReadingWithLessThanHalfOfTheFirstFails(t *testing.T) {
	t.Parallel()
	for left, fails := range map[int]bool{0: true, 18: true, 19: false} {
		ws := newWorkspace(t, minutesOf(40)...)
		ws.short = 3
		ws.between = func(n int) {
			if n == 5 { // the first reading took four pages
				ws.contacts, ws.short = ws.contacts[:left], 0
			}
		}
		s := searchStream()
		s.Read.Page.Size = 10
		_, pages, err := tryDrain(NewReader(ws.newClient(t), Request{Stream: s, State: State{SyncedTo: secondsBeforeNoon(11 * hour), HistoryDone: true}}))
		if errors.Is(err, errShort) != fails {
			t.Errorf("%d of 37 records came again: got %v", left, err)
		}
		if moved := lastState(pages).SyncedTo == watermark; moved == fails {
			t.Errorf("%d of 37 records came again: state %s", left, lastState(pages))
		}
	}
}

func TestT165ChangesWhileAListIsReadAreNoContradiction(t *testing.T) {
	t.Parallel()
	ws := newWorkspace(t, minutesOf(60)...)
	ws.between = func(n int) {
		if n == 3 { // one that came and one that did not leave; one changes
			ws.contacts = slices.DeleteFunc(ws.contacts, func(c testContact) bool { return c.id == "c003" || c.id == "c050" })
			ws.touchContact("c001", secondsBeforeNoon(time.Minute))
		}
	}
	s := searchStream()
	s.Read.Page.Size = 10
	ids, pages := drainPhase(t, NewReader(ws.newClient(t), Request{Stream: s, State: State{SyncedTo: secondsBeforeNoon(11 * hour), HistoryDone: true}}))
	if lastState(pages).SyncedTo != watermark || len(ids) != 60 {
		t.Errorf("%d records, state %s", len(ids), lastState(pages))
	}
}
