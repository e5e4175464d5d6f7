package sync

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"aqueduck/internal/config"
	"aqueduck/internal/dictionary"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/internal/sync/stream"
	"aqueduck/load"
	"aqueduck/load/failure"
	"aqueduck/load/publish"
	"aqueduck/load/read"
)

// publishRun publishes what is committed. Erasures and histories come first, because both change what the file shows. more says that the run
// goes on: then a publish that the guard blocks is no error.
func publishRun(ctx context.Context, r *stream.Run, more bool) error {
	r.Progress.Publishing(true)
	defer r.Progress.Publishing(false)
	r.Progress.BeginStep("erasures")
	r.Progress.Trim() // a publish needs the memory more than the batches after it
	if err := eraseGone(ctx, r); err != nil {
		return err
	}
	if err := alignHistories(ctx, r); err != nil {
		return err
	}
	result, err := r.Writer.Publish(ctx, more)
	var blocked *failure.PublishBlocked
	switch {
	case errors.As(err, &blocked) && more:
		r.PublishHeld.Store(true) // the run goes on: rows that it still reads may make up for the loss
		return nil
	case errors.As(err, &blocked):
		return holdBack(ctx, r, blocked)
	case err != nil:
		return err
	}
	reportModels(r, result.FailedModels)
	for _, note := range result.Lacking {
		if !slices.Contains(r.Reported.Notes, note) {
			r.AddNote(note)
		}
	}
	if !more {
		reportOmitted(ctx, r)
	}
	if result.Removed != nil {
		r.AddNote(filesRemoved + ": " + result.Removed.Error())
	}
	r.Reported.Published = r.Reported.Published || result.Published
	r.Reported.Unchanged = result.Unchanged && !r.Reported.Published
	r.Reported.Drifted = r.Reported.Drifted || result.Drifted
	r.Reported.TablesChanged += result.Changed
	r.Progress.BeginStep("reports")
	sendPublished(ctx, r)
	return nil
}

// reportModels logs and notes each model that is not in the published file, once in a run. A later publish of the run may have it.
func reportModels(r *stream.Run, failed []publish.FailedModel) {
	var missing []string
	for _, model := range failed {
		text := model.String()
		if note := text + "; the published file has everything but this model"; !slices.Contains(r.Reported.Notes, note) {
			r.AddNote(note)
			r.Runner.Log.Warn("the published file lacks a model", "error", text, "next", modelStep(model))
		}
		missing = append(missing, text)
	}
	r.Reported.MissingModels = strings.Join(missing, "; ")
}

// modelStep is what to do about a model that is not in the published file. The program's own ones lack nothing but memory, where conversations have millions of parts.
func modelStep(model publish.FailedModel) string {
	if !model.Own && errors.Is(model.Err, failure.ErrQueryMemory) {
		return "set warehouse: {memory: 400MB} in pipelines.yaml (default 200MB), or twice what it has, then run the same command again"
	}
	return "correct the file, then run the same command again"
}

// reportOmitted logs and notes each model of a user that the published file lacks because no pipeline reads the streams of its tables.
func reportOmitted(ctx context.Context, r *stream.Run) {
	omitted := dictionary.FindOmitted(r.Runner.Catalogue, r.Config)
	if len(omitted) == 0 {
		return
	}
	var schemas []string
	for _, workspace := range r.Config.WorkspaceNames() {
		schemas = append(schemas, config.ModelSchema(workspace))
	}
	made := map[string]bool{}
	err := read.Query(ctx, r.Runner.Dir.Readable(), "SELECT table_name FROM information_schema.tables WHERE table_schema IN ('"+strings.Join(schemas, "', '")+"')",
		func(_ []string, row []any) error {
			if row != nil {
				made[fmt.Sprint(row[0])] = true
			}
			return nil
		})
	for _, o := range omitted {
		if err == nil && !made[o.Model.Name] {
			r.AddNote(o.Model.File + ": " + o.String())
			r.Runner.Log.Warn("the published file lacks a model", "file", o.Model.File, "error", o.String(), "next", o.NextStep())
			missing := fmt.Sprintf("%s: %s (%s)", o.Model.File, o, o.NextStep())
			r.Reported.MissingModels = strings.TrimPrefix(r.Reported.MissingModels+"; "+missing, "; ")
		}
	}
}

// holdBack ends a run whose publish the guard blocked: the readers keep their file, and the findings say which tables lost rows. The next run
// publishes, or reports the same.
func holdBack(ctx context.Context, r *stream.Run, held *failure.PublishBlocked) error {
	for _, loss := range held.Losses {
		r.AddFinding(load.Finding{Schema: loss.Schema, Table: loss.Table, Kind: "exact", Name: "rows_lost", Expected: fmt.Sprint(loss.Before),
			Found: fmt.Sprint(loss.After), Message: "the publish guard held the publish back: the table lost too many rows"})
	}
	older, err := runlog.BeganFromOlder(r.Runner.Dir)
	if err != nil {
		return err
	}
	r.Reported.Held, r.Reported.Published = problem.ClassifyHeldBack(held), false
	if older || strings.HasPrefix(r.Reported.Restored, failure.PublishedUnusable) {
		r.Reported.Held = problem.ClassifyNotReread(held)
	}
	r.Reported.Held.Next = r.Runner.Given.Append(r.Reported.Held.Next)
	return saveRun(ctx, r)
}

// publishSpec describes what the published file contains.
func publishSpec(r *runner.Runner, id string, workspaces []*stream.Workspace) (publish.Spec, error) {
	spec := publish.Spec{RunID: id, Keep: r.Config.Warehouse.Publish.Keep, Now: r.Now, Emulated: r.IsEmulated(), Timezone: r.Config.Warehouse.Timezone, Program: r.Program,
		Memory: r.Config.Warehouse.Memory, MaxLoss: r.Config.Warehouse.Publish.MaxLoss, NoLake: r.NoLake,
		LakeEvery: r.Config.Warehouse.Parquet.Every, DropLake: r.Config.Warehouse.Parquet.None}
	for _, w := range workspaces {
		schema, err := r.Schema(w.Name)
		if err != nil {
			return spec, err
		}
		spec.Schemas = append(spec.Schemas, schema)
	}
	return spec, nil
}
