package render

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"aqueduck/internal/fleet"
	"aqueduck/internal/runlog"
	"aqueduck/internal/term"
)

// PrintFleet writes a row for each workspace for people, and below what needs action.
func PrintFleet(rows []fleet.Row, w io.Writer) error {
	var emulated []string
	counts := map[runlog.Health]int{}
	t := newTable("WORKSPACE", "STATE", "LAST RUN", "ENDED", "MACHINE", "DATA AS OF", "NEXT RUN")
	t.leaveOut(7, 5)
	for _, row := range rows {
		counts[row.Health]++
		state, last, ended, host := describeHealth(row.Health), "never", "–", "–"
		if row.Running != "" {
			state += ", running"
		}
		if row.Last != nil {
			last = strings.TrimSpace(row.Last.Pipeline + " " + term.ShortTime(row.Now, row.Last.Started.UTC()))
			ended, host = row.Last.Outcome, cmp.Or(row.Last.Host, "this one")
			if row.Last.Outcome == fleet.Published {
				host = "not known"
			}
		}
		asOf := "–"
		if !row.AsOf.IsZero() {
			asOf = term.Ago(row.Now, row.AsOf.UTC())
		}
		if row.Emulated {
			emulated = append(emulated, row.Workspace)
		}
		t.addRow(row.Workspace, state, last, ended, host, asOf, describeNextRun(row))
	}
	var parts []string
	for _, h := range []runlog.Health{runlog.HealthAct, runlog.HealthError, runlog.HealthLate, runlog.HealthOK, runlog.HealthNew} {
		if counts[h] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[h], describeHealth(h)))
		}
	}
	fmt.Fprintf(w, "%s: %s\n\n", term.Count(len(rows), "workspace"), strings.Join(parts, ", "))
	if err := printTable(w, t); err != nil {
		return err
	}
	if len(emulated) > 0 {
		fmt.Fprintf(w, "  %s: emulated: LAST RUN is a time of that workspace, NEXT RUN a time of this machine\n", strings.Join(emulated, ", "))
	}
	for _, row := range rows {
		if row.Unseen != "" {
			fmt.Fprintf(w, "  %s: as this machine knows it: %s\n", row.Workspace, row.Unseen)
		}
		for _, n := range row.Needs {
			about := row.Workspace
			if n.Pipeline != "" {
				about += ": " + n.Pipeline
			}
			fmt.Fprintf(w, "  %s: %s\n", about, n.What)
			if n.Next != "" {
				fmt.Fprintf(w, "    next: %s\n", n.Next)
			}
		}
	}
	return nil
}

// describeNextRun is when a workspace runs next, by this machine's clock.
func describeNextRun(row fleet.Row) string {
	switch {
	case !row.Machine.IsZero():
		return term.ShortTime(row.Machine.Add(row.Now.Sub(row.Next)), row.Machine.UTC())
	case !row.Next.IsZero():
		return term.ShortTime(row.Now, row.Next.UTC())
	}
	return "–"
}

// describeHealth is a state of a workspace in words.
func describeHealth(h runlog.Health) string {
	switch h {
	case runlog.HealthAct:
		return "needs action"
	case runlog.HealthError:
		return "failed"
	}
	return string(h)
}

// ListFleet returns a row for each workspace.
func ListFleet(rows []fleet.Row) List {
	l := List{Columns: []string{"workspace", "health", "run", "pipeline", "started_at", "outcome", "exit_code", "host", "data_as_of", "next_run", "breached", "needs", "next", "unseen"}}
	for _, row := range rows {
		last := fleet.LastRun{}
		if row.Last != nil {
			last = *row.Last
		}
		var needs, next []string
		for _, n := range row.Needs {
			needs, next = append(needs, n.What), append(next, n.Next)
		}
		l.Rows = append(l.Rows, []any{row.Workspace, string(row.Health), last.Run, last.Pipeline, TimeCell(last.Started), last.Outcome, last.Exit, last.Host, TimeCell(row.AsOf), TimeCell(row.Next),
			row.Breached, strings.Join(needs, "; "), strings.Join(next, "; "), row.Unseen})
	}
	return l
}
