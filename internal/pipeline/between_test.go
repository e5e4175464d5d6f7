package pipeline_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
)

// TestT179DatasetIsReadForAnExplicitWindow reads one dataset and some child streams for a span of time. Each reads what lies in the span and moves
// no watermark. A full-list stream has no times, which is an error.
func TestT179DatasetIsReadForAnExplicitWindow(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	c := tinyConfig(451)
	c.Contacts, c.Conversations = 60, 25
	b := newBedWith(t, c, withStreams(`conversations, hitl_events, tags, "reporting_*"`)+"streams:\n  \"reporting_*\": {start: 2024-06-01}\n")
	b.syncOnce(runner.Options{})
	b.space.Advance(10 * time.Hour)
	states := func() []string { return b.queryRows("SELECT stream, state FROM _sync.checkpoints ORDER BY stream") }
	before := states()
	asked := func(o runner.Options) (report *runlog.Report, paths []string) {
		t.Helper()
		first := len(b.space.Requests())
		report = b.syncOnce(o)
		for _, r := range b.space.Requests()[first:] {
			paths = append(paths, r.Method+" "+r.Path)
		}
		return report, paths
	}

	// Deleted rows of days in the span are read again, those of other days are not.
	b.plantRows("DELETE FROM reporting_conversation WHERE _time < '2024-06-08 00:00:00+00'", "UPDATE _sync.tables SET rows = (SELECT count(*) FROM reporting_conversation) WHERE table_name = 'reporting_conversation'")
	b.goOnFromPlanted()
	from, until := time.Date(2024, 6, 5, 0, 0, 0, 0, time.UTC), time.Date(2024, 6, 7, 0, 0, 0, 0, time.UTC)
	report, _ := asked(runner.Options{Select: []string{"reporting_conversation"}, Since: from, Until: until})
	if s := streamResult(t, report, "reporting_conversation"); len(report.Streams) != 1 || s.Rows == 0 {
		t.Errorf("streams %v, %+v", streamStates(report), s)
	}
	if got := b.queryRows("SELECT DISTINCT strftime(_time, '%m-%d') FROM reporting_conversation WHERE _time < '2024-06-08 00:00:00+00' ORDER BY 1"); strings.Join(got, " ") != "06-05 06-06" {
		t.Errorf("the days that came again: %v", got)
	}
	if got := states(); !slices.Equal(got, before) {
		t.Errorf("marks moved:\n%s\nwere\n%s", strings.Join(got, "\n"), strings.Join(before, "\n"))
	}

	// A child stream reads under the parent rows that changed in the span, and only under those.
	median := b.queryRows("SELECT quantile_disc(updated_at, 0.6) FROM conversations")[0]
	var seconds int64
	if _, err := fmt.Sscan(median, &seconds); err != nil {
		t.Fatal(err)
	}
	_, paths := asked(runner.Options{Select: []string{"hitl_events"}, Since: time.Unix(seconds, 0)})
	var want []string
	for _, id := range b.queryRows(fmt.Sprintf("SELECT id FROM conversations WHERE updated_at >= to_timestamp(%d)", seconds)) {
		want = append(want, "GET /conversations/"+id+"/hitl_events")
	}
	paths = slices.DeleteFunc(paths, func(path string) bool { return !strings.HasPrefix(path, "GET /conversations/") })
	slices.Sort(paths)
	slices.Sort(want)
	if !slices.Equal(paths, want) || len(paths) < 5 {
		t.Errorf("asked was %v, want %v", paths, want)
	}
	if report, _ := asked(runner.Options{Select: []string{"contacts_by_id"}, Since: from}); len(report.Streams) != 1 {
		t.Errorf("of the member that reads by id came %v", streamStates(report))
	}
	if report, _ := asked(runner.Options{Select: []string{"nightly.*contact*"}, Since: b.space.CurrentTime().Add(-48 * time.Hour)}); !slices.Contains(streamStates(report), "contacts ok") || slices.Contains(streamStates(report), "deleted_contacts ok") {
		t.Errorf("of a pattern came %v", streamStates(report))
	}
	if got := states(); !slices.Equal(got, before) {
		t.Errorf("marks moved:\n%s\nwere\n%s", strings.Join(got, "\n"), strings.Join(before, "\n"))
	}
	_, err := b.runner.ChoosePipelines(nil, runner.Options{Select: []string{"tags"}, Since: from})
	var p *problem.Problem
	if !errors.As(err, &p) || p.Class != "usage" || !strings.Contains(p.What, "tags is always read in full, not by time") {
		t.Errorf("a whole list: %v", err)
	}
	if report := b.syncOnce(runner.Options{}); report.Exit() != 0 {
		t.Errorf("the run after: %s", report.LastLine())
	}
}
