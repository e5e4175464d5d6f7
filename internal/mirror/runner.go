package mirror

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"aqueduck/internal/problem"
	"aqueduck/internal/remote"
	"aqueduck/internal/runner"
)

// MirrorWarehouse makes the tables that a configuration names equal to the published file. The caller holds the lock.
func MirrorWarehouse(ctx context.Context, r *runner.Runner) (Report, error) {
	w := r.Config.Warehouse
	if w.Mirror.Location == "" {
		return Report{}, &problem.Problem{Class: "config", What: "warehouse.mirror is not set", Next: "set warehouse.mirror.location in pipelines.yaml to s3://BUCKET/PREFIX"}
	}
	t := Target{Dir: r.Dir, Location: w.Mirror.Location, Now: r.MachineNow,
		Catalog: cmp.Or(w.Mirror.Catalog, "sqlite:"+filepath.Join(string(r.Dir), "mirror.db"))}
	if w.Remote != "" {
		state := remote.ReadState(r.Dir)
		if state == nil || state.Place != w.Remote || !state.Whole {
			return Report{}, &problem.Problem{Class: "busy", What: w.Remote + " does not have the published file of this machine: the mirror waits for it", Next: "run aqueduck sync"}
		}
		t.Store, t.Epoch = state.Place, state.Epoch
	}
	for _, s := range r.Catalogue.Streams() {
		for _, masked := range r.Config.MaskedColumns(s, r.Catalogue.Streams()) {
			t.Masks = append(t.Masks, s.Name+" "+masked)
		}
	}
	for _, name := range r.Config.WorkspaceNames() {
		schema, err := r.Schema(name)
		if err != nil {
			return Report{}, err
		}
		t.Schemas = append(t.Schemas, Schema{Name: name, Tables: schema.LakeNames(), Internal: schema.Internal})
	}
	return MirrorTables(ctx, t)
}

// MirrorAlone is MirrorWarehouse for a command: it holds the lock meanwhile.
func MirrorAlone(ctx context.Context, r *runner.Runner) (report Report, err error) {
	if err := Missing(); err != nil {
		return report, err
	}
	if r.Dir.Current() == "" {
		return report, nothingPublished()
	}
	held, err := r.Lock(ctx, 0)
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, held.Release()) }()
	return MirrorWarehouse(ctx, r)
}

func nothingPublished() error {
	return &problem.Problem{Class: "config", What: "nothing is published yet", Next: "run aqueduck sync"}
}

// String says it for people.
func (r Report) String() string {
	if r.Changed == 0 {
		return fmt.Sprintf("%d tables in %s are equal to %s already", r.Tables, r.Place, r.File)
	}
	return fmt.Sprintf("%d tables in %s are equal to %s now; %d changed: %d rows added, %d removed", r.Tables, r.Place, r.File, r.Changed, r.Added, r.Removed)
}
