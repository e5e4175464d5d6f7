package pipeline_test

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"aqueduck/internal/lane"
	"aqueduck/internal/runner"
)

// wrongClock is a machine's clock that jumps or stands still.
type wrongClock struct {
	right func() time.Time

	mu     sync.Mutex // guards the fields below
	off    time.Duration
	frozen time.Time
}

func (w *wrongClock) Now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.frozen.IsZero() {
		return w.frozen
	}
	return w.right().Add(w.off)
}

func (w *wrongClock) jump(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.off, w.frozen = d, time.Time{}
}

func (w *wrongClock) freeze() {
	at := w.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.frozen = at
}

// TestF8WrongClocksLoseNothing runs with a machine's clock that is wrong, jumps during a run, goes back or stands still, while the workspace's
// clock goes on. Every run succeeds, and no later change has an earlier time.
func TestF8WrongClocksLoseNothing(t *testing.T) {
	lane.SkipHeavy(t)
	skipInRaceRun(t)
	t.Parallel()
	const day, year = 24 * time.Hour, 365 * 24 * time.Hour
	b := newBedWith(t, tinyConfig(72), strings.Replace(nightly, "schedule:", "max_time: 20000h, schedule:", 1))
	clock := &wrongClock{right: b.space.CurrentTime}
	b.runner.Now = clock.Now
	l := newLife(b, 72)
	last := ""
	for _, jumps := range [][2]time.Duration{{time.Hour, -time.Hour}, {year, day}, {-year, -day}, {0, 0}} {
		clock.jump(jumps[0])
		first := b.space.RequestCount()
		b.space.RunBetween(func(n int) {
			if n == first+4 {
				clock.jump(jumps[1])
				if jumps == [2]time.Duration{} {
					clock.freeze()
				}
			}
		})
		b.syncOnce(runner.Options{})
		b.space.RunBetween(nil)
		changed := b.queryRows("SELECT max(_synced_at)::VARCHAR FROM contact_activities")[0]
		if changed <= last {
			t.Errorf("after jumps of %s the newest rows are of %s, those before of %s", jumps, changed, last)
		}
		last = changed
		l.applyEvents(12)
		_, err := b.space.CreateContact("user") // at least one event
		b.failOn(err)
		b.space.Advance(time.Hour)
	}
	clock.jump(0)
	b.syncOnce(runner.Options{})
	b.equalsOracle()
}

// TestT164ClocksThatDifferAreReported: the run adds a note from a difference of half a minute on, and a finding when one clock must be wrong.
func TestT164ClocksThatDifferAreReported(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(73))
	clock := &wrongClock{right: b.space.CurrentTime}
	b.runner.Now = clock.Now
	for _, tt := range []struct {
		off         time.Duration
		note, audit string
	}{
		{20 * time.Second, "", ""},
		{2 * time.Minute, "ahead of", ""},
		{time.Hour, "ahead of", "earlier clock"},
		{-time.Hour, "behind", "earlier clock"},
	} {
		clock.jump(tt.off)
		report := b.syncOnce(runner.Options{Select: []string{"contacts"}})
		notes := slices.DeleteFunc(slices.Clone(report.Notes), func(note string) bool { return !strings.Contains(note, "this machine's clock") })
		if told := len(notes) == 1 && strings.Contains(notes[0], tt.note); told != (tt.note != "") {
			t.Errorf("%s: the notes are %q", tt.off, report.Notes)
		}
		found := findingsNamed(report, "clocks_disagree")
		if told := len(found) == 1 && strings.Contains(found[0].Message, tt.audit); told != (tt.audit != "") {
			t.Errorf("%s: the findings are %+v", tt.off, report.Findings)
		}
	}
}

// TestT205APastDayKeepsItsCopy has the machine's clock go back by a day. Nothing of the day before is at the source any more.
func TestT205APastDayKeepsItsCopy(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(401))
	d := b.withDoors("")
	b.replaceDoors(strings.Replace(doors, "absent: gone\n", "absent: gone\nsnapshot: day\n", 1))
	clock := &wrongClock{right: b.space.CurrentTime}
	b.runner.Now = clock.Now
	updated := 0
	read := func(state string, off time.Duration) []string {
		updated++
		d.showPages(doorJSON(1, updated, state))
		clock.jump(off)
		b.syncOnce(runner.Options{Select: []string{"doors"}})
		return b.queryRows("SELECT state, count(*) OVER () FROM doors_daily ORDER BY snapshot_date")
	}
	read("open", 0)
	b.space.Advance(24 * time.Hour)
	read("shut", 0)
	b.space.Advance(time.Hour)
	if got := read("ajar", -24*time.Hour); strings.Join(got, " ") != "open|2 ajar|2" {
		t.Errorf("the copies of two days are %v", got)
	}
}

// datedAnswer dates an answer by a clock.
type datedAnswer struct {
	http.ResponseWriter
	now func() time.Time
}

func (w *datedAnswer) Write(p []byte) (int, error) { w.date(); return w.ResponseWriter.Write(p) }
func (w *datedAnswer) WriteHeader(code int)        { w.date(); w.ResponseWriter.WriteHeader(code) }
func (w *datedAnswer) date()                       { w.Header().Set("Date", w.now().UTC().Format(http.TimeFormat)) }

// TestT205APastDayKeepsItsCopyWhenTheSourceIsBehind: a cache in front of an API sends an old Date.
func TestT205APastDayKeepsItsCopyWhenTheSourceIsBehind(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(401))
	d := b.withDoors("")
	b.replaceDoors(strings.Replace(doors, "absent: gone\n", "absent: gone\nsnapshot: day\n", 1))
	front, behind, updated := b.front, time.Duration(0), 0
	b.front = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		front.ServeHTTP(&datedAnswer{w, func() time.Time { return b.space.CurrentTime().Add(-behind) }}, r)
	})
	read := func(state string) []string {
		updated++
		d.showPages(doorJSON(1, updated, state))
		b.syncOnce(runner.Options{Select: []string{"doors"}})
		return b.queryRows("SELECT state FROM doors_daily ORDER BY snapshot_date")
	}
	read("open")
	b.space.Advance(24 * time.Hour)
	read("shut")
	b.space.Advance(time.Hour)
	behind = 24 * time.Hour
	if got := read("ajar"); strings.Join(got, " ") != "open ajar" {
		t.Errorf("the copies of two days are %v", got)
	}
}

// TestT206AClockThatWasAheadDoesNotStopTheLake: the files of the first run have a time that is a year ahead.
func TestT206AClockThatWasAheadDoesNotStopTheLake(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(401)).publishingLake()
	d := b.withDoors("")
	b.writeConfig(strings.Replace(b.readConfig(), "{dir: data", "{dir: data, parquet: 6h", 1))
	clock := &wrongClock{right: b.space.CurrentTime}
	b.runner.Now = clock.Now
	for i, off := range []time.Duration{365 * 24 * time.Hour, 0} {
		clock.jump(off)
		d.showPages(doorJSON(1, i, "open"))
		b.syncOnce(runner.Options{Select: []string{"doors"}})
		b.space.Advance(24 * time.Hour)
		text, err := os.ReadFile(filepath.Join(b.runner.Dir.Lake("main"), "_manifest.json"))
		b.failOn(err)
		if !strings.Contains(string(text), filepath.Base(b.runner.Dir.Current())) {
			t.Errorf("with a clock that is ahead by %s, the lake is of another file", off)
		}
	}
}

// TestFailedReadsWhatFailedAfterAClockThatWasAhead: the run that was right has a time that is a year ahead.
func TestFailedReadsWhatFailedAfterAClockThatWasAhead(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(401))
	d := b.withDoors("")
	clock := &wrongClock{right: b.space.CurrentTime}
	b.runner.Now = clock.Now
	d.showPages(doorJSON(1, 1, "open"))
	clock.jump(365 * 24 * time.Hour)
	b.syncOnce(runner.Options{})
	clock.jump(0)
	b.space.Advance(24 * time.Hour)
	d.showPages(`{"id":1,`)
	b.trySync(runner.Options{})
	d.showPages(doorJSON(1, 2, "shut"))
	if report := b.trySync(runner.Options{Failed: true}); len(report.Streams) != 1 || report.Streams[0].Stream != "doors" {
		t.Errorf("%s: %+v", report.LastLine(), report.Streams)
	}
}

// TestAReadByIDIsNewerThanTheEntryThatLeftTheListBefore unblocks a contact, of which search shows nothing new, while the machine's clock is a day late.
func TestAReadByIDIsNewerThanTheEntryThatLeftTheListBefore(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(73))
	clock := &wrongClock{right: b.space.CurrentTime}
	b.runner.Now = clock.Now
	id := b.space.ContactIDs("active")[0]
	b.failOn(b.space.BlockContact(id))
	b.syncOnce(runner.Options{})
	clock.jump(-24 * time.Hour)
	b.space.Advance(time.Minute)
	b.failOn(b.space.UnblockContact(id, false))
	b.syncOnce(runner.Options{})
	b.checkLifecycle("active", "", id)
}
