package sync

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/load/layout"
)

// ErrCalledOff is why a run ends that somebody did not want: no time of its schedule is owed it.
var ErrCalledOff = errors.New("somebody called the run off")

// NoteCrashed notes down a run that ended without a word, where there is one, and tells of it unless it is made up for at once. It is for who
// begins the runs of a schedule. Where something runs now nothing is lost.
func NoteCrashed(ctx context.Context, r *runner.Runner) error {
	if _, err := os.Stat(r.Dir.RunFile()); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	held, err := layout.Lock(ctx, r.Dir, 0, r.Wait)
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
		return nil, fmt.Errorf("look for a run that was lost: %w", err)
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
		return nil, fmt.Errorf("note down that run %s was lost: %w", left.Run, err)
	}
	r.Log.Warn("a run ended without a word: it was killed, or the machine was; what it committed is safe", "pipeline", left.Pipeline, "run", left.Run)
	return past, r.Dir.Explain(os.Remove(r.Dir.RunFile()))
}

// calledOff says that a run was ended by somebody who did not want it.
func calledOff(ctx context.Context) bool { return errors.Is(context.Cause(ctx), ErrCalledOff) }
