package runner

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"aqueduck/internal/grammar"
	"aqueduck/internal/problem"
	"aqueduck/load"
	"aqueduck/load/access"
	"aqueduck/load/failure"
	"aqueduck/load/layout"
)

// HoldServeLock takes the lock of `serve`, which lets only one process run the schedules of a warehouse. The caller releases it.
func HoldServeLock(r *Runner) (*layout.LockHandle, error) {
	if err := r.PrepareDir(); err != nil {
		return nil, err
	}
	held, err := layout.LockServing(r.Dir)
	var busy *layout.BusyError
	if errors.As(err, &busy) {
		return nil, &problem.Problem{Class: "busy", What: "another serve runs the pipelines of this warehouse: " + busy.Holder, Next: "let that serve run them, or stop it first; its -f can also name the pipelines of another file"}
	}
	return held, err
}

// PrepareDir makes the directory of the warehouse, or recognizes it, and gives it the readers of the configuration. Its error is a problem.Problem.
func (r *Runner) PrepareDir() error {
	err := load.Prepare(r.Dir)
	if err == nil {
		err = layout.SetReaders(r.Dir, access.Readers(r.Config.Warehouse.Readers))
	}
	if err != nil {
		return NotUsable(err)
	}
	return nil
}

// CheckOwner refuses a directory that another user owns or could change. Its error is a problem.Problem.
func (r *Runner) CheckOwner() error {
	if err := layout.Trusted(r.Dir); err != nil {
		return NotUsable(err)
	}
	return nil
}

// CheckMirror refuses to change a warehouse whose mirror would stay behind, because this program has none. It is asked before the first request.
func (r *Runner) CheckMirror() error {
	if r.Config == nil || r.Config.Warehouse.Mirror.Location == "" {
		return nil
	}
	return r.NoMirror
}

// RefusedReaders is why this user cannot give the warehouse to the group of its readers; nil without a group, and where that is allowed.
func (r *Runner) RefusedReaders() error {
	return access.Readers(r.Config.Warehouse.Readers).Refused(string(r.Dir))
}

// GroupHint reports whether this machine lacks the group that is to read the warehouse, and what may be meant.
func GroupHint(group string) (hint string, unknown bool) {
	own, unknown := access.Readers{Group: group}.IsUnknown()
	hint = grammar.DidYouMean(group, own)
	if len(own) == 1 && !strings.Contains(hint, "?") {
		hint = "this user has the group " + own[0]
	}
	return hint, unknown
}

// NameRun makes the id of a run. Ids sort by the start of their runs.
func (r *Runner) NameRun() (string, error) {
	id, err := ulid.New(ulid.Timestamp(r.MachineNow()), ulid.DefaultEntropy())
	if err != nil {
		return "", fmt.Errorf("name the run: %w", err)
	}
	return id.String(), nil
}

// Lock waits for the warehouse's write lock, and logs which run it waits for. The caller releases the lock.
func (r *Runner) Lock(ctx context.Context, wait time.Duration) (*layout.LockHandle, error) {
	held, err := layout.Lock(ctx, r.Dir, 0, r.Wait)
	var busy *layout.BusyError
	if wait <= 0 || !errors.As(err, &busy) {
		return held, err
	}
	r.Log.Warn("waiting: another process writes this warehouse", "holder", busy.Holder, "at_most", wait)
	return layout.Lock(ctx, r.Dir, wait, r.Wait)
}

// NotUsable is the problem of a data directory that cannot be used.
func NotUsable(err error) *problem.Problem {
	if errors.Is(err, access.ErrNotMember) {
		return &problem.Problem{Class: "config", What: "the warehouse directory cannot be given to its readers", Err: err,
			Next: "make this user a member with usermod -aG GROUP USER and log in again, or name another group: warehouse.group"}
	}
	if errors.Is(err, access.ErrNoGroup) {
		return &problem.Problem{Class: "config", What: "the warehouse directory cannot be given to its readers", Err: err,
			Next: "create the group, or name another in warehouse.group"}
	}
	if failure.Forbidden(err) {
		return &problem.Problem{Class: "config", What: "this user cannot write to the warehouse directory", Err: err,
			Next: "run it as the owner of the warehouse, or give another directory: --dir DIR"}
	}
	const unusable = "the warehouse directory cannot be used"
	var public *layout.PublicError
	if errors.As(err, &public) {
		return &problem.Problem{Class: "config", What: unusable, Err: err, Next: "chmod o-w " + public.Path + ", or give another directory: --dir DIR"}
	}
	var owned *layout.OwnerError
	if errors.As(err, &owned) {
		return &problem.Problem{Class: "config", What: unusable, Err: err,
			Next: "run it as that user: sudo -u " + owned.Owner + " aqueduck …; or give the directory to this user with chown, or another directory: --dir DIR"}
	}
	var unmarked *layout.UnmarkedError
	if errors.As(err, &unmarked) {
		return &problem.Problem{Class: "config", What: unusable, Err: err, Next: "if this is the directory of this warehouse: " + unmarked.Restore() + "; otherwise give another: --dir DIR"}
	}
	var other *layout.FormatError
	if errors.As(err, &other) {
		return &problem.Problem{Class: "config", What: unusable, Err: err, Next: "run the version of the program that made it, or give another directory: --dir DIR"}
	}
	if replaced := (*layout.LinkReplacedError)(nil); errors.As(err, &replaced) {
		return problem.Classify(err)
	}
	return &problem.Problem{Class: "config", What: unusable, Err: err,
		Next: "give an empty directory or the directory of this warehouse, with warehouse.dir in pipelines.yaml or --dir"}
}

// LoadOptions returns the options to open the work database with.
func (r *Runner) LoadOptions(now func() time.Time, run string) load.Options {
	return load.Options{Now: now, Emulated: r.IsEmulated(), RunID: run, Memory: r.Config.Warehouse.Memory, Timezone: r.Config.Warehouse.Timezone, Keep: keptColumns(r)}
}
