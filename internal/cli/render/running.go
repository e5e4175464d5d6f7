package render

import (
	"fmt"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"aqueduck/internal/runlog"
	"aqueduck/internal/term"
)

// runningTable shows a run under way to a person who watches it: what it does, how far it is, when it may end, and each stream. It
// has no line break at its end.
func runningTable(r *runlog.Running) string {
	t := newTable("STREAM", "DOING", "READ", "ROWS", "REQS", "HISTORY", "WAITS FOR")
	t.SetColumnConfigs(alignRight(3, 4, 5, 6))
	called := r.Called()
	for _, s := range r.Streams {
		t.AppendRow(table.Row{called(s), s.Phase, term.Thousands(s.Extracted), term.Thousands(s.Rows), term.Thousands(s.Requests), fmt.Sprintf("%.0f %%", 100*s.Backfill), s.WaitsFor})
	}
	return RunningLine(r) + "\n" + renderTable(t)
}

// RunningLine says in a line what it does, how far it is, and when it may end.
func RunningLine(r *runlog.Running) string {
	return fmt.Sprintf("%s %s for %s: %s%s, %s%s", r.Pipeline, r.Doing, term.Duration(r.At.Sub(r.Started)), shareRead(r), term.Count(int(r.Rows), "row"), term.Count(int(r.Requests), "request"), requestRate(r))
}

// requestRate is how many requests a minute the run has sent until now, once that says something.
func requestRate(r *runlog.Running) string {
	if took := r.At.Sub(r.Started); took > time.Second && r.Requests > 0 {
		return fmt.Sprintf(", %s a minute", term.Thousands(int64(float64(r.Requests)/took.Minutes())))
	}
	return ""
}

// shareRead is how much of the history is read and how long the rest may take, while there is some left.
func shareRead(r *runlog.Running) string {
	if r.Percent >= 100 {
		return ""
	}
	text := fmt.Sprintf("%.0f%%, ", r.Percent)
	if r.Left > 0 {
		text += "about " + term.Duration(r.Left) + " left, "
	}
	return text
}
