package runlog

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aqueduck/load/layout"
)

// TestARunIsComparedWithTheLastOfItsKind has runs of ten seconds, and one that waited for the rate limit.
func TestARunIsComparedWithTheLastOfItsKind(t *testing.T) {
	t.Parallel()
	dir := layout.Dir(t.TempDir())
	if err := os.MkdirAll(dir.RunDir(), 0o700); err != nil {
		t.Fatal(err)
	}
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var runs []PastRun
	add := func(pipeline, outcome string, reading, waiting time.Duration) PastRun {
		from := begin.AddDate(0, 0, len(runs))
		r := PastRun{Run: fmt.Sprintf("01K00000000000000000000%03d", len(runs)), Pipeline: pipeline, Outcome: outcome, Started: from, Finished: from.Add(reading + waiting)}
		text, err := json.Marshal(Trace{Run: r.Run, Streams: []TracedStream{{Spans: []Span{{"reading", from, from.Add(reading)}, {"waiting", from.Add(reading), r.Finished}}}}})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir.RunDir(), r.Run+".json"), text, 0o600); err != nil {
			t.Fatal(err)
		}
		runs = append([]PastRun{r}, runs...)
		return r
	}
	compare := func(r PastRun) string {
		c, err := CompareRun(dir, r, runs)
		if err != nil {
			t.Fatal(err)
		}
		if c == nil {
			return ""
		}
		return c.String()
	}
	add("nightly", "OK", 10*time.Second, 0)
	add("nightly", "OK", 11*time.Second, 0)
	add("nightly", "FAILED", time.Second, 0)
	add("weekly", "OK", time.Hour, 0)
	if got := compare(add("nightly", "OK", 10*time.Second, 0)); got != "" {
		t.Errorf("with two others: %s", got)
	}
	const of = "the last 3 runs of its kind (median 10.0s)"
	slow := add("nightly", "OK", 12*time.Second, 20*time.Second)
	if got, want := compare(slow), "It took 3.2 × as long as "+of+": waiting for the rate limit took 20.0s longer."; got != want {
		t.Errorf("%s, not %s", got, want)
	}
	if got, want := compare(add("nightly", "OK", 12*time.Second, 0)), "It took about as long as the last 4 runs of its kind (median 11.0s)."; got != want {
		t.Errorf("%s, not %s", got, want)
	}
	fast := add("nightly", "OK", 4*time.Second, 0)
	if got := compare(fast); !strings.HasPrefix(got, "It took 36 % of the time of") && !strings.HasPrefix(got, "It took 33 % of the time of") || !strings.Contains(got, "reading took") || !strings.HasSuffix(got, "shorter.") {
		t.Error(got)
	}
	if err := os.RemoveAll(dir.RunDir()); err != nil {
		t.Fatal(err)
	}
	if got, want := compare(slow), "It took 3.2 × as long as "+of+"."; got != want {
		t.Errorf("without traces: %s, not %s", got, want)
	}
}

// TestComparisonSaysThatTimesAreSums, where an activity of several streams took longer than the whole run did.
func TestComparisonSaysThatTimesAreSums(t *testing.T) {
	t.Parallel()
	c := &Comparison{Runs: 10, Usual: 10 * time.Second, Took: 25 * time.Second, Part: "reading", More: 48 * time.Second}
	if got, want := c.String(), "It took 2.5 × as long as the last 10 runs of its kind (median 10.0s): reading took 48.0s longer, summed over streams that are read at the same time."; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
