package sync

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"aqueduck/internal/config"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/load"
	"aqueduck/load/failure"
	"aqueduck/load/layout"
	"aqueduck/load/tombstone"
)

// FindRefusals returns why a run would refuse the directory of the warehouse as it is now: its owner, rights and group, its mark, a damaged erasure log,
// emulator.json or hash.key, published files without a checksum, and data of the other kind of workspace. It changes nothing. What this user may not
// read is left out: the owner's run may.
func FindRefusals(ctx context.Context, r *runner.Runner) (found []*problem.Problem) {
	if err := layout.Refused(r.Dir); err != nil {
		found = append(found, runner.NotUsable(err))
	}
	if err := r.RefusedReaders(); err != nil {
		found = append(found, runner.NotUsable(err))
	}
	if _, err := tombstone.Read(r.Dir); err != nil && !failure.Forbidden(err) {
		found = append(found, problem.Classify(fmt.Errorf("read the erasures: %w", err)))
	}
	text, err := os.ReadFile(r.Dir.EmulatorFile())
	if err == nil {
		var any json.RawMessage
		err = json.Unmarshal(text, &any)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !failure.Forbidden(err) {
		found = append(found, runlog.DamagedEmulator(r.Dir, err))
	}
	var damaged *problem.Problem
	if _, err := ReadHashKey(r); errors.As(err, &damaged) && !failure.Forbidden(err) {
		found = append(found, damaged)
	}
	if err := layout.RefuseUnsummed(r.Dir); err != nil {
		found = append(found, problem.Classify(fmt.Errorf("%w: %w", failure.ErrNoWholeFile, err)))
	}
	return append(found, findMixedKinds(ctx, r)...)
}

// findMixedKinds returns why the warehouse, as its published file shows, takes no workspace of the kind that the configuration names.
func findMixedKinds(ctx context.Context, r *runner.Runner) (found []*problem.Problem) {
	pinned := map[string]load.Workspace{}
	err := runlog.WithPublished(ctx, r.Dir, func(f runlog.PublishedDB) error {
		return f.Query(ctx, "SELECT schema, id, emulated FROM _sync.workspaces", func(_ []string, row []any) error {
			if row != nil {
				pinned[runlog.AsText(row[0])] = load.Workspace{Schema: runlog.AsText(row[0]), ID: runlog.AsText(row[1]), Emulated: row[2] == true}
			}
			return nil
		})
	})
	if err != nil && !errors.Is(err, failure.ErrNothingPublished) {
		r.Log.Debug("the workspaces of the published file were not read", "error", err)
	}
	for _, name := range r.Config.WorkspaceNames() {
		url, _, err := r.Config.Connect(name, r.Config.Lookup)
		if err != nil {
			continue // a run fails for this reason before any other
		}
		if refused := RefuseKind(r.Dir, name, url == config.Emulator, pinned[name], len(pinned) > 0); refused != nil {
			found = append(found, refused)
		}
	}
	return found
}
