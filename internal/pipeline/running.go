package pipeline

import (
	"fmt"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
)

// Table shows a run under way to a person who watches it: what it does, how far it is, when it may end, and each stream. It
// has no line break at its end.
func (r *Running) Table() string {
	t := table.NewWriter()
	t.SetStyle(plainStyle())
	t.AppendHeader(table.Row{"STREAM", "DOING", "READ", "ROWS", "REQS", "HISTORY", "WAITS FOR"})
	t.SetColumnConfigs(right(3, 4, 5, 6))
	called := r.called()
	for _, s := range r.Streams {
		t.AppendRow(table.Row{called(s), s.Phase, thousands(s.Extracted), thousands(s.Rows), thousands(s.Requests), fmt.Sprintf("%.0f %%", 100*s.Backfill), s.WaitsFor})
	}
	return r.Line() + "\n" + draw(t)
}

func (r *Running) called() func(RunningStream) string {
	return Called(r.Streams, func(s RunningStream) (string, string) { return s.Workspace, s.Stream })
}

// Line says in a line what it does, how far it is, and when it may end.
func (r *Running) Line() string {
	return fmt.Sprintf("%s %s for %s: %s%s, %s%s", r.Pipeline, r.Doing, brief(r.At.Sub(r.Started)), r.share(), many(int(r.Rows), "row"), many(int(r.Requests), "request"), r.rate())
}

// rate is how many requests a minute the run has sent until now, once that says something.
func (r *Running) rate() string {
	if took := r.At.Sub(r.Started); took > time.Second && r.Requests > 0 {
		return fmt.Sprintf(", %s a minute", thousands(int64(float64(r.Requests)/took.Minutes())))
	}
	return ""
}
