package mirror

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"aqueduck/internal/problem"
	"aqueduck/internal/remote"
	"aqueduck/internal/runner"
)

// MirrorWarehouse makes the tables that a configuration names equal to the published file. The caller holds the lock.
func MirrorWarehouse(ctx context.Context, r *runner.Runner) (Report, error) {
	t, err := targetOf(r)
	if err != nil {
		return Report{}, err
	}
	return MirrorTables(ctx, t)
}

// errNoMirror is the error of a configuration without a mirror.
var errNoMirror = &problem.Problem{Class: "config", What: "warehouse.mirror is not set", Next: "set warehouse.mirror.location in pipelines.yaml to s3://BUCKET/PREFIX"}

// targetOf is what a configuration says of the mirror, with the head of the object store that has the published file.
func targetOf(r *runner.Runner) (Target, error) {
	w := r.Config.Warehouse
	if w.Mirror.Location == "" {
		return Target{}, errNoMirror
	}
	t, err := describeTarget(r)
	if err != nil || w.Remote == "" {
		return t, err
	}
	state := remote.ReadState(r.Dir)
	if state == nil || state.Place != w.Remote || !state.Whole {
		return Target{}, &problem.Problem{Class: "busy", What: w.Remote + " does not have the published file of this machine: the mirror waits for it", Next: "run aqueduck sync"}
	}
	t.Epoch = state.Epoch
	return t, nil
}

// describeTarget is what a configuration says of the mirror.
func describeTarget(r *runner.Runner) (Target, error) {
	w := r.Config.Warehouse
	t := Target{Store: w.Remote, Dir: r.Dir, Location: w.Mirror.Location, Now: r.MachineNow,
		Catalog: cmp.Or(w.Mirror.Catalog, "sqlite:"+filepath.Join(string(r.Dir), "mirror.db"))}
	for _, s := range r.Catalogue.Streams() {
		for _, masked := range r.Config.MaskedColumns(s, r.Catalogue.Streams()) {
			t.Masks = append(t.Masks, s.Name+" "+masked)
		}
	}
	for _, name := range r.Config.WorkspaceNames() {
		schema, err := r.Schema(name)
		if err != nil {
			return Target{}, err
		}
		keys := map[string][]string{}
		for _, stored := range schema.Tables {
			keys[stored.Name], keys[cmp.Or(stored.View, stored.Name)] = stored.Key, stored.Key
		}
		for _, made := range schema.Relations { // contacts and contacts_all have the rows of contacts_raw
			keys[made.Name] = keys[strings.TrimSuffix(made.Name, "_all")+"_raw"]
		}
		if err := takeNamedKeys(r, keys); err != nil {
			return Target{}, err
		}
		t.Schemas = append(t.Schemas, Schema{Name: name, Tables: schema.LakeNames(), Internal: schema.Internal, Keys: keys})
	}
	return t, nil
}

// takeNamedKeys adds the keys that relations name in their SQL files.
func takeNamedKeys(r *runner.Runner, keys map[string][]string) error {
	for _, s := range r.Catalogue.Streams() {
		if s.PublishAs == "" {
			continue
		}
		relations, err := r.Catalogue.Relations(s.PublishAs)
		if err != nil {
			return err
		}
		for _, made := range relations {
			if len(made.Key) > 0 {
				keys[made.Name] = made.Key
			}
		}
	}
	return nil
}

// MirrorAlone is MirrorWarehouse for a command: it holds the lock meanwhile.
func MirrorAlone(ctx context.Context, r *runner.Runner) (report Report, err error) {
	err = lockFor(ctx, r, func() error {
		report, err = MirrorWarehouse(ctx, r)
		return err
	})
	return report, err
}

// VerifyAlone is VerifyTables for a command: it holds the lock meanwhile, so that no run changes the tables.
func VerifyAlone(ctx context.Context, r *runner.Runner) (v Verified, err error) {
	err = lockFor(ctx, r, func() error {
		t, err := targetOf(r)
		if err == nil {
			v, err = VerifyTables(ctx, t)
		}
		return err
	})
	return v, err
}

// CheckOnline is CheckTables for a command. Without a mirror in the configuration there is nothing to check.
func CheckOnline(ctx context.Context, r *runner.Runner) error {
	if r.Config.Warehouse.Mirror.Location == "" {
		return nil
	}
	if err := Missing(r.Config.Warehouse.Mirror.Location); err != nil {
		return err
	}
	t, err := describeTarget(r)
	if err != nil {
		return err
	}
	return CheckTables(ctx, t)
}

// lockFor does something while no run is active.
func lockFor(ctx context.Context, r *runner.Runner, do func() error) (err error) {
	if r.Config.Warehouse.Mirror.Location == "" {
		return errNoMirror
	}
	if err := Missing(r.Config.Warehouse.Mirror.Location); err != nil {
		return err
	}
	if r.Dir.Current() == "" {
		return nothingPublished()
	}
	held, err := r.Lock(ctx, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, held.Release()) }()
	return do()
}

func nothingPublished() error {
	return &problem.Problem{Class: "data", What: "nothing is published yet", Next: "aqueduck sync"}
}

// String says it for people.
func (r Report) String() string {
	if r.Changed == 0 {
		return fmt.Sprintf("%d tables in %s are equal to %s already", r.Tables, r.Place, r.File)
	}
	return fmt.Sprintf("%d tables in %s are equal to %s now; %d changed: %d rows added, %d removed", r.Tables, r.Place, r.File, r.Changed, r.Added, r.Removed)
}
