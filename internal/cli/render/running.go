package render

import (
	"fmt"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"aqueduck/internal/runlog"
	"aqueduck/internal/term"
)

// runningTable returns the table of an active run: what it does, how far it is, when it may end, and each stream. It has no line break at
// its end.
func runningTable(r *runlog.Running) string {
	t := newTable("STREAM", "DOING", "READ", "ROWS", "REQS", "HISTORY", "WAITS FOR")
	t.SetColumnConfigs(alignRight(3, 4, 5, 6))
	called := r.Called()
	for _, s := range r.Streams {
		t.AppendRow(table.Row{called(s), s.Phase, term.Thousands(s.Extracted), term.Thousands(s.Rows), term.Thousands(s.Requests), fmt.Sprintf("%.0f %%", 100*s.Backfill), s.WaitsFor})
	}
	return RunningLine(r) + "\n" + renderTable(t)
}

// RunningLine describes an active run in a line: what it does, how far it is, and when it may end.
func RunningLine(r *runlog.Running) string {
	return fmt.Sprintf("%s %s for %s: %s%s, %s%s", r.Pipeline, r.Doing, term.Duration(r.At.Sub(r.Started)), shareRead(r), term.Count(int(r.Rows), "row"), term.Count(int(r.Requests), "request"), requestRate(r))
}

// requestRate returns the mean number of requests per minute; "" in the first second.
func requestRate(r *runlog.Running) string {
	if took := r.At.Sub(r.Started); took > time.Second && r.Requests > 0 {
		return fmt.Sprintf(", %s a minute", term.Thousands(int64(float64(r.Requests)/took.Minutes())))
	}
	return ""
}

// shareRead returns the share of the history that is read and the time that the rest may take; "" if nothing is left.
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
