package render

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"aqueduck/internal/runlog"
	"aqueduck/internal/term"
)

// runningTable returns the table of an active run: what it does, how far it is, when it may end, and each stream. It is as wide as the terminal, and
// not higher: where there are too many streams, those that are read now come before those that wait or have ended. It has no line break at its
// end.
func runningTable(r *runlog.Running, width, lines int) string {
	t := newTable("STREAM", "DOING", "READ", "ROWS", "REQS", "BACKFILL", "WAITS FOR")
	t.alignRight(3, 4, 5, 6)
	t.leaveOut(5, 3)
	called := r.Called()
	shown, others := chooseStreams(r.Streams, max(1, lines-3))
	for _, s := range shown {
		t.addRow(called(s), s.Phase, term.Thousands(s.Extracted), term.Thousands(s.Rows), term.Thousands(s.Requests), fmt.Sprintf("%.0f %%", 100*s.Backfill), s.WaitsFor)
	}
	drawn, _ := t.drawTable(width)
	return cutCell(RunningLine(r), width) + "\n" + drawn + term.WithNote("\n  ", cutCell(others, width-indent))
}

// chooseStreams returns so many streams in their order, and a text about the others; "" if there are none.
func chooseStreams(all []runlog.RunningStream, most int) (shown []runlog.RunningStream, others string) {
	if len(all) <= most {
		return all, ""
	}
	ranks := []string{"being read", "waiting", "done"}
	rank := func(s runlog.RunningStream) int { return max(0, slices.Index(ranks, s.Phase)) }
	sorted := slices.SortedStableFunc(slices.Values(all), func(a, b runlog.RunningStream) int { return rank(a) - rank(b) })
	room, counts := map[int]int{}, make([]int, len(ranks))
	for i, s := range sorted {
		if i < most {
			room[rank(s)]++
		} else {
			counts[rank(s)]++
		}
	}
	for _, s := range all {
		if room[rank(s)] > 0 {
			room[rank(s)]--
			shown = append(shown, s)
		}
	}
	var words []string
	for i, n := range counts {
		if n > 0 {
			words = append(words, fmt.Sprintf("%d %s", n, ranks[i]))
		}
	}
	return shown, "… and " + strings.Join(words, ", ")
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

// shareRead returns the share of the run that is done and the time that the rest may take, as far as they are known.
func shareRead(r *runlog.Running) string {
	switch {
	case r.Left > 0:
		return fmt.Sprintf("%.0f%%, about %s left, ", math.Floor(r.Done), term.SpanLeft(r.Left))
	case r.Least > 0:
		return fmt.Sprintf("%.0f%%, more than %s left, ", math.Floor(r.Done), term.SpanLeft(r.Least))
	case r.Done > 0:
		return fmt.Sprintf("%.0f%%, time left unknown, ", math.Floor(r.Done))
	}
	return "percent and time left unknown, "
}
