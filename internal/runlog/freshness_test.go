package runlog

import (
	"testing"
	"time"

	"aqueduck/internal/config"
	"aqueduck/internal/schedule"
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
