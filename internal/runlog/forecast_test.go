package runlog

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// recordedRun is a snapshot of a run that was recorded: requests that all its streams had sent and expected, and how many streams expected an
// unknown number.
type recordedRun struct {
	took                    time.Duration
	sent, expected, unknown int64
}

// readRecorded reads the snapshots of a first sync of the emulator, one every four seconds; the last one is of its end.
func readRecorded(t *testing.T, file string) (all []recordedRun) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines[1:] {
		var n [4]int64
		for i := range n {
			if n[i], err = strconv.ParseInt(line[i], 10, 64); err != nil {
				t.Fatal(err)
			}
		}
		all = append(all, recordedRun{time.Duration(n[0]) * time.Millisecond, n[1], n[2], n[3]})
	}
	return all
}

// snapshot returns what a forecast sees of a recorded run.
func (r recordedRun) snapshot() *Running {
	began := time.Date(2026, 11, 20, 2, 0, 0, 0, time.UTC)
	s := &Running{Started: began, At: began.Add(r.took), Streams: []RunningStream{{Requests: r.sent, Expected: max(1, r.expected)}}}
	for range r.unknown {
		s.Streams = append(s.Streams, RunningStream{})
	}
	return s
}

// TestForecastOfRecordedRuns repeats runs that were recorded. A forecast is unknown in the first minute. Later its percentage never falls, its time
// never rises, and the end that it tells is never wrong by more than a quarter of the run. In one of them the source refused and lost one request in a hundred.
func TestForecastOfRecordedRuns(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/forecast/*.csv")
	if err != nil || len(files) < 3 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		all := readRecorded(t, file)
		whole := all[len(all)-1].took
		var f Forecast
		var told Running
		worst, known, later := 0.0, 0, 0
		for _, one := range all {
			r := one.snapshot()
			f.Apply(r, 0)
			if one.took < time.Minute && (r.Left != 0 || r.Done != 0) {
				t.Errorf("%s: after %s it tells %s and %.0f %%", file, one.took, r.Left, r.Done)
			}
			if r.Done < told.Done || told.Left > 0 && r.Left > told.Left {
				t.Errorf("%s: after %s it tells %s and %.0f %%, and told %s and %.0f %% before", file, one.took, r.Left, r.Done, told.Left, told.Done)
			}
			if told.Done = r.Done; r.Left > 0 {
				told.Left = r.Left
				off := float64((one.took + r.Left - whole).Abs()) / float64(whole)
				worst = max(worst, off, (r.Done-100*float64(one.took)/float64(whole))/100)
			}
			if one.took > 90*time.Second {
				later++
				if r.Left > 0 {
					known++
				}
			}
		}
		t.Logf("%s: %s, wrong by %.1f %% at most, known in %d of %d", file, whole, 100*worst, known, later)
		if worst > 0.25 || known < later*9/10 {
			t.Errorf("%s: wrong by %.1f %% of the run, and known in %d of %d", file, 100*worst, known, later)
		}
	}
}

// TestForecastOfASlowerRunSaysThatMoreIsLeft slows a run down to a tenth of its pace. The time that was told is too short then: the forecast says that
// more is left, tells no longer time, and its percentage goes on.
func TestForecastOfASlowerRunSaysThatMoreIsLeft(t *testing.T) {
	t.Parallel()
	var f Forecast
	sent, told := 0.0, Running{}
	withdrawn, again, fast, slow := false, false, 0.0, 0.0
	for took := time.Duration(0); sent < 10_000; took += 2 * time.Second {
		switch {
		case took < 3*time.Minute:
			sent += 60
		case took < 10*time.Minute:
			sent += 6
		default:
			sent += 120
		}
		r := recordedRun{took, int64(sent), 10_000, 0}.snapshot()
		f.Apply(r, 0)
		if r.Done < told.Done || told.Left > 0 && r.Left > told.Left {
			t.Fatalf("after %s it tells %s and %.0f %%, and told %s and %.0f %% before", took, r.Left, r.Done, told.Left, told.Done)
		}
		if told.Left > 0 && r.Left == 0 {
			if withdrawn = true; r.Least != told.Left {
				t.Fatalf("after %s it tells more than %s, and told %s before", took, r.Least, told.Left)
			}
			slow = max(slow, r.Done)
		}
		if told.Done = r.Done; r.Left > 0 {
			if !withdrawn {
				fast = r.Done
			}
			again = again || withdrawn
			told.Left = r.Left
		}
	}
	if !withdrawn || !again || slow < fast+5 {
		t.Errorf("the time was withdrawn: %t; and told again: %t; %.1f %% before the pace fell, %.1f %% while it was low", withdrawn, again, fast, slow)
	}
}
