package render

import (
	"fmt"
	"io"

	"aqueduck/internal/runlog"
	"aqueduck/internal/term"
)

// shownDrift is the number of schema changes that a command for people lists.
const shownDrift = 10

// driftLines returns a line for each of the newest changes, and one with the number of the others.
func driftLines(drift []runlog.Drift) (lines []string) {
	for i, d := range drift {
		if i == shownDrift {
			return append(lines, fmt.Sprintf("… and %d more", len(drift)-i))
		}
		lines = append(lines, escapeControls(d.String()))
	}
	return lines
}

// printDrift writes the schema changes of the last runs, with the command that lists all.
func printDrift(s *runlog.Status, w io.Writer) {
	if len(s.Drift) == 0 {
		return
	}
	fmt.Fprintf(w, "drift     %s in the last run or the %d days before it\n", term.Count(len(s.Drift), "schema change"), runlog.DriftDays)
	for _, line := range driftLines(s.Drift) {
		fmt.Fprintf(w, "          %s\n", line)
	}
	fmt.Fprintf(w, "          all of them: %s\n", s.Given.Append(`aqueduck query "FROM _sync.schema_changes ORDER BY recorded_at DESC"`))
}

// countDrift returns the number of schema changes of a stream.
func countDrift(drift []runlog.Drift, workspace, stream string) (n int64) {
	for _, d := range drift {
		if d.Workspace == workspace && d.Stream == stream {
			n++
		}
	}
	return n
}
