package sync

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"aqueduck/extract"
	"aqueduck/internal/runlog"
	"aqueduck/internal/sync/stream"
	"aqueduck/internal/sync/warehouse"
	"aqueduck/load"
)

// keepRejects is how long the text of records that became dead letters stays in the rejects directory.
const keepRejects = 7 * 24 * time.Hour

// makeReport completes the report of a run: what each stream did, how far it is read, and how long the rest may take.
func makeReport(r *stream.Run) *runlog.Report {
	r.Reported.Streams = r.Reported.Streams[:0]
	r.Reported.Left = 0
	for _, t := range r.Tasks {
		share, left := r.Progress.Backfilled(t)
		t.Result.Backfill, t.Result.SyncedTo = share, warehouse.UnixTime(t.State.SyncedTo)
		if t.Result.Status == runlog.StatusFailed { // what it has read may go further than what is committed
			t.Result.SyncedTo = time.Time{}
			if committed, err := extract.ParseState(t.Base.State); err == nil {
				t.Result.SyncedTo = warehouse.UnixTime(committed.SyncedTo)
			}
		}
		sent := t.Workspace.Client.CountsFor(t.Stream)
		t.Result.Requests, t.Result.Retries = sent.Requests, sent.Retries
		r.Reported.Left = max(r.Reported.Left, left)
		result := t.Result
		if result.Status == runlog.StatusOK && !stream.IsUpToDate(t) {
			result.Status = runlog.StatusCut
		}
		r.Reported.Streams = append(r.Reported.Streams, result)
	}
	slices.SortStableFunc(r.Reported.Streams, func(a, b runlog.StreamResult) int {
		return slices.Index(streamOrder(r), a.Stream) - slices.Index(streamOrder(r), b.Stream)
	})
	r.Reported.Requests = 0
	for _, w := range r.Workspaces {
		r.Reported.Requests += w.Client.Requests()
	}
	r.Reported.Time = r.Now().Sub(r.Started)
	return &r.Reported
}

// streamOrder is the order of streams in the report: as the pipeline names them, each followed by the streams that are read along with it.
func streamOrder(r *stream.Run) []string {
	var names []string
	for _, name := range r.Pipeline.Streams {
		names = append(names, name)
		for _, t := range r.Tasks {
			if t.Stream.With == name || t.Stream.Dataset != "" && strings.HasPrefix(t.Stream.Name, name+"_") {
				names = append(names, t.Stream.Name)
			}
		}
	}
	return names
}

// saveRun runs the audit and writes the run's own rows into _sync, for the next publish.
func saveRun(ctx context.Context, r *stream.Run) error {
	if err := auditRun(ctx, r); err != nil {
		return err
	}
	return saveRunAs(ctx, r, makeReport(r).Outcome())
}

// saveRunAs writes the run's own rows with an outcome, and replaces those that it wrote earlier.
func saveRunAs(ctx context.Context, r *stream.Run, outcome string) error {
	if err := countRejects(context.WithoutCancel(ctx), r); err != nil {
		return err
	}
	report := makeReport(r)
	finished := r.Now()
	emulated := slices.ContainsFunc(r.Workspaces, func(w *stream.Workspace) bool { return w.Source.Emulated })
	saved := load.Run{
		RunID: r.ID, Pipeline: r.Pipeline.Name, Started: r.Started, Finished: finished, Outcome: outcome,
		ExitCode: report.Exit(), Rows: report.TotalRows(), Requests: report.Requests, Backfill: report.Backfill(), Version: r.Runner.Version, Emulated: emulated,
	}
	if report.Held != nil {
		saved.Error = report.Held.What
	}
	var streams []load.StreamRun
	var rejects []load.RejectRow
	for _, s := range report.Streams {
		saved.Rejected, saved.NewRejected = saved.Rejected+s.Rejected, saved.NewRejected+s.NewRejected
		saved.Retries += s.Retries
		if saved.Error == "" {
			saved.Error = s.Error
		}
		streams = append(streams, load.StreamRun{
			Schema: s.Workspace, Stream: s.Stream, Outcome: string(s.Status), Started: r.Started, Finished: finished,
			Records: s.Extracted, Rows: s.Rows, New: s.New, Changed: s.Changed, Gone: s.Gone, Rejected: s.Rejected, NewRejected: s.NewRejected,
			Requests: s.Requests, Retries: s.Retries, SyncedTo: s.SyncedTo, Backfill: s.Backfill, Error: s.Error, Hint: s.Next,
		})
		for _, reject := range s.Rejects {
			rejects = append(rejects, load.RejectRow{Schema: s.Workspace, Stream: s.Stream, Table: reject.Table, Column: reject.Column,
				Reason: reject.Reason, Count: reject.Count, Key: reject.Key})
		}
	}
	err := r.Writer.Use(func(work *load.Work) error {
		return work.Records.SaveRun(context.WithoutCancel(ctx), saved, streams, rejects, report.Findings)
	})
	if err != nil {
		return fmt.Errorf("record the run: %w", err)
	}
	return keepRejectFiles(r, report)
}

// countRejects counts the dead letters of each stream, each value once, so that the number stays the same until something changes. The resolved
// ones of all streams are cleared before streams are compared: several streams may write the same records of one table.
func countRejects(ctx context.Context, r *stream.Run) error {
	for _, t := range r.Tasks {
		t.Result.CountRejects(nil)
	}
	return r.Writer.Use(func(work *load.Work) error {
		streams, err := work.DeadLetters.AffectedStreams(ctx)
		if err != nil {
			return err
		}
		for _, step := range []func(t *stream.Task) error{
			func(t *stream.Task) error {
				return work.DeadLetters.ClearResolved(ctx, t.Workspace.Name, t.Stream.Name, t.Tables, wholeSince(t))
			},
			func(t *stream.Task) error {
				return work.DeadLetters.MergeCopies(ctx, t.Workspace.Name, t.Stream.Name, t.Tables)
			},
			func(t *stream.Task) error {
				noted, err := work.DeadLetters.CountByColumn(ctx, t.Workspace.Name, t.Stream.Name)
				t.Result.CountRejects(noted)
				return err
			},
		} {
			for _, t := range r.Tasks {
				if !streams[[2]string{t.Workspace.Name, t.Stream.Name}] || len(t.Tables) == 0 {
					continue
				}
				if err := step(t); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// wholeSince is the start of the run if it read everything that the stream has, or else the zero time.
func wholeSince(t *stream.Task) time.Time {
	if t.Result.Status == runlog.StatusOK && !t.Result.Cut && (t.Stream.Read.Since.By == "full" || t.Run.Options.FullRefresh) {
		return t.Run.Started
	}
	return time.Time{}
}

// keepRejectFiles writes the text of dead letters into the rejects directory, readable only by the operator, and removes old files there.
func keepRejectFiles(r *stream.Run, report *runlog.Report) error {
	dir := r.Runner.Dir.RejectDir()
	files, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("list the stored rejects: %w", err)
	}
	for _, f := range files {
		if info, err := f.Info(); err == nil && r.Runner.MachineNow().Sub(info.ModTime()) > keepRejects {
			if err := os.Remove(filepath.Join(dir, f.Name())); err != nil {
				return fmt.Errorf("remove an old reject: %w", err)
			}
		}
	}
	for _, s := range report.Streams {
		var lines []byte
		for _, text := range s.Texts {
			lines = append(append(lines, text...), '\n')
		}
		if lines == nil {
			continue
		}
		if err := os.WriteFile(r.RejectFile(s.Workspace, s.Stream), lines, 0o600); err != nil {
			return fmt.Errorf("store rejected records: %w", err)
		}
	}
	return nil
}
