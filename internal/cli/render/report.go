package render

import (
	"fmt"
	"io"
	"strings"

	"aqueduck/internal/runlog"
	"aqueduck/internal/term"
)

// PrintReport writes the report of a run: what it read and where it stored it, the table of streams, errors with next steps, and the last line.
func PrintReport(r *runlog.Report, w io.Writer) {
	fmt.Fprintf(w, "%s  run %s  api %s  →  %s + %s/\n", r.Pipeline, runlog.ShortRun(r.RunID), strings.Join(r.APIVersions, ", "), r.Dir.Link(), r.Dir.Lake(""))
	if r.Emulated {
		fmt.Fprintln(w, runlog.SaysEmulated)
	}
	fmt.Fprintln(w)
	printStreamResults(r, w)
	made := 0
	for _, c := range r.Changes {
		if c.Column == "" {
			made++
			continue
		}
		fmt.Fprintf(w, "  %s.%s.%s %s\n", c.Schema, c.Table, c.Column, c.What)
	}
	if made > 0 {
		fmt.Fprintf(w, "  tables and views created: %d\n", made)
	}
	for _, line := range driftLines(r.Drift) {
		fmt.Fprintf(w, "  drift: %s\n", line)
	}
	for _, note := range r.Notes {
		fmt.Fprintf(w, "  note: %s\n", note)
	}
	for _, f := range r.Findings {
		fmt.Fprintf(w, "  audit %s: %s of %s%s%s%s: %s\n", f.Kind, f.Name, f.Schema, term.WithNote(".", f.Table), term.WithNote(": ", f.Found), term.WithNote(", expected ", f.Expected), f.Message)
		if f.Next != "" {
			fmt.Fprintf(w, "       next: %s\n", f.Next)
		}
	}
	for _, s := range r.Streams {
		if s.Error != "" {
			fmt.Fprintf(w, "\n  error[%s] %s%s\n       next: %s\n", s.Class, s.Of(r), s.Error, s.Next)
		}
		if s.Lost {
			fmt.Fprintf(w, "       note: %s is newly unavailable. Its rows stay, and later runs do not fail because of it; see its age: %s\n", s.Name(r), r.Given.Append("aqueduck status"))
		}
	}
	for _, p := range r.Problems() {
		fmt.Fprintf(w, "\n  error[%s] %s\n       next: %s\n", p.Class, p.What, p.Next)
	}
	if r.Interrupted {
		fmt.Fprintf(w, "\n  interrupted: complete batches are committed, but not yet published\n       next: %s\n", r.Given.Append("aqueduck sync "+r.Pipeline))
	}
	fmt.Fprintf(w, "\n%s\n", r.LastLine())
}

// printStreamResults writes the table of streams.
func printStreamResults(r *runlog.Report, w io.Writer) {
	t := newTable("STREAM", "STATUS", "EXTRACTED", "NEW", "CHANGED", "REJECTED", "REQS", "RETRIES", "TIME", "SYNCED TO")
	t.alignRight(3, 4, 5, 6, 7, 8, 9)
	t.neverCut(10)
	t.leaveOut(8, 7, 9)
	ended := r.Started.Add(r.Time)
	for _, s := range r.Streams {
		counted := term.Thousands
		if s.Status == runlog.StatusUnavailable && s.Extracted == 0 {
			counted = func(int64) string { return "–" } // 0 would say that there is none
		}
		reached := s.Reached(ended)
		t.addRow(s.Name(r), string(s.Status), counted(s.Extracted), counted(s.New), counted(s.Changed),
			counted(s.Rejected), term.Thousands(s.Requests), term.Thousands(s.Retries), term.Duration(s.Time), twoForms{reached, strings.Replace(reached, ", backfill ", ", ", 1)})
	}
	t.leaveOutZeros(6, 5)
	printTable(w, t)
}
