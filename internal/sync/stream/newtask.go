package stream

import (
	"context"
	"fmt"
	"slices"
	"time"

	"aqueduck/extract"
	"aqueduck/internal/runlog"
	"aqueduck/load"
	"aqueduck/schemas"
	"aqueduck/transform"
)

// childQueues returns the child streams of a stream. Each commit of the parent puts its rows into their queues, even when this run does not
// read them: a child that was read once, or that any pipeline reads, would otherwise miss those rows.
func childQueues(ctx context.Context, r *Run, w *Workspace, s *schemas.Stream) (feeds []transform.ChildStream, err error) {
	for _, other := range r.Runner.Catalogue.Streams() {
		if !isParent(s, other) {
			continue
		}
		var known load.Checkpoint
		if err := r.Writer.Use(func(work *load.Work) (err error) {
			known, err = work.Checkpoints.Checkpoint(ctx, w.Name, other.Name)
			return err
		}); err != nil {
			return nil, fmt.Errorf("stream %s: check whether %s is its child stream: %w", s.Name, other.Name, err)
		}
		if known.Seq > 0 || slices.Contains(r.Runner.StoredStreams(w.Name), other) {
			feeds = append(feeds, transform.ChildStream{Stream: other.Name, Column: other.Read.Over.Where})
		}
	}
	return feeds, nil
}

// newReader returns the reader for the kind of the task's stream.
func newReader(t *Task) streamReader {
	switch {
	case t.Days != nil:
		return t.Days
	case t.Stream.Read.UsesPendingIDs():
		return &queueReader{t}
	case t.Stream.Read.ByIDs():
		return &idReader{t}
	case t.Stream.Read.Since.By == "full":
		return &sweepReader{t}
	}
	return &listReader{t}
}

// beginRefresh begins a full refresh: the task reads from the beginning. The table is not emptied. Each record is compared with its row, and
// a different one replaces it, even when the source now states an older time. The checkpoint carries the refresh until everything is
// read, so an interrupted refresh continues in the next run. What is known of the stream stays stored until a page has come.
func beginRefresh(ctx context.Context, t *Task, work *load.Work, known extract.State, rereadAll bool) error {
	t.State = refreshState(known, rereadAll)
	if t.Base.Seq > 0 {
		known.RefreshDue = true
		t.beforePage = &known
	}
	table := t.Tables[0].Name
	if RefreshesTable(t.Run, t.Workspace, table) {
		return nil // another stream of the run that goes into the same table has begun it
	}
	if err := work.Sweeps.BeginRefresh(ctx, t.Workspace.Name, table); err != nil {
		return fmt.Errorf("stream %s: start its full refresh: %w", t.Stream.Name, err)
	}
	return nil
}

// refreshState is the state of a stream whose full refresh begins.
func refreshState(known extract.State, rereadAll bool) extract.State {
	anew := known.Anew(rereadAll)
	anew.Replace = true
	return anew
}

// noteRefreshDue stores that a full refresh is wanted, before the run may end without any request for the stream.
func noteRefreshDue(ctx context.Context, t *Task) error {
	next := t.NextCheckpoint(t.State)
	if t.beforePage == nil || next.State == t.Base.State {
		return nil
	}
	if _, err := t.Run.Writer.Commit(ctx, t.Workspace.Name, t.Stream.Name, t.Base, next, nil); err != nil {
		return fmt.Errorf("stream %s: note its full refresh: %w", t.Stream.Name, err)
	}
	t.Base = next
	return nil
}

// LeaveWatermark has the next commit store the state of a full refresh, though no page has come: an export stores the job that it asks for first.
func (t *Task) LeaveWatermark() { t.beforePage = nil }

// EndRefresh ends the full refresh of a stream that was read to its end. A stream that had nothing to ask for goes on from the state before it.
func (t *Task) EndRefresh() {
	if t.beforePage != nil {
		t.State, t.beforePage = *t.beforePage, nil
	}
	t.State.Replace, t.State.RefreshDue, t.Refreshed = false, false, true
}

// RefreshesTable reports whether a task of the run is in a full refresh of the workspace's table.
func RefreshesTable(r *Run, w *Workspace, table string) bool {
	return slices.ContainsFunc(r.Tasks, func(t *Task) bool {
		return t.Workspace == w && t.Tables[0].Name == table && t.State.Replace
	})
}

// Read reads one phase of the stream to its end, to the limits of the run, or to the first error. What arrived before that is committed.
func (t *Task) Read(ctx context.Context, phase extract.Phase) error {
	if t.Broken != nil {
		return t.Broken
	}
	return t.reader.Read(ctx, phase)
}

// NewTask makes the task of a stream: its decoder, its stored checkpoint and its reader. A dataset of exports that cannot be read gives a
// task with Broken set and no error, so that the other streams of the run go on.
func NewTask(ctx context.Context, r *Run, w *Workspace, s *schemas.Stream) (*Task, error) {
	settings := r.Config.Settings(s.Name)
	hash, drop := r.Config.MaskedNames(s)
	if s.Read.Since.By == schemas.Export {
		hash, drop = nil, nil // its columns are known once it is restored
	}
	decoder, err := transform.NewDecoder(s, transform.Options{
		APIVersion: w.Config.APIVersion, Hash: hash, Drop: drop, HashKey: r.HashKey, OmittedIsEmpty: settings.LeftOutEmpty,
	})
	if err != nil {
		return nil, fmt.Errorf("stream %s: %w", s.Name, err)
	}
	fingerprints, err := transform.NewFingerprintReader(s)
	if err != nil {
		return nil, err
	}
	t := &Task{
		Run: r, Workspace: w, Stream: s, Tables: transform.Tables(s), Decoder: decoder, listFingerprint: fingerprints, Start: settings.Start,
		Result: runlog.StreamResult{Workspace: w.Name, Stream: s.Name, Status: runlog.StatusOK},
	}
	if t.childQueues, err = childQueues(ctx, r, w, s); err != nil {
		return nil, err
	}
	if err = noteQueues(ctx, t); err != nil {
		return nil, fmt.Errorf("stream %s: %w", s.Name, err)
	}
	if err = t.restoreCheckpoint(ctx); err == nil {
		err = noteRefreshDue(ctx, t)
	}
	if err == nil && s.Read.Since.By == schemas.Export {
		if t.Broken = w.Exports.Broken[s]; t.Broken == nil && w.Exports.Readers[s.Name] != nil {
			t.Days, err = w.Exports.Readers[s.Name](t)
		}
	}
	t.reader = newReader(t)
	t.earlierShare = t.shareComplete()
	if known := w.Past[s.Name].Share; t.earlierShare == 0 && t.State.HistoryTo > 0 && known < 1 {
		t.earlierShare = known
	}
	return t, err
}

// restoreCheckpoint reads the checkpoint and the notes about incomplete records from the work database. The work database is the only source:
// the checkpoint is committed in one transaction with its rows.
func (t *Task) restoreCheckpoint(ctx context.Context) error {
	// A sweep reads every record by id anyway. A list by windows compares fingerprints, unless the state says to read all again.
	rereadAll := t.Stream.Read.Detail != nil && t.Stream.Read.Since.HasWindows()
	return t.Run.Writer.Use(func(work *load.Work) error {
		var err error
		if t.Base, err = work.Checkpoints.Checkpoint(ctx, t.Workspace.Name, t.Stream.Name); err != nil {
			return fmt.Errorf("stream %s: read its checkpoint: %w", t.Stream.Name, err)
		}
		if err := restoreDoubts(ctx, t, work); err != nil {
			return fmt.Errorf("stream %s: %w", t.Stream.Name, err)
		}
		known, err := extract.ParseState(t.Base.State)
		if err == nil && known.Version == t.Workspace.Config.APIVersion {
			t.Decoder.ExpectGroups(known.AlwaysSent, known.SometimesSent)
		}
		if t.Run.Options.FullRefresh && t.Workspace.Lost == nil {
			return beginRefresh(ctx, t, work, known, rereadAll)
		}
		if t.State = known; err != nil {
			return fmt.Errorf("stream %s: its checkpoint cannot be read: %w; next: aqueduck state reset %s", t.Stream.Name, err, t.Stream.Name)
		}
		if known.RefreshDue && t.Workspace.Lost == nil && !t.IsWindowed() {
			t.beforePage, t.State = &known, refreshState(known, rereadAll)
			return nil
		}
		if was, now := t.State.Version, t.Workspace.Config.APIVersion; Outdated(t.Stream, t.State, now) {
			t.State = known.Anew(rereadAll)
			t.State.Replace = known.Replace // a full refresh that was cut stays one
			t.Run.Reported.Notes = append(t.Run.Reported.Notes, fmt.Sprintf("%s was read under API version %s: the stream is read again under %s", t.Stream.Name, was, now))
		}
		return pullBackWatermark(ctx, t, work)
	})
}

// pullBackWatermark moves a watermark that lies in the future back to the newest stored record, and notes a finding. A watermark in the future
// was set by a wrong clock. It would hide every record until that time, so it counts only as far as stored records prove it.
func pullBackWatermark(ctx context.Context, t *Task, work *load.Work) error {
	latest := t.State.LatestTime()
	if t.Workspace.Lost != nil || t.Days != nil || !t.Workspace.Client.InFuture(latest) {
		return nil
	}
	to := t.Workspace.Client.Now()
	if column := t.Stream.TimeColumn(); column != "" {
		newest, err := work.Facts.Newest(ctx, t.Workspace.Name, t.Tables[0], column, to)
		if err != nil {
			return fmt.Errorf("stream %s: find its newest record: %w", t.Stream.Name, err)
		}
		to = newest
	}
	t.State = t.State.RewindTo(to)
	t.Run.AddFinding(load.Finding{Schema: t.Workspace.Name, Stream: t.Stream.Name, Table: t.Tables[0].Name, Kind: "soft", Name: "watermark_pulled_back",
		Expected: "at most " + formatTime(t.Workspace.Client.Now()), Found: formatTime(latest),
		Message: "the watermark was in the future; it was moved back to the newest stored record: " + formatTime(to)})
	return nil
}

// formatTime formats a time for messages: RFC 3339 in UTC, "none" for the zero time.
func formatTime(t time.Time) string {
	if t.IsZero() {
		return "none"
	}
	return t.UTC().Format(time.RFC3339)
}

// Outdated reports whether the stored rows of a stream were read under another API version, where that version sends other records.
func Outdated(s *schemas.Stream, state extract.State, version string) bool {
	return s.Outdated && state.Version != "" && state.Version != version
}
