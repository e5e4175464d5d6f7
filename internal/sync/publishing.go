package sync

import (
	"context"
	"errors"
	"fmt"

	"aqueduck/internal/problem"
	"aqueduck/internal/runner"
	"aqueduck/internal/sync/stream"
	"aqueduck/load"
	"aqueduck/load/failure"
	"aqueduck/load/publish"
)

func publishRun(ctx context.Context, r *stream.Run, more bool) error {
	r.Progress.Publishing(true)
	defer r.Progress.Publishing(false)
	r.Progress.Trim() // a publish needs the memory more than the batches after it
	if err := eraseGone(ctx, r); err != nil {
		return err
	}
	if err := alignHistories(ctx, r); err != nil {
		return err
	}
	result, err := r.Writer.Publish(ctx, more)
	var held *failure.PublishBlocked
	switch {
	case errors.As(err, &held) && more:
		r.Held.Store(true) // the run goes on; what it still reads may explain it
		return nil
	case errors.As(err, &held):
		return holdBack(ctx, r, held)
	case err != nil:
		return err
	}
	for _, failed := range result.FailedModels {
		r.AddNote(failed.String() + "; the published file has everything but this model")
	}
	r.Reported.Published = r.Reported.Published || result.Published
	r.Reported.TablesChanged += result.Changed
	return nil
}

// holdBack ends a run whose readers keep what they have. The next run publishes, or says the same.
func holdBack(ctx context.Context, r *stream.Run, held *failure.PublishBlocked) error {
	for _, loss := range held.Losses {
		r.AddFinding(load.Finding{Schema: loss.Schema, Table: loss.Table, Kind: "exact", Name: "rows_lost", Expected: fmt.Sprint(loss.Before),
			Found: fmt.Sprint(loss.After), Message: "the publish guard held the publish back: the table lost too many rows"})
	}
	r.Reported.Held, r.Reported.Published = problem.ClassifyHeldBack(held), false
	r.Reported.Held.Next = r.Runner.Given.Append(r.Reported.Held.Next)
	return saveRun(ctx, r)
}

// publishSpec says what the published file holds.
func publishSpec(r *runner.Runner, id string, workspaces []*stream.Workspace) (publish.Spec, error) {
	spec := publish.Spec{RunID: id, Keep: r.Config.Warehouse.Publish.Keep, Now: r.Now, Timezone: r.Config.Warehouse.Timezone, Program: r.Program,
		Memory: r.Config.Warehouse.Memory, MaxLoss: r.Config.Warehouse.Publish.MaxLoss, NoLake: r.NoLake}
	for _, w := range workspaces {
		schema, err := r.Schema(w.Name)
		if err != nil {
			return spec, err
		}
		spec.Schemas = append(spec.Schemas, schema)
	}
	return spec, nil
}
