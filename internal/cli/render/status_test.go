package render

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/runlog"
)

// TestStatusOfAnEmulatedWarehouseHasTheScheduledTime: the emulated clock stands until the next run, so its time then is not that of the schedule.
func TestStatusOfAnEmulatedWarehouseHasTheScheduledTime(t *testing.T) {
	t.Parallel()
	now, machine := time.Date(2026, 11, 20, 2, 0, 0, 0, time.UTC), time.Date(2031, 5, 4, 21, 19, 0, 0, time.UTC)
	for _, step := range []struct {
		next runlog.NextRun
		want string
	}{
		{runlog.NextRun{Pipeline: "nightly", At: now.Add(24 * time.Hour)}, "next      nightly at 21 Nov 02:00, in 24 h\n"},
		{runlog.NextRun{Pipeline: "nightly", At: now.Add(40 * time.Minute), Machine: machine.Add(40 * time.Minute)}, "next      nightly in 40 min, at 21:59 on this machine\n"},
		{runlog.NextRun{Pipeline: "nightly", At: now.Add(281 * time.Minute), Machine: machine.Add(281 * time.Minute), Try: 2},
			"next      nightly in 5 h, at 5 May 02:00 on this machine: retry 2 of 4, by aqueduck serve\n"},
	} {
		var out bytes.Buffer
		if PrintStatus(&runlog.Status{Dir: "data", Now: now, Next: []runlog.NextRun{step.next}}, &out); !strings.Contains(out.String(), step.want) {
			t.Errorf("it prints no line %q:\n%s", step.want, out.String())
		}
	}
}
