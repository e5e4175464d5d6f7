package sync

import (
	"context"
	"errors"
	"slices"

	"aqueduck/internal/dictionary"
	"aqueduck/internal/runner"
	"aqueduck/internal/sync/stream"
	"aqueduck/internal/sync/warehouse"
	"aqueduck/load/failure"
	"aqueduck/load/layout"
)

// WithWarehouse calls do with the published warehouse opened for writing. It holds the lock, and applies all erasures and prepares all tables
// first. It closes the Writer; do publishes if it wants to, and the object store gets what it published.
func WithWarehouse(ctx context.Context, r *runner.Runner, do func(*warehouse.Writer, []*stream.Workspace) error) (err error) {
	if err := r.CheckMirror(); err != nil {
		return err
	}
	if r.Dir.Current() == "" && r.Config.Warehouse.Remote == "" {
		return failure.ErrNothingPublished
	}
	if err := r.PrepareDir(); err != nil {
		return err
	}
	lock, err := layout.Lock(ctx, r.Dir, 0, r.Wait)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	if _, err := TakeRemote(ctx, r); err != nil {
		return err
	}
	if r.Dir.Current() == "" {
		return failure.ErrNothingPublished
	}
	unchanged, _, err := resumeErasures(ctx, r)
	if unchanged != nil {
		err = unchanged.Close()
	}
	if err != nil {
		return err
	}
	w, workspaces, err := openAll(ctx, r)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	if err := prepareAll(ctx, r, w, workspaces); err != nil {
		return err
	}
	if err := do(w, workspaces); err != nil {
		return err
	}
	note, err := SendRemote(ctx, r)
	if note != "" {
		r.Log.Warn(note)
	}
	if err != nil {
		return err
	}
	notes, err := MirrorPublished(ctx, r)
	for _, note := range notes {
		r.Log.Warn(note)
	}
	return err
}

// openAll opens the work database for every workspace of the configuration. The caller holds the lock, and closes the Writer.
func openAll(ctx context.Context, r *runner.Runner) (*warehouse.Writer, []*stream.Workspace, error) {
	id, err := r.NameRun()
	if err != nil {
		return nil, nil, err
	}
	var workspaces []*stream.Workspace
	for _, name := range r.Config.WorkspaceNames() {
		workspaces = append(workspaces, &stream.Workspace{Name: name, Config: r.Config.Workspaces[name]})
	}
	spec, err := publishSpec(r, id, workspaces)
	if err != nil {
		return nil, nil, err
	}
	w, err := warehouse.OpenWriter(ctx, r.Dir, r.LoadOptions(r.Now, id), spec, r.Catalogue)
	return w, workspaces, err
}

func prepareAll(ctx context.Context, r *runner.Runner, w *warehouse.Writer, workspaces []*stream.Workspace) error {
	for _, each := range workspaces {
		streams := r.StoredStreams(each.Name)
		_, datasets, err := w.AdoptDatasets(ctx, each.Name, streams)
		if err != nil {
			return err
		}
		if streams, _, err = w.EvolveStreams(ctx, each.Name, streams, func(string) bool { return false }); err != nil {
			return err
		}
		if _, err := w.Prepare(ctx, each.Name, dictionary.Tables(slices.Concat(streams, datasets))); err != nil {
			return err
		}
	}
	return nil
}
