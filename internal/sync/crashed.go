package sync

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"aqueduck/internal/config"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/internal/sandbox"
	"aqueduck/load/layout"
)

// ErrCancelled is the cause of a context that a person cancelled. No catch-up run follows a cancelled run.
var ErrCancelled = errors.New("the run was cancelled")

// orphansEnd is how long the process of a run may need to end after its parent was killed.
const orphansEnd = 3 * time.Second

// RecordCrashedRun notes the end of a crashed run, if there is one, and sends alerts unless a catch-up run follows at once. `serve` calls it when
// it starts. It does nothing while a run holds the lock.
func RecordCrashedRun(ctx context.Context, r *runner.Runner) error {
	if _, err := os.Stat(r.Dir.RunFile()); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	lock, err := layout.Lock(ctx, r.Dir, orphansEnd, r.Wait)
	var busy *layout.BusyError
	if errors.As(err, &busy) {
		return nil
	}
	if err != nil {
		return err
	}
	past, err := noteCrashedRun(r)
	if err = errors.Join(err, lock.Release()); err != nil || past == nil {
		return err
	}
	if p, ok := r.Config.Pipeline(past.Pipeline); !ok || !runlog.IsCatchUp(p, past) {
		notifyRunEnded(ctx, r, past, driftOfRun(ctx, r, past.Run, nil))
	}
	return nil
}

// noteCrashedRun turns the run.json of a killed run into a note of its end; nil when there is none. The caller holds the lock, so no run is under
// way.
func noteCrashedRun(r *runner.Runner) (*runlog.PastRun, error) {
	text, err := os.ReadFile(r.Dir.RunFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for a crashed run: %w", err)
	}
	var left runlog.Running
	if json.Unmarshal(text, &left) != nil || left.Run == "" {
		return nil, nil // not written by a run of this program; the next run replaces it
	}
	ends, err := runlog.ReadRunNotes(r.Dir)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(ends, func(e runlog.PastRun) bool { return e.Run == left.Run }) {
		return nil, nil // the run noted its end itself
	}
	past := left.Killed()
	if err := past.Save(r.Dir); err != nil {
		return nil, fmt.Errorf("record that run %s crashed: %w", left.Run, err)
	}
	logged, _ := keepLog(r, left.Run)
	logged.Log.Warn("a run crashed or was killed; committed data is intact", "pipeline", left.Pipeline, "run", left.Run)
	return past, r.Dir.Explain(os.Remove(r.Dir.RunFile()))
}

// RecordDiedRun notes a run whose process ended before it could report, sends alerts and plans a retry. began is what the parent knew when the run
// started; the rest comes from run.json.
func RecordDiedRun(ctx context.Context, r *runner.Runner, p *config.Pipeline, began runlog.Running, reason error) error {
	past, err := noteDiedRun(ctx, r, p, began, reason)
	if err != nil || past == nil {
		return err
	}
	logged, _ := keepLog(r, past.Run)
	logged.Log.Error("the process of a run crashed; committed data is intact", "pipeline", past.Pipeline, "run", past.Run, "error", reason, "next", past.Next)
	notifyRunEnded(ctx, r, past, driftOfRun(ctx, r, past.Run, nil))
	return nil
}

// noteDiedRun writes the note for RecordDiedRun; nil when another process has already written it.
func noteDiedRun(ctx context.Context, r *runner.Runner, p *config.Pipeline, began runlog.Running, reason error) (past *runlog.PastRun, err error) {
	// Another process that finds the run.json would note the run without a reason; the lock keeps it from that. One that already has the
	// lock has noted the run, and the notes below show it.
	if lock, busy := layout.Lock(context.WithoutCancel(ctx), r.Dir, 0, r.Wait); busy == nil {
		defer func() { err = errors.Join(err, lock.Release()) }()
	}
	ends, err := runlog.ReadRunNotes(r.Dir)
	if err != nil || slices.ContainsFunc(ends, func(e runlog.PastRun) bool { return e.Run == began.Run }) {
		return nil, err
	}
	var left runlog.Running
	text, err := os.ReadFile(r.Dir.RunFile())
	own := err == nil && json.Unmarshal(text, &left) == nil && left.Run == began.Run
	if !own {
		left = began
	}
	past = left.Killed()
	past.Cancelled = isCancelled(ctx)
	past.Error, past.Next = problem.Shorten(reason.Error())+"; committed data is intact", r.Given.Append(nextStepAfterDeath(past.Run, reason))
	scheduleRetry(r, past, p)
	if err := past.Save(r.Dir); err != nil || !own {
		return past, err
	}
	return past, r.Dir.Explain(os.Remove(r.Dir.RunFile()))
}

// nextStepAfterDeath returns the next step after the process of a run has died.
func nextStepAfterDeath(run string, reason error) string {
	var died *sandbox.ProcessDied
	if errors.As(reason, &died) && (died.OutOfMemory() || died.State == "signal: killed") {
		return "if it was not you who killed it, give the program more memory, or lower warehouse.memory where it is set"
	}
	return "see how far the run came: aqueduck runs show " + run + "; if each run ends like this, remove the stream, model or SQL that was processed last"
}

// isCancelled reports whether a person cancelled the run.
func isCancelled(ctx context.Context) bool { return errors.Is(context.Cause(ctx), ErrCancelled) }
