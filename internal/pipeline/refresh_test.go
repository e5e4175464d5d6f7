package pipeline_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/internal/verify"
)

// TestT172FullRefreshReplacesNewerRows takes records of the source back to an earlier state, with their updated_at. Ordinary runs keep the newer
// rows; a full refresh replaces them and nothing else. An interrupted full refresh is continued, and the runs after it are ordinary ones.
func TestT172FullRefreshReplacesNewerRows(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(421))
	d := b.withDoors("")
	doorsOnly := runner.Options{Select: []string{"doors"}}
	states := func() string { return strings.Join(b.queryRows("SELECT state FROM doors ORDER BY id"), " ") }
	d.showPages(doorJSON(1, 50, "new"), doorJSON(2, 50, "new"), doorJSON(3, 50, "new"), doorJSON(4, 50, "new"))
	b.syncOnce(doorsOnly)
	b.space.Advance(time.Hour)
	d.showPages(doorJSON(1, 10, "old"), doorJSON(2, 10, "old"), doorJSON(3, 10, "old"), doorJSON(4, 50, "new"))
	if report := b.syncOnce(doorsOnly); report.TotalRows() != 0 || states() != "new new new new" {
		t.Errorf("an ordinary run wrote %d rows: %s", report.TotalRows(), states())
	}
	cut := doorsOnly
	cut.FullRefresh, cut.MaxRequests = true, 3 // the identity of the workspace, and two pages
	b.syncOnce(cut)
	if got := states(); got != "old old new new" {
		t.Errorf("the refresh that was cut left %s", got)
	}
	if report := b.syncOnce(doorsOnly); report.TotalRows() != 1 || states() != "old old old new" {
		t.Errorf("the run that went on wrote %d rows: %s", report.TotalRows(), states())
	}
	d.showPages(doorJSON(1, 10, "old"), doorJSON(2, 5, "older"), doorJSON(3, 10, "old"), doorJSON(4, 50, "new"))
	if report := b.syncOnce(doorsOnly); report.TotalRows() != 0 || states() != "old old old new" {
		t.Errorf("a run after the refresh wrote %d rows: %s", report.TotalRows(), states())
	}
	again := doorsOnly
	again.FullRefresh = true
	if report := b.syncOnce(again); report.TotalRows() != 1 || states() != "old older old new" {
		t.Errorf("another refresh wrote %d rows: %s", report.TotalRows(), states())
	}
	if report := b.syncOnce(again); report.TotalRows() != 0 {
		t.Errorf("a refresh that finds all as it is wrote %d rows", report.TotalRows())
	}
	if got := b.queryRows("SELECT (SELECT count(*) FROM _sync.seen), count(*) FILTER (contains(state, 'replace')) FROM _sync.checkpoints"); got[0] != "0|0" {
		t.Errorf("what is left of the refreshes: %s", got[0])
	}
}

// TestT172AFullRefreshThatIsCutStaysOneUnderAnotherAPIVersion: rows that are newer than the source's are replaced to the end.
func TestT172AFullRefreshThatIsCutStaysOneUnderAnotherAPIVersion(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(423))
	d := b.withDoors("")
	b.replaceDoors(doors + "on_version_change: again\n")
	doorsOnly := runner.Options{Select: []string{"doors"}}
	d.showPages(doorJSON(1, 50, "new"), doorJSON(2, 50, "new"), doorJSON(3, 50, "new"))
	b.writeConfig(strings.Replace(b.readConfig(), `"2.17"`, `"2.16"`, 1))
	b.syncOnce(doorsOnly)
	d.showPages(doorJSON(1, 10, "old"), doorJSON(2, 10, "old"), doorJSON(3, 10, "old"))
	cut := doorsOnly
	cut.FullRefresh, cut.MaxRequests = true, 2 // the identity of the workspace, and one page
	b.syncOnce(cut)
	b.writeConfig(strings.Replace(b.readConfig(), `"2.16"`, `"2.17"`, 1))
	b.syncOnce(doorsOnly)
	if got := b.queryRows("SELECT string_agg(state, ' ' ORDER BY id) FROM doors"); got[0] != "old old old" {
		t.Errorf("the doors are %s", got[0])
	}
}

// TestVerifySaysThatRowsAreNewerThanTheirRecords: such a record proves nothing, so not all rows were compared.
func TestVerifySaysThatRowsAreNewerThanTheirRecords(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(424))
	d := b.withDoors("")
	d.showPages(doorJSON(1, 50, "new"), doorJSON(2, 50, "same"))
	b.syncOnce(runner.Options{Select: []string{"doors"}})
	for _, c := range []struct {
		time  int
		whole bool
	}{{10, false}, {50, true}} {
		d.showPages(doorJSON(1, c.time, "new"), doorJSON(2, 50, "same"))
		v, err := verify.Verify(t.Context(), b.runner, b.runner.Config.Pipelines, verify.VerifyOptions{Select: []string{"doors"}, Requests: 50}, func(string) {})
		b.failOn(err)
		if v.Whole != c.whole || v.Streams[0].Whole != c.whole || strings.Contains(v.Streams[0].How, "1 row newer than the source's record") == c.whole {
			t.Errorf("a record of %d: %+v", c.time, v.Streams[0])
		}
	}
}

// TestT173VerifyChoosesTheSameCopyAsARun serves two copies of a record. Verify finds a row with the older one, and nothing once a run has read the
// same answer.
func TestT173VerifyChoosesTheSameCopyAsARun(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(422))
	d := b.withDoors("")
	stale := func() []string {
		v, err := verify.Verify(t.Context(), b.runner, b.runner.Config.Pipelines, verify.VerifyOptions{Select: []string{"doors"}, Requests: 50}, func(string) {})
		b.failOn(err)
		return listDifferences(v)
	}
	d.showPages(doorJSON(1, 3, "old"), doorJSON(2, 3, "same"))
	b.syncOnce(runner.Options{Select: []string{"doors"}})
	d.showPages(doorJSON(1, 7, "new"), doorJSON(1, 3, "old"), doorJSON(2, 3, "same"))
	if got := stale(); len(got) != 1 || got[0] != "doors_all stale 1 updated_at,state" {
		t.Errorf("before the run: %q", got)
	}
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{Select: []string{"doors"}})
	if got, rows := stale(), b.queryRows("SELECT state FROM doors ORDER BY id"); len(got) != 0 || strings.Join(rows, " ") != "new same" {
		t.Errorf("after the run: %q, rows %v", got, rows)
	}
}

// TestAFullRefreshThatReadsNoPageKeepsTheWatermark: the stream fails at its first request, so its rows and their age are as they were. The next run
// is a full refresh all the same.
func TestAFullRefreshThatReadsNoPageKeepsTheWatermark(t *testing.T) {
	t.Parallel()
	b := newBedWith(t, emulator.Config{Seed: 423, Contacts: 20, Inactive: 4, Activities: 10, Tickets: 10}, strings.Replace(nightly, "deleted_contacts, contact_activities", "tickets", 1))
	all := streamResult(t, b.syncOnce(runner.Options{}), "tickets").Extracted
	marks := func() []string {
		return b.queryRows("SELECT synced_to FROM _sync.checkpoints WHERE stream = 'tickets'")
	}
	before := marks()
	b.space.SimulateHours(72)
	b.front = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/tickets/search" {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		b.space.ServeHTTP(w, r)
	})
	for _, full := range []bool{true, false} {
		if s := streamResult(t, b.trySync(runner.Options{FullRefresh: full}), "tickets"); s.Status != runlog.StatusFailed {
			t.Errorf("it ended as %+v", s)
		}
		if got := marks(); !slices.Equal(got, before) {
			t.Errorf("the watermark is %v, and was %v", got, before)
		}
		requireRefreshing(t, b, "tickets")
	}
	b.front = b.space
	if s := streamResult(t, b.syncOnce(runner.Options{}), "tickets"); s.Extracted < all {
		t.Errorf("the next run read %d of %d records", s.Extracted, all)
	}
	if got := marks(); slices.Equal(got, before) {
		t.Errorf("after the refresh the watermark is %v", got)
	}
	requireRefreshing(t, b)
}

// TestAFullRefreshThatALimitEndsIsNotForgotten: a run without time for a stream leaves its full refresh to the next one.
func TestAFullRefreshThatALimitEndsIsNotForgotten(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(425))
	b.syncOnce(runner.Options{})
	b.front = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.space.Advance(time.Second)
		b.space.ServeHTTP(w, r)
	})
	b.syncOnce(runner.Options{FullRefresh: true, MaxTime: time.Millisecond}) // it reads the identity of the workspace
	for range 2 {
		requireRefreshing(t, b, "contact_activities", "contacts", "deleted_contacts")
		b.syncOnce(runner.Options{MaxRequests: 1})
	}
	if rows := b.queryRows("SELECT count(*) FROM _sync.checkpoints WHERE synced_to IS NULL"); rows[0] != "0" {
		t.Errorf("%s streams have no watermark", rows[0])
	}
	b.syncOnce(runner.Options{})
	requireRefreshing(t, b)
}

// TestAFullRefreshOfExportsThatALimitEndsIsNotForgotten: the next run reads all days again.
func TestAFullRefreshOfExportsThatALimitEndsIsNotForgotten(t *testing.T) {
	t.Parallel()
	b := exportBed(t, emulator.ExportKnobs{})
	b.writeConfig(onlyDataset(reporting, "reporting_conversation"))
	first := b.syncOnce(runner.Options{})
	front := b.front
	b.front = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.space.Advance(time.Second)
		front.ServeHTTP(w, r)
	})
	b.syncOnce(runner.Options{FullRefresh: true, MaxTime: time.Millisecond})
	requireRefreshing(t, b, "reporting_conversation")
	if second := b.syncOnce(runner.Options{}); second.Requests < first.Requests {
		t.Errorf("the next run sent %d requests, the first one %d", second.Requests, first.Requests)
	}
	requireRefreshing(t, b)
	b.reportEqualsOracle("conversation", reportStart)
}

// requireRefreshing fails unless status says that these streams are in a full refresh.
func requireRefreshing(t *testing.T, b *testBed, want ...string) {
	t.Helper()
	s, err := runlog.ReadStatus(t.Context(), b.runner.Dir, b.runner.Config, b.runner.Catalogue, b.space.CurrentTime())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, one := range s.Streams {
		if one.Refreshing {
			got = append(got, one.Stream)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("in a full refresh are %v, want %v", got, want)
	}
}
