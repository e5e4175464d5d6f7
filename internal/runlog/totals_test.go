package runlog

import (
	"testing"
	"time"

	"aqueduck/internal/config"
	"aqueduck/load/layout"
)

// TestTheDiskIsEstimatedFromThePublishedFiles: three files that grew by 10 bytes a day; a byte more a day takes three files, three of a run's need, and
// as much of the lake.
func TestTheDiskIsEstimatedFromThePublishedFiles(t *testing.T) {
	t.Parallel()
	at := func(day int, bytes int64) publishedSize {
		return publishedSize{bytes, time.Date(2026, 1, day, 0, 0, 0, 0, time.UTC)}
	}
	for name, test := range map[string]struct {
		sizes  []publishedSize
		perDay int64
		days   int
	}{
		"grown":          {[]publishedSize{at(3, 120), at(1, 100), at(2, 110)}, 10, 100},
		"two files":      {[]publishedSize{at(3, 120), at(1, 100)}, 0, 0},
		"shrunk between": {[]publishedSize{at(3, 120), at(1, 100), at(2, 90)}, 0, 0},
		"one day":        {[]publishedSize{at(2, 120), at(1, 100), at(1, 90)}, 0, 0},
		"slow":           {[]publishedSize{at(31, 102), at(1, 100), at(15, 101)}, 0, 0},
	} {
		s := Space{Room: layout.Room{Free: 7100, Needs: 100}, File: 120, Lake: 120}
		if s.estimate(test.sizes); s.PerDay != test.perDay || s.Days != test.days {
			t.Errorf("%s: %d bytes a day, %d days", name, s.PerDay, s.Days)
		}
	}
}

func TestTheMonthOfAPipeline(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
	run := func(pipeline, outcome string, ago, took time.Duration, requests int64) PastRun {
		return PastRun{Run: "x", Pipeline: pipeline, Outcome: outcome, Started: now.Add(-ago), Finished: now.Add(took - ago), Rows: 5, Requests: requests}
	}
	runs := []PastRun{run("a", Unfinished, time.Minute, time.Second, 30), run("a", "OK", time.Hour, time.Minute, 10), run("a", "FAILED", 2*time.Hour, 3*time.Minute, 40), run("a", "OK", 3*time.Hour, 2*time.Minute, 20),
		run("b", "OK", time.Hour, time.Hour, 100), run("a", "OK", 31*24*time.Hour, time.Hour, 1000)}
	m := monthOf(&config.Pipeline{Name: "a", MaxRequests: 80, MaxTime: 6 * time.Minute}, runs, now)
	want := PipelineMonth{Pipeline: "a", Runs: 3, Failed: 1, Rows: 15, Requests: 70, Usual: 2 * time.Minute, Longest: 3 * time.Minute, Most: 40, MaxRequests: 80, MaxTime: 6 * time.Minute}
	if m != want || m.RequestShare() != 0.5 || m.TimeShare() != 0.5 {
		t.Errorf("%+v", m)
	}
	if m := monthOf(&config.Pipeline{Name: "c"}, runs, now); m.Runs != 0 || m.RequestShare() >= 0 || m.TimeShare() >= 0 {
		t.Errorf("%+v", m)
	}
}
