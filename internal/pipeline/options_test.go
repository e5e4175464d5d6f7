package pipeline_test

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

	"aqueduck/internal/emulator"
	"aqueduck/internal/emulator/api/fault"
	"aqueduck/internal/lane"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/internal/sync"
)

// countRequests counts the requests since number n by prefix of their path; the longest given prefix counts.
func (b *testBed) countRequests(n int, prefixes ...string) map[string]int {
	counts := map[string]int{}
	for _, r := range b.space.Requests()[n:] {
		best := ""
		for _, p := range prefixes {
			if strings.HasPrefix(r.Path, p) && len(p) > len(best) {
				best = p
			}
		}
		counts[best]++
	}
	return counts
}

func (b *testBed) checkpointState(stream string) string {
	b.t.Helper()
	return b.queryRows("SELECT state FROM _sync.checkpoints WHERE stream = '" + stream + "'")[0]
}

func TestExplicitWindowMovesNoWatermark(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(61))
	b.syncOnce(runner.Options{})
	state := b.checkpointState("contacts")
	p := contactBed{b}
	old, recent := b.space.ContactIDs("active")[0], b.space.ContactIDs("active")[1]
	p.advanceAfter(b.space.UpdateContact(old, emulator.FieldChange{Field: "name", Value: "Old Change"}))
	b.space.Advance(24 * time.Hour)
	between := b.space.CurrentTime()
	b.space.Advance(24 * time.Hour)
	p.advanceAfter(b.space.UpdateContact(recent, emulator.FieldChange{Field: "name", Value: "Recent Change"}))
	b.space.Advance(24 * time.Hour)

	report := b.syncOnce(runner.Options{Select: []string{"contacts"}, Until: between})
	if got := b.queryRows("SELECT name FROM contacts WHERE name LIKE '%Change'"); len(got) != 1 || got[0] != "Old Change" {
		// The page may contain records after the window; with so few contacts it has all of them.
		if len(got) != 2 {
			t.Errorf("read %v, %s", got, report.LastLine())
		}
	}
	b.syncOnce(runner.Options{Select: []string{"contacts"}, Since: between})
	if got := b.queryRows("SELECT name FROM contacts WHERE name LIKE '%Change' ORDER BY 1"); len(got) != 2 {
		t.Errorf("read %v", got)
	}
	if got := b.checkpointState("contacts"); got != state {
		t.Errorf("the checkpoint moved from %s to %s", state, got)
	}
	b.syncOnce(runner.Options{})
	b.equalsOracle()
}

// TestExplicitWindowAppliesToSearchedStreamsOnly: a stream without times to read between keeps its checkpoint, and no row is lost.
func TestExplicitWindowAppliesToSearchedStreamsOnly(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(62))
	report := b.syncOnce(runner.Options{Since: b.space.CurrentTime().Add(-30 * 24 * time.Hour)})
	if len(report.Streams) != 1 || report.Streams[0].Stream != "contacts" || report.Streams[0].Backfill != 0 {
		t.Errorf("streams read: %+v, want contacts alone, of which nothing is read for good", report.Streams)
	}
	if got := b.queryRows("SELECT stream FROM _sync.checkpoints WHERE synced_to IS NOT NULL"); len(got) != 0 {
		t.Errorf("marks of %v, want none", got)
	}
}

// TestFullRefreshComparesWithoutEmptyingTables finds changes without a new updated_at, and writes nothing else. Every file published meanwhile has
// all contacts.
// Holds: T47.
func TestFullRefreshComparesWithoutEmptyingTables(t *testing.T) {
	t.Parallel()
	b := newBedWith(t, tinyConfig(63), strings.Replace(nightly, "{dir: data}", "{dir: data, publish: {every: 1m}}", 1))
	b.syncOnce(runner.Options{})
	b.space.Advance(80 * time.Hour)
	quiet := b.space.ContactIDs("active")[0]
	if err := b.space.UpdateQuietly(quiet, emulator.FieldChange{Field: "name", Value: "Quiet Change"}); err != nil {
		t.Fatal(err)
	}
	b.syncOnce(runner.Options{})
	if got := b.queryRows("SELECT count(*) FROM contacts WHERE name = 'Quiet Change'"); got[0] != "0" {
		t.Fatal("a change that moves no updated_at was found by search: the test tests nothing")
	}
	files, least := map[string]bool{}, 1<<30
	b.space.RunBetween(func(int) {
		b.space.Advance(20 * time.Second)
		if file := b.runner.Dir.Current(); !files[file] {
			files[file] = true
			least = min(least, len(b.rowsOf(file, "SELECT id FROM contacts")))
		}
	})
	report := b.syncOnce(runner.Options{FullRefresh: true})
	b.space.RunBetween(nil)
	files[b.runner.Dir.Current()] = true
	if s := streamResult(t, report, "contacts"); s.Extracted < 120 || s.New != 0 || s.Changed != 1 {
		t.Errorf("contacts: %+v", s)
	}
	if len(files) < 2 || least < len(b.space.ContactIDs("active")) {
		t.Errorf("%d files, one of them with %d contacts", len(files), least)
	}
	b.equalsOracle()
}

func TestFailedOptionReadsOnlyFailedStreams(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(64))
	b.syncOnce(runner.Options{})
	b.runner.Given = problem.JoinCLIFlags("--dir", "my data")
	broken := true
	b.space.InjectFaults(func(_ int, r *http.Request) *fault.Fault {
		if broken && r.URL.Path == "/contacts/deleted" {
			return &fault.Fault{Status: http.StatusInternalServerError}
		}
		return nil
	})
	report := b.trySync(runner.Options{})
	if report.Exit() != problem.ExitFailed || report.Count(runlog.StatusOK) != 3 || !strings.HasPrefix(report.LastLine(), "FAILED nightly ok=3 unavailable=0 failed=1 ") {
		t.Errorf("%s", report.LastLine())
	}
	if s := streamResult(t, report, "deleted_contacts"); s.Next != "aqueduck sync --dir 'my data' nightly --failed" || s.Retries == 0 {
		t.Errorf("%+v", s)
	}
	broken = false
	n := b.space.RequestCount()
	b.syncOnce(runner.Options{Failed: true})
	if asked := b.countRequests(n, "/contacts/deleted", "/contacts"); asked["/contacts/deleted"] != 1 || asked["/contacts"] > 1 {
		t.Errorf("asked %v, want the list and the one record that names the workspace", asked)
	}
	n = b.space.RequestCount()
	report = b.syncOnce(runner.Options{Failed: true})
	if asked := b.countRequests(n, "/contacts/deleted"); asked["/contacts/deleted"] != 0 || len(report.Streams) != 0 {
		t.Errorf("with nothing failed asked %v", asked)
	}
	b.syncOnce(runner.Options{})
	b.equalsOracle()
}

func TestFailFastEndsTheRunWithTheFirstFailure(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(65))
	b.runner.Parallel = 1 // small lists are read before feeds and searches
	broken := true
	b.space.InjectFaults(func(_ int, r *http.Request) *fault.Fault {
		if broken && r.URL.Path == "/contacts/deleted" {
			return &fault.Fault{Status: http.StatusInternalServerError}
		}
		return nil
	})
	n := b.space.RequestCount()
	report := b.trySync(runner.Options{FailFast: true})
	if report.Exit() != problem.ExitFailed || report.Count(runlog.StatusFailed) != 1 || report.Count(runlog.StatusInterrupted) != 3 {
		t.Errorf("%s %+v", report.LastLine(), report.Streams)
	}
	if asked := b.countRequests(n, "/contacts/search", "/contacts/activities"); asked["/contacts/search"] > 1 || asked["/contacts/activities"] > 0 {
		t.Errorf("asked %v, want the one record that names the workspace", asked)
	}
	broken = false
	b.syncOnce(runner.Options{Failed: true})
	b.equalsOracle()
}

func TestSelectAndExcludeNarrowARun(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(65))
	for _, o := range []runner.Options{
		{Select: []string{"deleted_*"}}, {Exclude: []string{"contacts", "contact_activities"}},
	} {
		n := b.space.RequestCount()
		report := b.syncOnce(o)
		asked := b.countRequests(n, "/contacts/deleted", "/contacts/search", "/contacts")
		if asked["/contacts/deleted"] == 0 || asked["/contacts/search"] != 1 || asked["/contacts"] != 0 || len(report.Streams) != 1 {
			t.Errorf("%+v: asked %v", o, asked)
		}
	}
	var found *problem.Problem
	_, err := sync.Sync(context.Background(), b.runner, b.runner.Config.Pipelines[0], runner.Options{Select: []string{"tickets"}})
	if !errors.As(err, &found) || found.ExitCode() != problem.ExitUsage || !strings.Contains(found.Next, "deleted_contacts") {
		t.Errorf("an unknown stream: %v", err)
	}
}

// TestRunsCutByLimitsEqualOneLongRun reads a workspace in small pieces, by requests and by time. Each run ends cleanly, no watermark moves back,
// reports say what is left, and in the end no row is missing.
// Holds: T138.
func TestRunsCutByLimitsEqualOneLongRun(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	for _, cut := range []runner.Options{{MaxRequests: 6}, {MaxTime: 2 * time.Minute}} {
		t.Run(fmt.Sprint(cut.MaxRequests, cut.MaxTime), func(t *testing.T) {
			t.Parallel()
			c := tinyConfig(66)
			c.NestedCap = 400 // one request for each page
			b := newBed(t, c)
			b.space.RunBetween(func(int) { b.space.Advance(25 * time.Second) })
			var marks []string
			for n := range 12 {
				report := b.syncOnce(cut)
				if cut.MaxRequests > 0 && report.Requests > cut.MaxRequests {
					t.Errorf("%d requests", report.Requests)
				}
				spent := slices.ContainsFunc(report.Notes, func(note string) bool { return strings.Contains(note, "the request budget of this run") })
				short := slices.ContainsFunc(report.Streams, func(s runlog.StreamResult) bool { return s.Cut })
				if spent != (short && cut.MaxRequests > 0) {
					t.Errorf("%d requests, and the notes are %v", report.Requests, report.Notes)
				}
				marks = append(marks, b.queryRows("SELECT coalesce(max(synced_to), '1970-01-01')::VARCHAR FROM _sync.checkpoints WHERE stream = 'contacts'")...)
				if n > 0 && marks[n] < marks[n-1] {
					t.Errorf("the mark went back: %v", marks)
				}
				done := strings.Contains(report.LastLine(), " backfill=100%") && !streamResult(t, report, "contacts").Cut
				if n == 0 && done {
					t.Error("the first piece was all")
				}
				if done {
					break
				}
			}
			b.space.RunBetween(nil)
			b.syncOnce(runner.Options{})
			b.equalsOracle()
		})
	}
}

// TestLimitedRunDoesNotChangeTheNextRun limits the records of each stream, in a new workspace and in a known one where records were added and
// deleted. Such a run draws no conclusion from records that it did not read.
func TestLimitedRunDoesNotChangeTheNextRun(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	const limit, page = 7, 150
	c := tinyConfig(77)
	c.Inactive = 160 // two pages
	b := newBedWith(t, c, strings.Replace(nightly, "contact_activities]", "contact_activities, companies, segments, admin_activity_logs]", 1))
	tried := func() {
		t.Helper()
		report := b.syncOnce(runner.Options{Limit: limit})
		for _, s := range report.Streams {
			if s.Extracted >= limit+page || s.Extracted >= limit && s.Gone > 0 {
				t.Errorf("of %s %d records were wanted: %+v", s.Stream, limit, s)
			}
		}
		note := strings.Join(report.Notes, "\n")
		if s := streamResult(t, report, "deleted_contacts"); s.Status != runlog.StatusCut || !strings.Contains(note, "--limit 7: ") || !strings.Contains(note, s.Stream) {
			t.Errorf("it is told as %+v, %q", s, note)
		}
		if s := streamResult(t, report, "contacts"); s.Status == runlog.StatusOK && s.Backfill == 1 {
			t.Errorf("it is told as %+v", s)
		}
	}
	tried()
	b.syncOnce(runner.Options{})
	b.equalsOracle()
	for i, id := range b.space.ContactIDs("archived") {
		if i%3 == 0 {
			b.failOn(b.space.UnarchiveContact(id, i%2 == 0))
		}
	}
	contactBed{b}.createUser()
	b.space.Advance(200 * time.Hour)
	tried()
	b.syncOnce(runner.Options{})
	b.equalsOracle()
}

// TestForwardPassComesBeforeBackfill: readers who open the file during a long first sync see the last week.
func TestForwardPassComesBeforeBackfill(t *testing.T) {
	t.Parallel()
	b := newBedWith(t, tinyConfig(67), strings.Replace(nightly, "{dir: data}", "{dir: data, publish: {first: 0s}}", 1))
	var early []string
	b.space.RunBetween(func(int) {
		if file := b.runner.Dir.Current(); file != "" && early == nil {
			early = b.rowsOf(file, "SELECT count(*) > 0, min(updated_at) >= max(updated_at) - INTERVAL 8 DAY, (SELECT history_to FROM _sync.checkpoints WHERE stream = 'contacts') IS NOT NULL FROM contacts")
		}
	})
	contactBed{b}.createUser()
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	if len(early) != 1 || early[0] != "true|true|true" {
		t.Errorf("the first file published: %v", early)
	}
	b.equalsOracle()
}

// TestStartLimitsTheBackfill reads no contact that has not changed since the start, nor requests one by id because an event names it. An earlier
// start extends the backfill.
func TestStartLimitsTheBackfill(t *testing.T) {
	t.Parallel()
	from := func(date string) string { return nightly + "streams: {contacts: {start: " + date + "}}\n" }
	b := newBedWith(t, tinyConfig(68), from("2024-05-20"))
	report := b.syncOnce(runner.Options{})
	// One contact changed its role after the start, which the population does not count as an update.
	if got := b.queryRows("SELECT count(*) FROM contacts WHERE updated_at < '2024-05-20'"); got[0] > "1" {
		t.Errorf("%s contacts are older than the start", got[0])
	}
	if s := streamResult(t, report, "contacts_by_id"); s.Requests > 1 {
		t.Errorf("%d contacts were asked for by id", s.Requests)
	}
	some := b.queryRows("SELECT count(*) FROM contacts")
	b.writeConfig(from("2024-03-01"))
	b.syncOnce(runner.Options{})
	if more := b.queryRows("SELECT count(*) FROM contacts"); len(more) != 1 || more[0] <= some[0] && len(more[0]) == len(some[0]) {
		t.Errorf("%s contacts from May on, %s from March on", some[0], more[0])
	}
	b.writeConfig(nightly)
	b.syncOnce(runner.Options{})
	b.equalsOracle()
}

func TestInterruptedRunKeepsCompletePagesAndContinues(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(69))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	b.space.RunBetween(func(n int) {
		if n == 12 {
			cancel()
		}
	})
	report, err := sync.Sync(ctx, b.runner, b.runner.Config.Pipelines[0], runner.Options{})
	if err != nil || report.Exit() != problem.ExitInterrupted || !strings.HasPrefix(report.LastLine(), "INTERRUPTED nightly ") {
		t.Fatalf("%v %+v", err, report)
	}
	kept := report.TotalRows()
	b.space.RunBetween(nil)
	report = b.syncOnce(runner.Options{})
	if kept == 0 || streamResult(t, report, "contact_activities").Rows+streamResult(t, report, "deleted_contacts").Rows > 200 {
		t.Errorf("kept %d rows, then %s", kept, report.LastLine())
	}
	b.equalsOracle()
}

// TestAnInterruptedRunLeavesTheFreshnessToTheNextOne: a signal ends the reading of the published file, too, which is no damage of the file.
func TestAnInterruptedRunLeavesTheFreshnessToTheNextOne(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(69))
	b.writeConfig(nightly + "alerts: {ops: {webhook: \"http://127.0.0.1:1/hook\"}}\n")
	b.runner.Alerts = sync.NewSender(b.runner, b.runner.Config.Lookup)
	pipeline := b.runner.Config.Pipelines[0]
	_, err := sync.Run(t.Context(), b.runner, pipeline, runner.Options{Select: []string{"deleted_contacts"}}, io.Discard)
	b.failOn(err)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	first := b.space.RequestCount()
	b.space.RunBetween(func(n int) {
		if n == first+2 {
			cancel()
		}
	})
	report, err := sync.Run(ctx, b.runner, pipeline, runner.Options{}, io.Discard)
	if err != nil || report.Exit() != problem.ExitInterrupted {
		t.Fatalf("%v %+v", err, report)
	}
	if log := b.log.String(); strings.Contains(log, "level=WARN") {
		t.Errorf("the log has a warning:\n%s", log)
	}
}

// TestT151CloseErrorIsReported: an error at the end of a run is an error of the run.
// Holds: F4.
func TestT151CloseErrorIsReported(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(68))
	connect := b.runner.Connect
	b.runner.Connect = func(ctx context.Context, name string) (runner.Source, error) {
		source, err := connect(ctx, name)
		source.Close = func() error { return errors.New("the source did not end well") }
		return source, err
	}
	_, err := sync.Sync(t.Context(), b.runner, b.runner.Config.Pipelines[0], runner.Options{})
	if err == nil || !strings.Contains(err.Error(), "did not end well") {
		t.Errorf("got %v", err)
	}
}
