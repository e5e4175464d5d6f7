package pipeline

import (
	"context"
	"errors"
	"fmt"

	"aqueduck/load"
	"aqueduck/load/publish"
)

// publishIfDue publishes in the middle of a long run.
func (r *run) publishIfDue(ctx context.Context) error {
	if ctx.Err() != nil || !isPublishDue(r) {
		return nil
	}
	r.publishMu.Lock()
	defer r.publishMu.Unlock()
	if !isPublishDue(r) { // another stream has just done it
		return nil
	}
	return r.publish(ctx)
}

// isPublishDue says that readers have waited long enough: publish.every, or, for whoever opens the file during a long first sync to
// see yesterday before last year, publish.first.
func isPublishDue(r *run) bool {
	p := r.config.Warehouse.Publish
	return !r.held.Load() && (r.writer.due(p.Every) || r.newest && !r.writer.hasPublished() && r.now().Sub(r.started) >= p.First)
}

func publishRun(ctx context.Context, r *run, more bool) error {
	r.progress.publishing(true)
	defer r.progress.publishing(false)
	r.progress.trim() // a publish needs the memory more than the batches after it
	if err := eraseGone(ctx, r); err != nil {
		return err
	}
	if err := alignHistories(ctx, r); err != nil {
		return err
	}
	result, err := r.writer.publish(ctx, more)
	var held *publish.HeldBack
	switch {
	case errors.As(err, &held) && more:
		r.held.Store(true) // the run goes on; what it still reads may explain it
		return nil
	case errors.As(err, &held):
		return holdBack(ctx, r, held)
	case err != nil:
		return err
	}
	for _, failed := range result.FailedModels {
		r.note(failed.String() + "; the model is not in the published file, everything else is")
	}
	r.reported.Published = r.reported.Published || result.Published
	r.reported.TablesChanged += result.Changed
	return nil
}

// holdBack ends a run whose readers keep what they have. The next run publishes, or says the same.
func holdBack(ctx context.Context, r *run, held *publish.HeldBack) error {
	for _, loss := range held.Losses {
		r.find(load.Finding{Schema: loss.Schema, Table: loss.Table, Kind: "exact", Name: "rows_lost", Expected: fmt.Sprint(loss.Before),
			Found: fmt.Sprint(loss.After), Message: "the table lost so many rows that the publish was held back"})
	}
	r.reported.Held, r.reported.Published = heldBack(held), false
	r.reported.Held.Next = r.runner.Given.To(r.reported.Held.Next)
	return saveRun(ctx, r)
}
