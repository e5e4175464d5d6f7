package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"aqueduck/extract"
	"aqueduck/extract/api"
	"aqueduck/internal/problem"
	"aqueduck/load"
)

// Read first reads the records that earlier runs noted as incomplete, then the list, then the records that this run found incomplete. Last it
// reconciles.
func (t *listReader) Read(ctx context.Context, phase extract.Phase) error {
	if phase == extract.Forward {
		if err := rereadNoted(ctx, t.Task); err != nil || t.Result.Cut {
			return err
		}
	}
	req := t.phaseRequest(phase)
	if err := extendToNewestStored(ctx, t.Task, &req); err != nil {
		return err
	}
	if err := t.readPages(ctx, req); err != nil || t.Result.Cut {
		return err
	}
	if err := rereadIncomplete(ctx, t.Task); err != nil || t.Result.Cut {
		return err
	}
	return t.reconcileList(ctx)
}

// IDsPerBatch is the number of records that are read by id for one batch.
const IDsPerBatch = 150

// reconcileList compares the whole list with the stored rows, at most once per `reconcile` of the stream file. A row that search no longer returns
// may be deleted; a listed record without a row came too late for its window. Both are read by id: search may be out of date, and only the
// record's own answer decides.
func (t *listReader) reconcileList(ctx context.Context) error {
	now := t.Workspace.Client.Now()
	if t.Stream.Reconcile == 0 || t.Run.Options.Limit > 0 || t.IsWindowed() || t.BackfillPending() || doneWithin(t.State.Reconciled, t.Stream.Reconcile, now) {
		return nil
	}
	if t.State.Reconciled == 0 { // the history was read a moment ago
		t.State.Reconciled = now.Unix()
		return t.Commit(ctx)
	}
	listed, err := t.listKeys(ctx)
	if err != nil {
		return err
	}
	if listed == nil {
		return endUnfinished(ctx, t.Task, now)
	}
	ids, err := t.unmatchedIDs(ctx, listed)
	if err != nil {
		return err
	}
	reader := extract.NewReader(t.Workspace.Client, t.phaseRequest(extract.Forward))
	for chunk := range slices.Chunk(ids, IDsPerBatch) {
		if t.ShouldStop() {
			return endUnfinished(ctx, t.Task, now)
		}
		page, err := reader.ReadByID(ctx, chunk)
		page.State = t.State
		if failed := t.addPage(page); failed != nil {
			return failed
		}
		if errors.Is(err, api.ErrBudget) {
			return endUnfinished(ctx, t.Task, now)
		}
		if err != nil {
			return errors.Join(err, t.Commit(ctx))
		}
		if t.batchFull() {
			if err := t.Commit(ctx); err != nil {
				return err
			}
		}
	}
	t.State.Reconciled, t.State.ReconcileCut = now.Unix(), 0
	return t.Commit(ctx)
}

// doneWithin reports whether a time, in Unix seconds, lies within a span before now. A time in the future does not count: a wrong clock has set
// it.
func doneWithin(then int64, span time.Duration, now time.Time) bool {
	ago := now.Sub(time.Unix(then, 0))
	return ago >= 0 && ago < span
}

// listKeys returns the keys of the whole list, down to the configured start. A list that carries complete records is also stored on the way, which
// finds changes without a new update time. It returns nil when the run stopped before the end of the list.
func (t *listReader) listKeys(ctx context.Context) (map[string]bool, error) {
	req := t.phaseRequest(extract.Forward)
	req.State, req.Since = extract.State{}, time.Unix(1, 0)
	if t.Start.After(req.Since) {
		req.Since = t.Start
	}
	listed := map[string]bool{}
	reader := extract.NewReader(t.Workspace.Client, req)
	for !t.ShouldStop() {
		page, err := reader.Next(ctx)
		if errors.Is(err, io.EOF) {
			return listed, t.Commit(ctx)
		}
		if errors.Is(err, api.ErrBudget) {
			break
		}
		if err != nil {
			return nil, errors.Join(err, t.Commit(ctx))
		}
		if t.Stream.Read.Detail == nil {
			page.State = t.State
			if err := t.addPage(page); err != nil {
				return nil, err
			}
		}
		for _, record := range page.Records {
			if key, ok := extract.RecordKey(t.Stream, record.Raw); ok {
				listed[key] = true
			}
		}
		if t.batchFull() {
			if err := t.Commit(ctx); err != nil {
				return nil, err
			}
		}
	}
	return nil, t.Commit(ctx)
}

// endUnfinished ends a reconciliation that a limit of the run has cut. The next run begins it again, because only a whole list proves that a record is gone. Where
// runs have cut it for as long as is usual between two of them, the run fails: rows may be deleted at the source.
func endUnfinished(ctx context.Context, t *Task, now time.Time) error {
	if t.State.ReconcileCut == 0 {
		t.State.ReconcileCut = now.Unix()
	}
	if doneWithin(t.State.ReconcileCut, t.Stream.Reconcile, now) {
		return t.Commit(ctx)
	}
	since := time.Unix(t.State.Reconciled, 0).UTC().Format(time.DateOnly)
	t.Run.AddFinding(load.Finding{Schema: t.Workspace.Name, Stream: t.Stream.Name, Table: t.Tables[0].Name, Kind: "exact", Name: "reconcile_overdue", Expected: t.Stream.Reconcile.String(), Found: since,
		Message: fmt.Sprintf("the whole list was last compared with the table on %s, and each run ends before the list does; records that were deleted since may still be here", since),
		Next:    "raise max_time and max_requests of the pipeline, or read this stream in a pipeline of its own"})
	return t.Commit(ctx)
}

// unmatchedIDs returns the ids that are only in the list or only in the table. A list that lacks a large share of the table may come from a broken
// search: then it returns an error, unless the operator accepts the loss.
func (t *listReader) unmatchedIDs(ctx context.Context, listed map[string]bool) (ids []string, err error) {
	var stored int
	err = t.Run.Writer.Use(func(work *load.Work) error {
		return work.Facts.EachKey(ctx, t.Workspace.Name, t.Tables[0], t.Start, func(key string) {
			stored++
			if !listed[key] {
				ids = append(ids, key)
			}
			delete(listed, key)
		})
	})
	if err != nil {
		return nil, fmt.Errorf("stream %s: compare the list with what is stored: %w", t.Stream.Name, err)
	}
	if vanished := len(ids); vanished > GuardRows && float64(vanished) > GuardShare*float64(stored) && !t.Run.Options.AcceptsDrop(t.Tables[0].Name, t.Stream.Name) {
		return nil, &problem.Problem{Class: "data",
			What: fmt.Sprintf("stream %s: %d of %d rows are no longer in the list; no row was requested by id", t.Stream.Name, vanished, stored),
			Next: "check the source; if the rows are really gone: aqueduck sync --accept-drop " + t.Stream.Name}
	}
	for key := range listed {
		ids = append(ids, key)
	}
	slices.Sort(ids)
	return ids, nil
}
