package runlog

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/config"
	"aqueduck/internal/schedule"
	"aqueduck/load/layout"
	"aqueduck/schemas"
)

// TestOverviewNamesLateStreamsAsStatusDoes: a stream that is late is not yet breached. A stream that failed has its own item.
func TestOverviewNamesLateStreamsAsStatusDoes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		streams, text string
		breached      bool
	}{
		{"a fresh", "", false},
		{"a late, b fresh", "a is late", false},
		{"a late, b late", "a, b are late", false},
		{"a late, b late, c late, d late", "a, b, c and 1 more stream are late", false},
		{"a late, b BREACHED", "the freshness SLA of b is breached; a is late", true},
		{"a BREACHED, b BREACHED, c BREACHED, d BREACHED, e BREACHED", "the freshness SLA of a, b, c and 2 more streams is breached", true},
		{"failed BREACHED, a late", "a is late", false},
	} {
		p := PipelineOverview{}
		for one := range strings.SplitSeq(c.streams, ", ") {
			name, freshness, _ := strings.Cut(one, " ")
			p.Streams = append(p.Streams, StreamStatus{Stream: name, Freshness: Freshness(freshness)})
		}
		if text, breached := p.describeStale([]ActionItem{{Stream: "failed"}}); text != c.text || breached != c.breached {
			t.Errorf("%s: %q, %t; want %q, %t", c.streams, text, breached, c.text, c.breached)
		}
	}
}

// TestALateStreamIsNotStartedWhileItsPipelineRuns: the next step of a late stream is a run, or to wait for the current one.
func TestALateStreamIsNotStartedWhileItsPipelineRuns(t *testing.T) {
	t.Parallel()
	for running, next := range map[string]string{"nightly": "wait until the current run ends", "weekly": "aqueduck sync nightly"} {
		o := &Overview{Status: &Status{Running: &Running{Pipeline: running}}}
		p := &PipelineOverview{Name: "nightly", Runs: []PastRun{{Pipeline: "nightly", Outcome: Unfinished}}, Streams: []StreamStatus{{Stream: "contacts", Freshness: Late}}}
		if err := o.judgePipeline(layout.Dir(t.TempDir()), &config.Pipeline{Name: "nightly"}, p); err != nil {
			t.Fatal(err)
		}
		if len(o.Needs) != 1 || o.Needs[0].Next != next {
			t.Errorf("while %s runs, the overview has %+v", running, o.Needs)
		}
	}
}

// TestEachPipelineHasItsComingRuns: a pipeline that runs each minute hides no other one.
func TestEachPipelineHasItsComingRuns(t *testing.T) {
	t.Parallel()
	machine := time.Date(2026, 11, 2, 0, 30, 0, 0, time.UTC)
	o := &Overview{Status: &Status{Now: machine}}
	count := map[string]int{}
	for name, line := range map[string]string{"often": "* * * * *", "hourly": "0 * * * *", "nightly": "0 2 * * *"} {
		times, err := schedule.Parse(line, time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		o.Next = append(o.Next, NextRun{Pipeline: name, At: times.Next(machine)})
		o.planRuns(&config.Pipeline{Name: name, Schedule: times}, &PipelineOverview{}, machine)
	}
	for _, run := range o.Coming {
		count[run.Pipeline]++
	}
	if count["often"] != 24 || count["hourly"] != 24 || count["nightly"] != 1 {
		t.Errorf("%v", count)
	}
}

// TestOverviewHasWholeErrors: a long error and a long next step come as they were noted.
func TestOverviewHasWholeErrors(t *testing.T) {
	t.Parallel()
	dir := layout.Dir(t.TempDir())
	why, next := strings.Repeat("a table has no such column, ", 60)+"end", strings.Repeat("see docs/errors.md, ", 40)+"end"
	text, err := json.Marshal(PastRun{Run: "01KJP3D2M0000000000000000A", Pipeline: "nightly", Outcome: "FAILED", Exit: 1, Class: "data", Error: why, Next: next})
	if err != nil {
		t.Fatal(err)
	}
	writeState(t, dir, dir.EndsFile(), string(text))
	catalogue, err := schemas.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	o, err := ReadOverview(t.Context(), dir, &config.Config{Pipelines: []*config.Pipeline{{Name: "nightly"}}}, catalogue, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if len(o.Needs) != 1 || o.Needs[0].What != "the last run failed: "+why || o.Needs[0].Next != next {
		t.Errorf("the overview has %+v", o.Needs)
	}
}
