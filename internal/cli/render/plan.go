package render

import (
	"fmt"
	"io"

	"aqueduck/internal/plan"
	"aqueduck/internal/runlog"
	"aqueduck/internal/term"
)

// PrintPlan writes the plan for people; scripts may rely on its last line.
func PrintPlan(p *plan.Plan, w io.Writer) {
	t := newTable("STREAM", "READS", "RECORDS", "REQUESTS", "A CHANGE", "BASIS")
	t.alignRight(3, 4, 5)
	t.leaveOut(5, 6)
	called := runlog.StreamNamer(p.Streams, func(s plan.PlannedStream) (string, string) { return s.Workspace, s.Stream })
	known := true
	for _, s := range p.Streams {
		t.addRow(called(s), s.Read, term.OrUnknown(s.Records, ""), term.OrUnknown(s.Requests, "~"), fmt.Sprintf("%.3f", s.Change), s.Basis)
		known = known && s.Requests >= 0
	}
	printTable(w, t)
	for _, name := range p.Tables {
		fmt.Fprintf(w, "  + table  %s\n", name)
	}
	for _, name := range p.Columns {
		fmt.Fprintf(w, "  + column %s\n", name)
	}
	for _, note := range p.Notes {
		fmt.Fprintf(w, "  note: %s\n", note)
	}
	fmt.Fprintf(w, "\nPlan: %s to create, %s to add, %s to read (%s)\n",
		term.Count(len(p.Tables), "table"), term.Count(len(p.Columns), "column"), term.Count(len(p.Streams), "stream"), requestEstimate(p, known))
}

// requestEstimate returns the number of requests and the time of the plan, as far as they are known.
func requestEstimate(p *plan.Plan, known bool) string {
	switch {
	case p.Requests == 0 && !known:
		return "requests unknown; use --ask"
	case !known:
		return fmt.Sprintf("~%s or more, about %s", term.Count(int(p.Requests), "request"), term.Duration(p.Time))
	}
	return fmt.Sprintf("~%s, about %s", term.Count(int(p.Requests), "request"), term.Duration(p.Time))
}
