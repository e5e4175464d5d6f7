package render

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"aqueduck/internal/runlog"
	"aqueduck/internal/term"
)

// PrintRun writes the details of a run for people.
func PrintRun(d *runlog.RunDetail, w io.Writer) {
	if d.Moved != nil {
		fmt.Fprintf(w, "moved     by hand, %s\n", d.Run)
		for _, m := range d.Moved {
			fmt.Fprintf(w, "          %s\n", m)
		}
		return
	}
	fmt.Fprintf(w, "run       %s of %s%s\n", d.Run, d.Pipeline, term.WithNote(", by version ", d.Version))
	fmt.Fprintf(w, "time      %s to %s, %s\n", term.OrDash(d.Started), term.OrDash(d.Finished), term.Duration(d.Finished.Sub(d.Started)))
	fmt.Fprintf(w, "ended     %s, exit code %d, %s, %s\n", d.Outcome, d.Exit, term.Count(int(d.Rows), "row"), term.Count(int(d.Requests), "request"))
	if d.CaughtUp {
		fmt.Fprintln(w, "          catch-up run: it replaced a missed or interrupted run")
	}
	if d.Error != "" {
		fmt.Fprintf(w, "          error[%s] %s\n", cmp.Or(d.Class, "stream"), d.Error)
	}
	if d.Next != "" {
		fmt.Fprintf(w, "          next: %s\n", d.Next)
	}
	if d.MissingModels != "" {
		fmt.Fprintf(w, "          missing: %s\n          next: correct the file, then %s\n", d.MissingModels, d.Given.Append("aqueduck sync"))
	}
	if d.Restored != "" {
		fmt.Fprintf(w, "          restored: %s\n          next: check the disk (dmesg)\n", d.Restored)
	}
	if !d.RetryAt.IsZero() {
		fmt.Fprintf(w, "          retry %d of %d, by aqueduck serve, at %s\n", d.Try+1, runlog.Tries(), term.OrDash(d.RetryAt))
	}
	if !d.Published && strings.Contains(d.Line, " published=yes ") {
		fmt.Fprintln(w, "          the file of readers does not have the results of its streams: a rollback or a restore came after it")
	} else if !d.Published {
		fmt.Fprintln(w, "          it published nothing: the results of its streams are not stored")
	}
	for _, p := range d.Publishes {
		rebuilt := ""
		if p.Rebuilt {
			rebuilt = "; the whole file was written again"
		}
		fmt.Fprintf(w, "published %s at %s, with changes in %s%s\n", p.File, term.OrDash(p.At), term.Count(int(p.Changed), "table"), rebuilt)
	}
	printRunStreams(d, w)
	for _, c := range d.Changes {
		fmt.Fprintf(w, "  changed: %s%s %s%s\n", c.Table, term.WithNote(".", c.Column), c.Change, term.WithNote(", at ", c.Path))
	}
	for _, r := range d.Rejects {
		fmt.Fprintf(w, "  rejected: %s of %s%s: %s%s\n", term.Count(int(r.Count), "value"), r.Stream, term.WithNote(".", r.Column), r.Reason, term.WithNote(", e.g. of ", r.Key))
	}
	for _, f := range d.Findings {
		fmt.Fprintf(w, "  audit %s: %s of %s%s%s: %s\n", f.Kind, f.Name, f.Table, term.WithNote(": ", f.Found), term.WithNote(", expected ", f.Expected), f.Message)
	}
	printConfiguration(d, w)
	if d.Line != "" {
		fmt.Fprintf(w, "\n%s\n", d.Line)
	}
}

func printConfiguration(d *runlog.RunDetail, w io.Writer) {
	if len(d.Configuration) == 0 {
		return
	}
	t := newTable("SETTING", "FROM")
	for _, o := range d.Configuration {
		t.addRow(o.Setting, o.From)
	}
	fmt.Fprintln(w)
	printTable(w, t)
}

func printRunStreams(d *runlog.RunDetail, w io.Writer) {
	if len(d.Streams) == 0 {
		return
	}
	t := newTable("STREAM", "STATUS", "EXTRACTED", "NEW", "CHANGED", "GONE", "REJECTED", "REQS", "RETRIES", "SYNCED TO")
	t.alignRight(3, 4, 5, 6, 7, 8, 9)
	t.neverCut(10)
	t.leaveOut(9, 8, 6)
	called := runlog.StreamNamer(d.Streams, func(s runlog.RunStream) (string, string) { return s.Workspace, s.Stream })
	for _, s := range d.Streams {
		t.addRow(called(s), s.Outcome, term.Thousands(s.Records), term.Thousands(s.New), term.Thousands(s.Changed), term.Thousands(s.Gone),
			term.Thousands(s.Rejected), term.Thousands(s.Requests), term.Thousands(s.Retries), term.ShortTime(d.Finished, s.SyncedTo.UTC()))
	}
	t.leaveOutZeros(7, 5)
	fmt.Fprintln(w)
	printTable(w, t)
	for _, s := range d.Streams {
		if s.Error != "" {
			saidErrors{d.Error}.printStream(w, called(s), s.Stream, s.Error, s.Next)
		}
	}
}
