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

// ErrCalledOff is why a run ends that somebody did not want: no time of its schedule is owed it.
var ErrCalledOff = errors.New("the run was cancelled")

// orphansEnd is how long the process of a run may take to end when the one that began it was killed.
const orphansEnd = 3 * time.Second

// RecordCrashedRun notes down a run that ended without a word, where there is one, and tells of it unless it is made up for at once. It is for who
// begins the runs of a schedule. Where something runs now nothing is lost.
func RecordCrashedRun(ctx context.Context, r *runner.Runner) error {
	if _, err := os.Stat(r.Dir.RunFile()); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	held, err := layout.Lock(ctx, r.Dir, orphansEnd, r.Wait)
	var busy *layout.BusyError
	if errors.As(err, &busy) {
		return nil
	}
	if err != nil {
		return err
	}
	past, err := noteCrashedRun(r)
	if err = errors.Join(err, held.Release()); err != nil || past == nil {
		return err
	}
	if p, ok := r.Config.Pipeline(past.Pipeline); !ok || !runlog.IsCatchUp(p, past) {
		notifyRunEnded(ctx, r, past)
	}
	return nil
}

// noteCrashedRun turns what a run that was killed has left into a note of how it ended; nil where none has. The caller holds the lock: nobody
// else runs.
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
		return nil, nil // whatever wrote it is no run of ours, and the next one replaces it
	}
	ends, err := runlog.ReadRunNotes(r.Dir)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(ends, func(e runlog.PastRun) bool { return e.Run == left.Run }) {
		return nil, nil // it had said how it ended
	}
	past := left.Killed()
	if err := past.Save(r.Dir); err != nil {
		return nil, fmt.Errorf("record that run %s crashed: %w", left.Run, err)
	}
	r.Log.Warn("a run crashed or was killed; committed data is intact", "pipeline", left.Pipeline, "run", left.Run)
	return past, r.Dir.Explain(os.Remove(r.Dir.RunFile()))
}

// RecordDiedRun notes down a run whose process ended for some reason before it had said how the run did, tells of it, and has it tried again as
// one that failed for what heals by itself. What is known of the run is what it began with, and what it has left.
func RecordDiedRun(ctx context.Context, r *runner.Runner, p *config.Pipeline, began runlog.Running, reason error) error {
	past, err := noteDiedRun(ctx, r, p, began, reason)
	if err != nil || past == nil {
		return err
	}
	r.Log.Error("the process of a run crashed; committed data is intact", "pipeline", past.Pipeline, "run", past.Run, "error", reason, "next", past.Next)
	notifyRunEnded(ctx, r, past)
	return nil
}

// noteDiedRun notes down what RecordDiedRun does; nil where that was done.
func noteDiedRun(ctx context.Context, r *runner.Runner, p *config.Pipeline, began runlog.Running, reason error) (past *runlog.PastRun, err error) {
	// Without the lock another process might note it, which knows no reason. One that has the lock by now did.
	if held, busy := layout.Lock(context.WithoutCancel(ctx), r.Dir, 0, r.Wait); busy == nil {
		defer func() { err = errors.Join(err, held.Release()) }()
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
	past.CalledOff = calledOff(ctx)
	past.Error, past.Next = problem.Shorten(reason.Error())+"; committed data is intact", r.Given.Append(nextOfDied(past.Run, reason))
	planAnother(r, past, p)
	if err := past.Save(r.Dir); err != nil || !own {
		return past, err
	}
	return past, r.Dir.Explain(os.Remove(r.Dir.RunFile()))
}

// nextOfDied is what to do about a run whose process ended.
func nextOfDied(run string, reason error) string {
	var died *sandbox.ProcessDied
	if errors.As(reason, &died) && (died.OutOfMemory() || died.State == "signal: killed") {
		return "give the program more memory, or DuckDB less: warehouse: {memory: 512MB}"
	}
	return "see how far the run came: aqueduck runs show " + run + "; if each run ends like this, remove the stream, model or SQL that was processed last"
}

// calledOff says that a run was ended by somebody who did not want it.
func calledOff(ctx context.Context) bool { return errors.Is(context.Cause(ctx), ErrCalledOff) }
