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

// TestAMissingModelIsShown: a run whose models DuckDB refused ends well, and the models stay away until the file is corrected.
func TestAMissingModelIsShown(t *testing.T) {
	t.Parallel()
	const missing = "models/bad.sql:3: model models.bad: Binder Error: no column nope"
	kept := runlog.PastRun{Pipeline: "nightly", Line: "FAILED nightly published=no time=1s"}
	bad := runlog.PastRun{Pipeline: "nightly", Line: "OK nightly published=yes time=1s", MissingModels: missing}
	good := runlog.PastRun{Pipeline: "nightly", Line: "OK nightly published=unchanged time=1s"}
	const want = "missing   " + missing + "\n          next: correct the file, then aqueduck sync\n"
	for _, step := range []struct {
		runs  []runlog.PastRun
		shown bool
	}{{[]runlog.PastRun{kept, bad, good}, true}, {[]runlog.PastRun{good, bad}, false}} {
		var out bytes.Buffer
		if PrintStatus(&runlog.Status{Dir: "data", Runs: step.runs}, &out); strings.Contains(out.String(), want) != step.shown {
			t.Errorf("status prints:\n%s", out.String())
		}
	}
	var out bytes.Buffer
	if PrintRun(&runlog.RunDetail{PastRun: bad}, &out); !strings.Contains(out.String(), missing) {
		t.Errorf("runs show prints:\n%s", out.String())
	}
}

// TestStatusOfAStreamNeverReadToItsEnd has a next step in place of a time that there is not.
func TestStatusOfAStreamNeverReadToItsEnd(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	PrintStatus(&runlog.Status{Dir: "data", Streams: []runlog.StreamStatus{{Workspace: "main", Stream: "contacts"}}}, &out)
	if want := "data      published, but a stream has never been read to its end\n          next: aqueduck sync\n"; !strings.Contains(out.String(), want) {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}
