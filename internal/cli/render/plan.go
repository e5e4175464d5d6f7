package render

import (
	"fmt"
	"io"

	"aqueduck/internal/plan"
	"aqueduck/internal/term"
)

// PrintPlan writes the plan for people; scripts may rely on its last line.
func PrintPlan(p *plan.Plan, w io.Writer) {
	t := newTable("WORKSPACE", "STREAM", "READS", "RECORDS", "REQUESTS", "A CHANGE", "BASIS")
	t.alignRight(4, 5, 6)
	t.leaveOut(6, 7)
	known := true
	for _, s := range p.Streams {
		t.addRow(s.Workspace, s.Stream, s.Read, term.OrUnknown(s.Records, ""), term.OrUnknown(s.Requests, "~"), fmt.Sprintf("%.3f", s.Change), s.Basis)
		known = known && s.Requests >= 0
	}
	printTable(w, t)
	fmt.Fprint(w, "  RECORDS: what the source has.  REQUESTS: an estimate for this run, from BASIS.\n  A CHANGE: requests that one changed record costs a later run.\n\n")
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
