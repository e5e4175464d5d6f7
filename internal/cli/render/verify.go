package render

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"aqueduck/internal/runlog"
	"aqueduck/internal/term"
	"aqueduck/internal/verify"
)

// shownFindings is the number of differences that are printed for people; -o json has all.
const shownFindings = 20

// PrintVerification writes a line for each stream, the differences and their meaning.
func PrintVerification(v *verify.Verification, w io.Writer) {
	t := newTable("STREAM", "COMPARED", "MISSING", "STALE", "GHOST", "DOUBLED", "REQS", "HOW", "CONFIDENCE")
	t.alignRight(2, 3, 4, 5, 6, 7)
	t.leaveOut(7, 8)
	called := runlog.StreamNamer(v.Streams, func(s verify.Verified) (string, string) { return s.Workspace, s.Stream })
	for _, s := range v.Streams {
		means := ""
		if s.Sampled > 0 {
			means = verify.Confidence(s.Sampled, s.Differ, s.Whole, s.Under)
		}
		t.addRow(called(s), term.Thousands(s.Sampled), s.Missing, s.Stale, s.Ghost, s.Doubled, s.Requests, s.How, means)
	}
	printTable(w, t)
	for _, s := range v.Streams {
		if s.Error != "" {
			fmt.Fprintf(w, "\n  error %s could not be compared: %s\n", called(s), s.Error)
		}
	}
	for _, lake := range v.Lakes {
		printLake(lake, w)
	}
	printFindings(v, w)
	fmt.Fprintf(w, "\n%s\n%s\n", verify.Confidence(v.Sampled, v.Differ, v.Whole, v.Under), v.LastLine())
}

// printLake writes a line about the Parquet files of a workspace.
func printLake(lake verify.VerifiedLake, w io.Writer) {
	switch {
	case lake.Error != "":
		fmt.Fprintf(w, "\n  error the Parquet files of %s could not be compared: %s\n", lake.Workspace, lake.Error)
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
			fmt.Fprintf(w, "  … and %s; -o json has them all\n", term.Count(len(v.Findings)-i, "difference"))
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

// nextSteps are the next steps of findings, each once.
func nextSteps(all []verify.Finding) (steps []string) {
	for _, f := range all {
		next := f.Next
		if next == "" {
			next = "replace differing rows: aqueduck sync --full-refresh --select STREAM"
		}
		if !slices.Contains(steps, next) {
			steps = append(steps, next)
		}
	}
	return append(steps, "accept a difference: aqueduck verify --accept ID")
}
