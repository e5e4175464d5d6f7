package pipeline_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/lane"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
)

// virtualClock is a clock that many goroutines wait by. A wait moves it to its end, and never back.
type virtualClock struct {
	mu  sync.Mutex // guards now
	now time.Time
}

func (v *virtualClock) Now() time.Time {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.now
}

func (v *virtualClock) advanceTo(t time.Time) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if t.After(v.now) {
		v.now = t
	}
}

// longSync is a workspace whose first sync takes many minutes of virtual time.
type longSync struct {
	*testBed
	clock         *virtualClock
	began         time.Time
	conversations int
	early         time.Duration // the newest records are published by then
}

const longConfig = `version: 1
warehouse: {dir: data, publish: {every: 2m}}
workspaces:
  main: {base_url: "${WORKSPACE_URL}", token: "${WORKSPACE_TOKEN}", api_version: "2.17", requests_per_minute: %d}
pipelines:
  nightly: {streams: [contacts, deleted_contacts, contact_activities, conversations]}
`

// longSize is the size of the test: half an hour at 6,000 requests a minute with AQUEDUCK_LONG, or at few without.
func longSize() (conversations, perMinute int, early time.Duration) {
	if os.Getenv("AQUEDUCK_LONG") != "" {
		return 200_000, 6000, 5 * time.Minute
	}
	return 1200, 40, 8 * time.Minute
}

func newLongSync(t *testing.T) *longSync {
	t.Helper()
	conversations, perMinute, early := longSize()
	l := &longSync{clock: &virtualClock{now: time.Date(2026, 11, 20, 2, 0, 0, 0, time.UTC)}, conversations: conversations, early: early}
	l.began = l.clock.now
	l.testBed = newBedWith(t, emulator.Config{
		Seed: 5, Contacts: conversations / 10, Inactive: 40, Activities: 150, Conversations: conversations,
		Start: l.began, Now: l.clock.Now, NoLog: true, Knobs: emulator.Knobs{NestedCap: 400},
	}, fmt.Sprintf(longConfig, perMinute))
	l.runner.Now = l.clock.Now
	l.runner.Wait = func(ctx context.Context, d time.Duration) error {
		l.clock.advanceTo(l.clock.Now().Add(d))
		return ctx.Err()
	}
	return l
}

// runAfter calls f at the first request after a time.
func (l *longSync) runAfter(d time.Duration, f func()) {
	var once sync.Once
	l.space.RunBetween(func(int) {
		if l.clock.Now().Sub(l.began) >= d {
			once.Do(f)
		}
	})
}

// publishedCounts says whether the file has all contacts, and how many of the newest conversations it has without a gap.
func (l *longSync) publishedCounts() (contacts, conversations int) {
	l.t.Helper()
	fmt.Sscan(l.queryRows("SELECT count(*) FROM contacts")[0], &contacts)
	fmt.Sscan(l.queryRows("SELECT count(*) FROM conversations")[0], &conversations)
	return contacts, conversations
}

// newestAreWhole compares the published conversations with the oracle, down to the end of the backfill.
func (l *longSync) newestAreWhole() {
	l.t.Helper()
	const read = "(SELECT history_to FROM _sync.checkpoints WHERE stream = 'conversations')"
	var down int64
	fmt.Sscan(l.queryRows("SELECT epoch(history_to)::BIGINT FROM " + read)[0], &down)
	want := 0
	for row := range l.space.Truth("conversations") {
		if row["updated_at"].(int64) >= down {
			want++
		}
	}
	if got := l.queryRows("SELECT count(*) FROM conversations WHERE updated_at >= " + read); down == 0 || got[0] != fmt.Sprint(want) {
		l.t.Errorf("down to %s the file holds %s conversations, want %d", time.Unix(down, 0).UTC(), got[0], want)
	}
}

// recordEstimates collects the estimates in run.json during a run.
func (l *longSync) recordEstimates(into map[time.Time]runlog.Running) {
	text, err := os.ReadFile(l.runner.Dir.RunFile())
	if err != nil {
		return // the run has not begun
	}
	var r runlog.Running
	if json.Unmarshal(text, &r) == nil {
		into[r.At] = r
	}
}

// TestLongFirstSyncPublishesNewestFirstWithEstimate reads for half an hour of virtual time.
func TestLongFirstSyncPublishesNewestFirstWithEstimate(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	skipInRaceRun(t)
	l := newLongSync(t)
	seen := map[time.Time]runlog.Running{}
	early := 0
	var mu sync.Mutex
	l.space.RunBetween(func(n int) {
		mu.Lock()
		defer mu.Unlock()
		l.recordEstimates(seen)
		if l.clock.Now().Sub(l.began) >= l.early && early == 0 {
			var contacts int
			contacts, early = l.publishedCounts()
			if want := len(l.space.ContactIDs("active")); contacts != want {
				t.Errorf("after %s the file holds %d contacts, want all %d", l.early, contacts, want)
			}
			if early < l.conversations/200 {
				t.Errorf("after %s the file holds %d conversations", l.early, early)
			}
			l.newestAreWhole()
		}
	})
	report := l.syncOnce(runner.Options{})
	l.space.RunBetween(nil)
	end := l.clock.Now()
	whole := end.Sub(l.began)
	t.Logf("%s; %s of virtual time, %d requests, after %s %d conversations", report.LastLine(), whole, l.space.RequestCount(), l.early, early)
	judged := 0
	for at, r := range seen {
		if r.Left == 0 || r.Percent < 5 || at.Sub(l.began) < whole/10 {
			continue
		}
		judged++
		t.Logf("%s: %.1f %% left %s rows %d requests %d", at.Sub(l.began), r.Percent, r.Left, r.Rows, r.Requests)
		if off := at.Add(r.Left).Sub(end).Abs(); off > whole/5 {
			t.Errorf("at %s (%.0f %%) the end was told %s wrong, of %s", at.Sub(l.began), r.Percent, off, whole)
		}
	}
	if judged == 0 {
		t.Errorf("of %d looks none told when it ends", len(seen))
	}
	l.equalsOracle()
}

// TestCutAndKilledRunsEqualOneLongRun cuts a first sync into pieces by max_time. In the middle of one its process dies, and the next run starts
// from the files on disk at that moment.
// Holds: F25.
func TestCutAndKilledRunsEqualOneLongRun(t *testing.T) {
	t.Parallel()
	skipUnlessLong(t)
	one, pieces := newLongSync(t), newLongSync(t)
	whole := one.syncOnce(runner.Options{})
	length := one.clock.Now().Sub(one.began)
	cuts, lost := 0, 0
	for ; cuts < 20; cuts++ {
		copied := filepath.Join(t.TempDir(), "killed")
		if cuts == 2 {
			pieces.killedAfter(pieces.clock.Now().Sub(pieces.began)+length/12, copied, &lost)
		}
		report := pieces.syncOnce(runner.Options{MaxTime: length / 5})
		if cuts == 2 {
			pieces.space.RunBetween(nil)
			pieces.comeBackAs(copied)
			lost = pieces.space.RequestCount() - lost // its requests after its death
			continue
		}
		if strings.Contains(report.LastLine(), " backfill=100%") && !streamResult(t, report, "conversations").Cut {
			break
		}
		if line := report.LastLine(); !strings.Contains(line, " left=") {
			t.Errorf("a run that was cut says %s", line)
		}
	}
	if cuts < 5 || cuts > 7 {
		t.Errorf("%d runs were cut, want about five", cuts)
	}
	t.Logf("%s; %d requests in one, %d in %d pieces", whole.LastLine(), one.space.RequestCount(), pieces.space.RequestCount(), cuts+1)
	// Every run requests the newest pages and the small lists again: about 25 requests.
	if asked := pieces.space.RequestCount() - lost; asked > one.space.RequestCount()+max(one.space.RequestCount()/10, 40*cuts) {
		t.Errorf("%d requests in pieces, %d in one: what was committed was read again", asked, one.space.RequestCount())
	}
	for _, table := range one.queryRows("SELECT schema_name || '.' || table_name FROM duckdb_tables() WHERE schema_name IN ('main', '_raw') AND NOT internal ORDER BY 1") {
		// The content hash of an erased person's row depends on the warehouse's salt, so that it identifies no one.
		content := "SELECT count(*), sum(hash(t::VARCHAR)::HUGEINT) FROM (SELECT COLUMNS(c -> c NOT IN ('_synced_at', '_run_id', '_hash')) FROM " + table + ") t"
		if a, b := one.queryRows(content), pieces.queryRows(content); a[0] != b[0] {
			t.Errorf("%s: one run gives %s, pieces give %s (rows and their sum)", table, a[0], b[0])
		}
	}
}

// killedAfter copies the warehouse at a request some time after the start. Only one stream is still being read then, so no file is being written.
func (l *longSync) killedAfter(d time.Duration, to string, at *int) {
	l.runAfter(d, func() {
		*at = l.space.RequestCount()
		if err := copyDir(string(l.runner.Dir), to); err != nil {
			l.t.Error(err)
		}
	})
}

func (l *longSync) comeBackAs(copied string) {
	l.t.Helper()
	if err := os.RemoveAll(string(l.runner.Dir)); err != nil {
		l.t.Fatal(err)
	}
	if err := os.Rename(copied, string(l.runner.Dir)); err != nil {
		l.t.Fatal(err)
	}
}
