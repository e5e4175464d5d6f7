package render

import (
	"strings"
	"testing"
	"time"

	"aqueduck/internal/runlog"
)

// TestActiveRunShowsItsRateAndItsWaits as a terminal shows it.
func TestActiveRunShowsItsRateAndItsWaits(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 11, 20, 2, 0, 0, 0, time.UTC)
	r := runlog.Running{Pipeline: "nightly", Doing: "reading", Started: began, At: began.Add(90 * time.Second), Requests: 1800, Percent: 40, Streams: []runlog.RunningStream{
		{Stream: "contacts", Phase: "backfill", Requests: 1790, WaitsFor: "rate limit", Backfill: 0.4}, {Stream: "tags", Phase: "waiting", WaitsFor: "its turn"}}}
	said := runningTable(&r, 0, 100)
	for _, want := range []string{", 1,800 requests, 1,200 a minute\n", "REQS", "WAITS FOR", "backfill     0     0  1,790      40 %  rate limit", "its turn"} {
		if !strings.Contains(said, want) {
			t.Errorf("it does not say %q:\n%s", want, said)
		}
	}
	r.Streams[0].Workspace, r.Streams[1].Workspace = "main", "acme"
	if said := runningTable(&r, 0, 100); !strings.Contains(said, "  main.contacts  backfill") || !strings.Contains(said, "  acme.tags      waiting") {
		t.Errorf("of two workspaces:\n%s", said)
	}
}
