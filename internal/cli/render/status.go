package render

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"aqueduck/internal/runlog"
	"aqueduck/internal/term"
)

// PrintStatus writes the status for people.
func PrintStatus(s *runlog.Status, w io.Writer) {
	switch {
	case s.Running != nil:
		fmt.Fprintf(w, "running   %s, %s since %s: %s%s, %s\n", s.Running.Pipeline, s.Running.Doing,
			term.ShortTime(s.Now, s.Running.Started.UTC()), shareRead(s.Running), term.Count(int(s.Running.Rows), "row"), term.Count(int(s.Running.Requests), "request"))
		called := s.Running.Called()
		for _, stream := range s.Running.Streams {
			fmt.Fprintf(w, "          %-28s %-8s %s read, %s\n", called(stream), stream.Phase, term.Thousands(stream.Extracted), term.Count(int(stream.Rows), "row"))
		}
	case s.Lost != nil:
		fmt.Fprintf(w, "crashed   %s (run %s): the run crashed or was killed; committed data is intact\n          next: %s\n",
			s.Lost.Pipeline, runlog.ShortRun(s.Lost.Run), s.Given.Append("aqueduck sync "+s.Lost.Pipeline))
	}
	said := printFailed(s, w)
	if why := s.WhyUnreadable(); why != nil {
		fmt.Fprintf(w, "data      %s: %s\n          next: %s\n", describeUnreadable(s), why.Error(), why.Next)
	} else if len(s.Streams) == 0 || s.Unpublished {
		fmt.Fprintf(w, "data      none yet: nothing is published in %s/\n", s.Dir)
		if len(said) == 0 { // a failed run has printed its next step
			fmt.Fprintf(w, "          next: %s\n", s.Given.Append("aqueduck sync"))
		}
	} else if s.AsOf.IsZero() {
		names, next := nameUnfinished(s)
		fmt.Fprintf(w, "data      published, but no run has read %s to the end\n", names)
		if next = cmp.Or(next, s.Given.Append("aqueduck sync")); !slices.Contains(said, next) {
			fmt.Fprintf(w, "          next: %s\n", next)
		}
	} else {
		fmt.Fprintf(w, "data      as of %s%s\n", term.ShortTime(s.Now, s.AsOf.UTC()), elapsedSince(s, s.AsOf))
	}
	for _, left := range s.NotRead {
		fmt.Fprintf(w, "not read  %s of %s, which no run has begun: %s\n          next: %s\n", term.Count(len(left.Streams), "stream"), left.Pipeline, firstNames(left.Streams),
			s.Given.Append("aqueduck sync "+left.Pipeline+" --failed"))
	}
	if models := s.MissingModels(); models != "" {
		fmt.Fprintf(w, "missing   %s\n          next: correct the file, then %s\n", models, s.Given.Append("aqueduck sync"))
	}
	printStore(s, w)
	printErasing(s, w)
	if s.RolledBack != nil {
		fmt.Fprintf(w, "rollback  %s;\n          the next run continues from that file\n", s.RolledBack)
	}
	for _, n := range s.Next {
		fmt.Fprintf(w, "next      %s %s%s\n", n.Pipeline, describeNext(n, s.Now), n.Again())
	}
	printDrift(s, w)
	if len(s.Streams) > 0 {
		printStreamStates(s, said, w)
	}
	if len(s.Runs) > 0 {
		printRuns(s, w)
	}
}

// printStore says whether the object store has the file of this machine's readers, and whether other objects may have erased data.
func printStore(s *runlog.Status, w io.Writer) {
	r := s.Remote
	switch {
	case r == nil:
		return
	case r.Whole:
		fmt.Fprintf(w, "store     %s has this file\n", r.Place)
	case r.Epoch == 0:
		fmt.Fprintf(w, "store     %s has no file of this machine yet: the next run sends it\n", r.Place)
	default:
		fmt.Fprintf(w, "store     %s does not have this file: the next run sends it\n", r.Place)
	}
	if r.Unclean {
		fmt.Fprintln(w, "          older objects there may still have erased or masked data: the next run deletes them")
	}
}

// printErasing says that files may still have erased data, with the next step.
func printErasing(s *runlog.Status, w io.Writer) {
	if s.Erasing {
		fmt.Fprintf(w, "erasure   not finished: files may still have erased data\n          next: %s\n", s.Given.Append("aqueduck sync, which finishes it"))
	}
}

// describeNext says when a run begins. The clock of an emulated warehouse stands until then, so the wait comes first, then this machine's time.
func describeNext(n runlog.NextRun, now time.Time) string {
	wait := n.At.Sub(now)
	if n.Machine.IsZero() {
		return fmt.Sprintf("at %s, in %s", term.ShortTime(now, n.At), term.Span(wait))
	}
	return fmt.Sprintf("in %s, at %s on this machine", term.Span(wait), term.ShortTime(n.Machine.Add(-wait), n.Machine))
}

// nameUnfinished names the streams that no run has read to the end, and gives the next step of the first of them that has one; next is "" if none has.
func nameUnfinished(s *runlog.Status) (names, next string) {
	called := nameStreams(s)
	var all []string
	for _, stream := range s.Unfinished {
		all, next = append(all, called(stream)), cmp.Or(next, stream.Hint)
	}
	return cmp.Or(firstNames(all), "a stream"), next // no name: all are read by id, or unavailable
}

// firstNames lists names, at most five of them.
func firstNames(names []string) string {
	const most = 5
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// nameStreams returns a function that names the streams of a status.
func nameStreams(s *runlog.Status) func(runlog.StreamStatus) string {
	return runlog.StreamNamer(s.Streams, func(s runlog.StreamStatus) (string, string) { return s.Workspace, s.Stream })
}

// printFailed writes the error of each pipeline's last run, and returns what it wrote. That of a crashed run is told above. A run that only found
// the warehouse locked says nothing about the data, and its next step is over. A run of a part of the pipeline says nothing about the others of its streams.
func printFailed(s *runlog.Status, w io.Writer) (said saidErrors) {
	told := map[string]bool{}
	for _, r := range s.Runs {
		if r.Class == "busy" || r.Part && slices.ContainsFunc(s.Runs, func(o runlog.PastRun) bool { return o.Pipeline == r.Pipeline && !o.Part }) {
			continue
		}
		if r.Class != "" && !told[r.Pipeline] {
			said = append(said, r.Error, r.Next)
			if s.Lost == nil || s.Lost.Run != r.Run {
				fmt.Fprintf(w, "failed    %s at %s: error[%s] %s\n          next: %s\n", r.Pipeline, term.ShortTime(s.Now, r.Finished.UTC()), r.Class, r.Error, r.Next)
			}
		}
		told[r.Pipeline] = true
	}
	return said
}

// saidErrors are the errors of runs, and their next steps, that an output has printed. The streams of a run may have the same.
type saidErrors []string

// printStream writes the error of a stream under its name, with the next step; nothing if the error of its run said the same.
func (said saidErrors) printStream(w io.Writer, called, stream, text, next string) {
	if named := runlog.NameError(called, stream, text); !slices.Contains(said, named) && !slices.Contains(said, text) {
		fmt.Fprintf(w, "  %s\n       next: %s\n", named, next)
	}
}

func printStreamStates(s *runlog.Status, said saidErrors, w io.Writer) {
	called := nameStreams(s)
	t := newTable("STREAM", "LAST RUN", "FRESH", "SYNCED TO", "BACKFILL")
	t.neverCut(4, 5)
	t.keepWords(3, freshColumn)
	t.leaveOut(4)
	for _, stream := range s.Streams {
		outcome := stream.Outcome
		if outcome == "" {
			outcome = "–" // published in the middle of its first run
		}
		fresh, history := describeFreshness(&stream, s.Now), describeHistory(&stream)
		t.addRow(called(stream), outcome, twoForms{fresh, strings.TrimSuffix(fresh, " old")}, term.ShortTime(s.Now, stream.SyncedTo.UTC()), twoForms{history, strings.TrimPrefix(history, "back to ")})
	}
	fmt.Fprintln(w)
	printTable(w, t)
	for _, stream := range s.Streams {
		if !stream.RewoundFrom.IsZero() {
			fmt.Fprintf(w, "  %s: rewound from %s; the next run reads it again\n", called(stream), term.ShortTime(s.Now, stream.RewoundFrom.UTC()))
		}
		switch {
		case stream.Error != "":
			said.printStream(w, called(stream), stream.Stream, stream.Error, stream.Hint)
		case stream.Hint != "":
			fmt.Fprintf(w, "  %s: next: %s\n", called(stream), stream.Hint)
		}
	}
}

// freshColumn is the width up to which FRESH is not cut while SYNCED TO is shown.
const freshColumn = 16

// describeFreshness returns the freshness of a stream, with its age if that is too high.
func describeFreshness(s *runlog.StreamStatus, now time.Time) string {
	switch s.Freshness {
	case "":
		return "–"
	case runlog.Fresh:
		return string(runlog.Fresh)
	}
	if s.OK.IsZero() {
		return string(s.Freshness) + ", never read"
	}
	return string(s.Freshness) + ", " + term.Span(now.Sub(s.OK)) + " old"
}

// describeHistory returns how far back a stream is read.
func describeHistory(s *runlog.StreamStatus) string {
	switch {
	case s.Refreshing && !s.OK.IsZero():
		return fmt.Sprintf("full refresh, %.0f%%", 100*s.Backfill)
	case s.SyncedTo.IsZero():
		return "–"
	case s.HistoryTo.IsZero():
		return "read"
	case s.Backfill > 0:
		return fmt.Sprintf("back to %s, %.0f%%", s.HistoryTo.UTC().Format(time.DateOnly), 100*s.Backfill)
	}
	return "back to " + s.HistoryTo.UTC().Format(time.DateOnly)
}

func printRuns(s *runlog.Status, w io.Writer) {
	t := newTable("RUN", "PIPELINE", "STARTED", "OUTCOME", "ROWS", "REQUESTS", "TIME")
	t.alignRight(5, 6, 7)
	for _, r := range s.Runs {
		t.addRow(runlog.ShortRun(r.Run), r.Pipeline, term.ShortTime(s.Now, r.Started.UTC()), r.Outcome+term.WithNote(", ", r.Note()), term.Thousands(r.Rows), term.Thousands(r.Requests),
			term.Duration(r.Finished.Sub(r.Started)))
	}
	fmt.Fprintln(w)
	printTable(w, t)
}

func elapsedSince(s *runlog.Status, t time.Time) string {
	if t.IsZero() || t.After(s.Now) {
		return "" // the source's clock may be ahead
	}
	return ", " + term.Ago(s.Now, t)
}

// describeUnreadable is what readers have, in one or two words, where they cannot open a published file that should be there.
func describeUnreadable(s *runlog.Status) string {
	switch {
	case s.Foreign != nil:
		return "none"
	case s.Gone:
		return "gone"
	}
	return "cannot be read"
}
