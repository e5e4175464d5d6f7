package pipeline

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"aqueduck/load"
)

// keepRejects is how long the text of a record that was kept out whole stays in the rejects directory.
const keepRejects = 7 * 24 * time.Hour

// makeReport closes the account of a run: what each stream did, how far it is read, what is left.
func makeReport(r *run) *Report {
	r.reported.Streams = r.reported.Streams[:0]
	r.reported.Left = 0
	for _, t := range r.tasks {
		share, left := r.progress.backfilled(t)
		t.result.Backfill, t.result.SyncedTo = share, unix(t.state.SyncedTo)
		sent := t.workspace.client.Sent(t.stream)
		t.result.Requests, t.result.Retries = sent.Requests, sent.Retries
		r.reported.Left = max(r.reported.Left, left)
		result := t.result
		if result.Status == StatusOK && !isReadWell(t) {
			result.Status = StatusCut
		}
		r.reported.Streams = append(r.reported.Streams, result)
	}
	slices.SortStableFunc(r.reported.Streams, func(a, b StreamResult) int {
		return slices.Index(streamOrder(r), a.Stream) - slices.Index(streamOrder(r), b.Stream)
	})
	r.reported.Requests = 0
	for _, w := range r.workspaces {
		r.reported.Requests += w.client.Requests()
	}
	r.reported.Time = r.now().Sub(r.started)
	return &r.reported
}

// streamOrder is the order of streams as the pipeline names them, those that go along after their leader.
func streamOrder(r *run) []string {
	var names []string
	for _, name := range r.pipeline.Streams {
		names = append(names, name)
		for _, t := range r.tasks {
			if t.stream.With == name || t.stream.Dataset != "" && strings.HasPrefix(t.stream.Name, name+"_") {
				names = append(names, t.stream.Name)
			}
		}
	}
	return names
}

// saveRun writes the run's own rows, which the next publish shows.
func saveRun(ctx context.Context, r *run) error {
	if err := auditRun(ctx, r); err != nil {
		return err
	}
	return saveRunAs(ctx, r, makeReport(r).Outcome())
}

// saveRunAs writes the run's own rows with an outcome, in the place of those it wrote before.
func saveRunAs(ctx context.Context, r *run, outcome string) error {
	if err := countRejects(context.WithoutCancel(ctx), r); err != nil {
		return err
	}
	report := makeReport(r)
	finished := r.now()
	emulated := slices.ContainsFunc(r.workspaces, func(w *workspace) bool { return w.source.Emulated })
	saved := load.Run{
		RunID: r.id, Pipeline: r.pipeline.Name, Started: r.started, Finished: finished, Outcome: outcome,
		ExitCode: report.Exit(), Rows: report.Rows(), Requests: report.Requests, Backfill: report.backfill(), Version: r.runner.Version, Emulated: emulated,
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
			Schema: s.Workspace, Stream: s.Stream, Outcome: string(s.Status), Started: r.started, Finished: finished,
			Records: s.Extracted, Rows: s.Rows, New: s.New, Changed: s.Changed, Gone: s.Gone, Rejected: s.Rejected, NewRejected: s.NewRejected,
			Requests: s.Requests, Retries: s.Retries, SyncedTo: s.SyncedTo, Backfill: s.Backfill, Error: s.Error, Hint: s.Next,
		})
		for _, reject := range s.Rejects {
			rejects = append(rejects, load.RejectRow{Schema: s.Workspace, Stream: s.Stream, Table: reject.Table, Column: reject.Column,
				Reason: reject.Reason, Count: reject.Count, Key: reject.Key})
		}
	}
	err := r.writer.use(func(work *load.Work) error {
		return work.SaveRun(context.WithoutCancel(ctx), saved, streams, rejects, report.Findings)
	})
	if err != nil {
		return fmt.Errorf("note down the run: %w", err)
	}
	return keepRejectFiles(r, report)
}

// countRejects counts what does not fit of each stream, each value once: the same number in every run until something changes. Every stream
// is settled before any is held against another whose table has the same records.
func countRejects(ctx context.Context, r *run) error {
	for _, t := range r.tasks {
		t.result.countRejects(nil)
	}
	return r.writer.use(func(work *load.Work) error {
		streams, err := work.MisfitStreams(ctx)
		if err != nil {
			return err
		}
		for _, step := range []func(t *task) error{
			func(t *task) error {
				return work.SettleMisfits(ctx, t.workspace.name, t.stream.Name, t.tables, wholeSince(t))
			},
			func(t *task) error { return work.MergeMisfits(ctx, t.workspace.name, t.stream.Name, t.tables) },
			func(t *task) error {
				noted, err := work.Misfits(ctx, t.workspace.name, t.stream.Name)
				t.result.countRejects(noted)
				return err
			},
		} {
			for _, t := range r.tasks {
				if !streams[[2]string{t.workspace.name, t.stream.Name}] || len(t.tables) == 0 {
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

// wholeSince is when a reading of all that the stream has began, if this run was one; else the zero time.
func wholeSince(t *task) time.Time {
	if t.result.Status == StatusOK && !t.result.Cut && (t.stream.Read.Since.By == "full" || t.run.options.FullRefresh) {
		return t.run.started
	}
	return time.Time{}
}

// keepRejectFiles keeps the text of records that were kept out whole, for a few days and for the operator only.
func keepRejectFiles(r *run, report *Report) error {
	dir := r.runner.Dir.RejectDir()
	files, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("look through the kept rejects: %w", err)
	}
	for _, f := range files {
		if info, err := f.Info(); err == nil && r.runner.Now().Sub(info.ModTime()) > keepRejects {
			if err := os.Remove(filepath.Join(dir, f.Name())); err != nil {
				return fmt.Errorf("remove an old reject: %w", err)
			}
		}
	}
	for _, s := range report.Streams {
		var lines []byte
		for _, text := range s.texts {
			lines = append(append(lines, text...), '\n')
		}
		if lines == nil {
			continue
		}
		name := filepath.Join(dir, r.id+"."+s.Workspace+"."+s.Stream+".jsonl")
		if err := os.WriteFile(name, lines, 0o600); err != nil {
			return fmt.Errorf("keep rejected records: %w", err)
		}
	}
	return nil
}
