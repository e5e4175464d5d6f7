package serve

import (
	"log/slog"
	"os"
	"testing"
	"time"

	"aqueduck/internal/config"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/load/layout"
)

// TestASkippedRunOfAnEmulatedWorkspaceIsListedByItsClock: the schedule is that of this machine, and the list of runs has the emulated times.
func TestASkippedRunOfAnEmulatedWorkspaceIsListedByItsClock(t *testing.T) {
	t.Parallel()
	machine, emulated := time.Date(2031, 5, 4, 3, 0, 0, 0, time.UTC), time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	for _, isEmulated := range []bool{true, false} {
		r := &runner.Runner{Dir: layout.Dir(t.TempDir()), Now: func() time.Time { return emulated }, Machine: func() time.Time { return machine }, Log: slog.New(slog.DiscardHandler)}
		if err := os.MkdirAll(r.Dir.State(), 0o700); err != nil {
			t.Fatal(err)
		}
		want := machine.Add(-time.Hour)
		if isEmulated {
			want = emulated.Add(-time.Hour)
			if err := os.WriteFile(r.Dir.EmulatorFile(), []byte("{}"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		RecordSkip(r, &config.Pipeline{Name: "nightly"}, machine.Add(-time.Hour))
		runs, err := runlog.History(t.Context(), r.Dir, "", 10)
		if err != nil || len(runs) != 1 || runs[0].Outcome != runlog.Skipped || !runs[0].Started.Equal(want) {
			t.Errorf("emulated %t: %+v, %v; want %s", isEmulated, runs, err, want)
		}
	}
}
