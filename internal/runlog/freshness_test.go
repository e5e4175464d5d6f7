package runlog

import (
	"os"
	"slices"
	"testing"
	"time"

	"aqueduck/internal/config"
	"aqueduck/internal/schedule"
	"aqueduck/load/layout"
	"aqueduck/schemas"
)

// TestStreamThatWasNeverReadIsNotFresh: a run was cut before it. It has no freshness until it is late.
func TestStreamThatWasNeverReadIsNotFresh(t *testing.T) {
	t.Parallel()
	nightly, err := schedule.Parse("0 2 * * *", time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	catalogue, err := schemas.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	c := &config.Config{Workspaces: map[string]*config.Workspace{"main": {}}, NameList: []string{"main"}, Pipelines: []*config.Pipeline{{Name: "nightly", Streams: []string{"contacts"}, Schedule: nightly}}}
	began := time.Date(2026, 3, 2, 2, 0, 0, 0, time.UTC)
	for _, step := range []struct {
		hours     time.Duration
		read      bool
		freshness Freshness
	}{{1, true, Fresh}, {1, false, ""}, {25, true, Late}, {25, false, Late}, {49, false, Breached}} {
		stream := StreamStatus{Workspace: "main", Stream: "contacts", first: began}
		if step.read {
			stream.OK = began
		}
		s := &Status{Now: began.Add(step.hours * time.Hour), Streams: []StreamStatus{stream}}
		if s.judgeFreshness(c, catalogue); s.Streams[0].Freshness != step.freshness {
			t.Errorf("after %d hours, read %t, it is %q, want %q", step.hours, step.read, s.Streams[0].Freshness, step.freshness)
		}
	}
}

// TestAPipelineThatNeverReadAnythingGrowsOld: its runs were refused from the first on, so no stream has a record.
func TestAPipelineThatNeverReadAnythingGrowsOld(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 3, 2, 2, 0, 0, 0, time.UTC)
	c := &config.Config{Workspaces: map[string]*config.Workspace{"main": {}}, NameList: []string{"main"},
		Pipelines: []*config.Pipeline{{Name: "nightly", Streams: []string{"contacts", "tags"}, ErrorAfter: time.Hour}, {Name: "calls", Streams: []string{"calls"}, ErrorAfter: time.Hour}}}
	for _, step := range []struct {
		what  string
		after time.Duration
		notes []PastRun
		stale []string
	}{
		{"no run was", 3 * time.Hour, nil, nil},
		{"the first run was just now", time.Minute, []PastRun{{Run: "01K9ZZZZZZZZZZZZZZZZZZZZZ1", Pipeline: "nightly", Started: began, Outcome: "FAILED", Class: "auth"}}, nil},
		{"the first run was long ago", 2 * time.Hour, []PastRun{{Run: "01K9ZZZZZZZZZZZZZZZZZZZZZ1", Pipeline: "nightly", Started: began, Outcome: "FAILED", Class: "auth"},
			{Run: "01K9ZZZZZZZZZZZZZZZZZZZZZ2", Pipeline: "nightly", Started: began.Add(2 * time.Hour), Outcome: "FAILED", Class: "auth"}}, []string{"contacts", "tags"}},
		{"a run of some streams", 2 * time.Hour, []PastRun{{Run: "01K9ZZZZZZZZZZZZZZZZZZZZZ1", Pipeline: "nightly", Started: began, Outcome: "FAILED", Class: "auth", Part: true}}, nil},
	} {
		dir := layout.Dir(t.TempDir())
		if err := os.MkdirAll(dir.State(), 0o700); err != nil {
			t.Fatal(err)
		}
		for _, note := range step.notes {
			if err := note.Save(dir); err != nil {
				t.Fatal(err)
			}
		}
		s, err := ReadStatus(t.Context(), dir, c, nil, began.Add(step.after))
		if err != nil || !slices.Equal(s.Stale(), step.stale) || !s.AsOf.IsZero() {
			t.Errorf("%s: stale are %v, want %v; %v", step.what, s.Stale(), step.stale, err)
		}
	}
}

// TestAStreamThatNoPipelineReadsHoldsBackNoTime: its data stays in the published file, and only its own watermark says how old that is.
func TestAStreamThatNoPipelineReadsHoldsBackNoTime(t *testing.T) {
	t.Parallel()
	catalogue, err := schemas.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	old := time.Date(2026, 3, 2, 2, 0, 0, 0, time.UTC)
	fresh := old.AddDate(0, 0, 3)
	c := &config.Config{Workspaces: map[string]*config.Workspace{"main": {}}, NameList: []string{"main"}, Pipelines: []*config.Pipeline{{Name: "nightly", Streams: []string{"contacts"}}}}
	s := &Status{Now: fresh, Streams: []StreamStatus{{Workspace: "main", Stream: "contacts", SyncedTo: fresh, OK: fresh, Outcome: "ok"}, {Workspace: "main", Stream: "tags", SyncedTo: old, OK: old, Outcome: "ok"},
		{Workspace: "main", Stream: "calls", Outcome: "FAILED"}}}
	if s.asOf(c, catalogue); !s.AsOf.Equal(fresh) || len(s.Unfinished) > 0 {
		t.Errorf("the data is as of %s, and unfinished are %+v", s.AsOf, s.Unfinished)
	}
	s.Streams = s.Streams[:2]
	if s.asOf(nil, catalogue); !s.AsOf.Equal(old) {
		t.Errorf("without a configuration the data is as of %s", s.AsOf)
	}
}
