package render

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/term"
	"aqueduck/internal/verify"
)

// shownFindings is the number of differences that are printed for people; -o json has all.
const shownFindings = 20

// PrintVerification writes a line for each stream, the differences and their meaning.
func PrintVerification(v *verify.Verification, w io.Writer) {
	called := runlog.StreamNamer(v.Streams, func(s verify.Verified) (string, string) { return s.Workspace, s.Stream })
	printVerified(v, called, w)
	for _, s := range v.Streams {
		if s.Error != "" {
			fmt.Fprintf(w, "\n  error[%s] %s could not be compared: %s\n       next: %s\n", s.Class, called(s), s.Error, v.Given.Append(s.Next))
		}
	}
	for _, lake := range v.Lakes {
		printLake(lake, v.Given, w)
	}
	printFindings(v, w)
	fmt.Fprintf(w, "\n%s\n", verify.Confidence(v.Sampled, v.Differ, v.Whole, v.Under))
	if v.IsEmpty() {
		fmt.Fprintf(w, "     next: HOW says why; the streams that were read: %s\n", v.Given.Append("aqueduck status"))
	}
	fmt.Fprintln(w, v.LastLine())
}

// printVerified writes the table of streams.
func printVerified(v *verify.Verification, called func(verify.Verified) string, w io.Writer) {
	t := newTable("STREAM", "COMPARED", "MISSING", "STALE", "GHOST", "DOUBLED", "REQS", "HOW", "CONFIDENCE")
	t.alignRight(2, 3, 4, 5, 6, 7)
	t.keepWords(8, howColumn)
	for _, s := range v.Streams {
		var means any = ""
		if s.Sampled > 0 {
			means = twoForms{verify.Confidence(s.Sampled, s.Differ, s.Whole, s.Under), shortConfidence(s)}
		}
		t.addRow(called(s), term.Thousands(s.Sampled), s.Missing, s.Stale, s.Ghost, s.Doubled, s.Requests, twoForms{s.How, shortHow(s.How)}, means)
	}
	t.leaveOut(7)
	t.leaveOutZeros(6, 5, 4, 3)
	t.leaveOut(9, 8)
	printTable(w, t)
	printCut(w, t, 8, func(row int) string { return called(v.Streams[row]) })
}

// howColumn is the width up to which HOW is not cut while columns that may be left out are shown.
const howColumn = 24

// shortHow returns how a stream was compared without the reason why it was not.
func shortHow(how string) string {
	short, _, _ := strings.Cut(how, ": ")
	return short
}

// shortConfidence returns the share of rows that may differ, without the counts of the other columns.
func shortConfidence(s verify.Verified) string {
	if s.Whole {
		return "all rows"
	}
	return "under " + term.Percent(s.Under)
}

// printLake writes a line about the Parquet files of a workspace.
func printLake(lake verify.VerifiedLake, given problem.CLIFlags, w io.Writer) {
	switch {
	case lake.Error != "":
		fmt.Fprintf(w, "\n  error[%s] the Parquet files of %s could not be compared: %s\n       next: %s\n", lake.Class, lake.Workspace, lake.Error, given.Append(lake.Next))
	case lake.Damages > 0:
		fmt.Fprintf(w, "\n  error[data] the Parquet files of %s are not as they were published: %s\n", lake.Workspace, term.Count(lake.Damages, "finding"))
	case !lake.Whole:
		fmt.Fprintf(w, "\n  the Parquet files of %s: %s\n", lake.Workspace, lake.How)
	default:
		fmt.Fprintf(w, "\n  the Parquet files of %s are as they were published: %s\n", lake.Workspace, lake.How)
	}
}

func printFindings(v *verify.Verification, w io.Writer) {
	if len(v.Findings) == 0 {
		return
	}
	fmt.Fprintln(w)
	for i, f := range v.Findings {
		if i == shownFindings {
			fmt.Fprintf(w, "  … and %s more; -o json has them all\n", term.Thousands(int64(len(v.Findings)-i)))
			break
		}
		more := ""
		if len(f.Columns) > 0 {
			more = " (" + strings.Join(f.Columns, ", ") + ")"
		}
		if f.Accepted {
			more += ", accepted"
		}
		if f.What != "" {
			more = ": " + f.What + more
		}
		fmt.Fprintf(w, "  %s  %-8s %s %s%s\n", f.ID, f.Kind, strings.TrimSuffix(f.Workspace+"."+f.Table, "."), f.Key, more)
	}
	for _, next := range nextSteps(v.Findings) {
		fmt.Fprintf(w, "       next: %s\n", v.Given.Append(next))
	}
}

// nextSteps are the next steps of findings, each once. Only a difference of rows can be accepted: a damaged file is written again.
func nextSteps(all []verify.Finding) (steps []string) {
	rows := false
	for _, f := range all {
		next := f.Next
		if next == "" {
			rows = true
			next = "replace differing rows: aqueduck sync --full-refresh --select STREAM"
		}
		if !slices.Contains(steps, next) {
			steps = append(steps, next)
		}
	}
	if rows {
		steps = append(steps, "accept a difference: aqueduck verify --accept ID")
	}
	return steps
}
