package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"aqueduck/extract"
	"aqueduck/internal/problem"
	"aqueduck/load"
)

// Read asks for what earlier runs left incomplete, reads the list on, asks for what came incomplete, and for those who vanished from it.
func (t *listReader) Read(ctx context.Context, phase extract.Phase) error {
	if phase == extract.Forward {
		if err := askNoted(ctx, t.Task); err != nil || t.Result.Cut {
			return err
		}
	}
	req := t.phaseRequest(phase)
	if err := reachKnown(ctx, t.Task, &req); err != nil {
		return err
	}
	if err := t.readPages(ctx, req); err != nil || t.Result.Cut {
		return err
	}
	if err := askDoubted(ctx, t.Task); err != nil || t.Result.Cut {
		return err
	}
	return t.reconcileList(ctx)
}

// AskedAtOnce is how many records a reconciliation reads by id for one batch.
const AskedAtOnce = 150

// reconcileList holds the whole list against what is stored, now and then: what search no longer has was deleted, what it has
// and is not stored was told too late. Both are asked for by id, so that only the API's own word counts.
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
	if err != nil || t.Result.Cut {
		return err
	}
	ids, err := t.unmatchedIDs(ctx, listed)
	if err != nil {
		return err
	}
	reader := extract.NewReader(t.Workspace.Client, t.phaseRequest(extract.Forward))
	for chunk := range slices.Chunk(ids, AskedAtOnce) {
		if t.Result.Cut = t.ShouldStop(); t.Result.Cut {
			return t.Commit(ctx)
		}
		page, err := reader.ReadByID(ctx, chunk)
		page.State = t.State
		if failed := t.addPage(page); failed != nil {
			return failed
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
	t.State.Reconciled = now.Unix()
	return t.Commit(ctx)
}

// doneWithin says that something was done within a span. A time that is still to come was taken from a clock that was wrong.
func doneWithin(then int64, span time.Duration, now time.Time) bool {
	ago := now.Sub(time.Unix(then, 0))
	return ago >= 0 && ago < span
}

// listKeys are the keys that the whole list has, down to the beginning of what is wanted. Records that a list has whole are
// stored as they are met: what changed without a sign is found so.
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
	t.Result.Cut = true
	return nil, t.Commit(ctx)
}

// unmatchedIDs are the ids that only one of the list and the table has. A list that lacks a large share of the table is not
// believed without the operator: it may be the search that is ill.
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
