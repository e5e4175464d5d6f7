package render

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"aqueduck/internal/plan"
	"aqueduck/internal/runlog"
	"aqueduck/internal/term"
)

// PrintPlan writes the plan for people; scripts may rely on its last line.
func PrintPlan(p *plan.Plan, w io.Writer) {
	known := printPlanned(p, w)
	for _, name := range p.Tables {
		fmt.Fprintf(w, "  + table  %s\n", name)
	}
	for _, name := range p.Columns {
		fmt.Fprintf(w, "  + column %s\n", name)
	}
	for _, c := range p.Widened {
		fmt.Fprintf(w, "  ~ column %s: from %s to %s\n", c.Column, c.From, c.To)
	}
	for _, name := range p.Unfilled {
		fmt.Fprintf(w, "  - column %s: no stream file has it; it stays, and is null in new rows\n", name)
	}
	for _, line := range driftLines(p.Drift) {
		fmt.Fprintf(w, "  drift: %s\n", line)
	}
	for _, note := range p.Notes {
		fmt.Fprintf(w, "  note: %s\n", note)
	}
	fmt.Fprint(w, "  note: a plan reads no records; only a run finds new fields, custom attributes and words\n")
	widened := ""
	if len(p.Widened) > 0 {
		widened = term.Count(len(p.Widened), "column") + " to widen, "
	}
	fmt.Fprintf(w, "\nPlan: %s to create, %s to add, %s%s to read (%s)\n",
		term.Count(len(p.Tables), "table"), term.Count(len(p.Columns), "column"), widened, term.Count(len(p.Streams), "stream"), requestEstimate(p, known))
}

// printPlanned writes the table of streams and what its columns mean. It reports whether the requests of each stream are known.
func printPlanned(p *plan.Plan, w io.Writer) (known bool) {
	t := newTable("WORKSPACE", "STREAM", "READS", "RECORDS", "REQUESTS", "A CHANGE", "BASIS")
	t.alignRight(4, 5, 6)
	t.nameRows(2)
	t.keepWords(3, readsColumn)
	if several := slices.ContainsFunc(p.Streams, func(s plan.PlannedStream) bool { return s.Workspace != p.Streams[0].Workspace }); !several {
		t.leaveOutSame(1)
	}
	t.leaveOut(6, 7)
	known = true
	for _, s := range p.Streams {
		t.addRow(s.Workspace, s.Stream, cmp.Or(s.Shown, s.Read), term.OrUnknown(s.Records, ""), term.OrUnknown(s.Requests, "~"), s.PerChangeText(), s.Basis)
		known = known && s.Requests >= 0
	}
	printTable(w, t)
	called := runlog.StreamNamer(p.Streams, func(s plan.PlannedStream) (string, string) { return s.Workspace, s.Stream })
	name := func(row int) string { return called(p.Streams[row]) }
	printCut(w, t, 3, name)
	printCut(w, t, 7, name)
	fmt.Fprintln(w, "  RECORDS: what the source has.  REQUESTS: an estimate for this run, from BASIS.")
	if t.shows(columnsOf(w), 6) {
		fmt.Fprintln(w, "  A CHANGE: requests that one changed record costs a later run; list: none, it reads all.")
	}
	fmt.Fprintln(w)
	return known
}

// readsColumn is the width up to which READS is not cut while columns that may be left out are shown.
const readsColumn = 28

// requestEstimate returns the number of requests and the time of the plan, as far as they are known.
func requestEstimate(p *plan.Plan, known bool) string {
	switch {
	case p.Requests == 0 && !known:
		return "requests unknown"
	case !known:
		return fmt.Sprintf("~%s or more, about %s", term.Count(int(p.Requests), "request"), term.Duration(p.Time))
	}
	return fmt.Sprintf("~%s, about %s", term.Count(int(p.Requests), "request"), term.Duration(p.Time))
}
