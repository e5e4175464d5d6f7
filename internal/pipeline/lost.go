package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"aqueduck/load/layout"
)

// ErrCalledOff is why a run ends that somebody did not want: no time of its schedule is owed it.
var ErrCalledOff = errors.New("somebody called the run off")

// Killed is the outcome of a run that ended without a word: it was killed, or the machine was.
const Killed = "KILLED"

// exitKilled is what a shell says of a process that was killed.
const exitKilled = 137

// NoteCrashed notes down a run that ended without a word, where there is one, and tells of it unless it is made up for at once. It is for who
// begins the runs of a schedule. Where something runs now nothing is lost.
func NoteCrashed(ctx context.Context, r *Runner) error {
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
	if p, ok := r.Config.Pipeline(past.Pipeline); !ok || !isCatchUp(p, past) {
		notifyRunEnded(ctx, r, past)
	}
	return nil
}

// noteCrashedRun turns what a run that was killed has left into a note of how it ended; nil where none has. The caller holds the lock: nobody
// else runs.
func noteCrashedRun(r *Runner) (*PastRun, error) {
	text, err := os.ReadFile(r.Dir.RunFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for a run that was lost: %w", err)
	}
	var left Running
	if json.Unmarshal(text, &left) != nil || left.Run == "" {
		return nil, nil // whatever wrote it is no run of ours, and the next one replaces it
	}
	ends, err := readEnds(r.Dir)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(ends, func(e PastRun) bool { return e.Run == left.Run }) {
		return nil, nil // it had said how it ended
	}
	past := left.killed()
	if err := past.note(r.Dir); err != nil {
		return nil, fmt.Errorf("note down that run %s was lost: %w", left.Run, err)
	}
	r.Log.Warn("a run ended without a word: it was killed, or the machine was; what it committed is safe", "pipeline", left.Pipeline, "run", left.Run)
	return past, r.Dir.Explain(os.Remove(r.Dir.RunFile()))
}

// killed is the end of a run that did not tell it.
func (r *Running) killed() *PastRun {
	return &PastRun{Run: r.Run, Pipeline: r.Pipeline, Started: toMicro(r.Started), Finished: toMicro(r.At), Outcome: Killed, Exit: exitKilled,
		Rows: r.Rows, Requests: r.Requests, Backfill: r.Percent / 100, Narrow: r.Narrow, CaughtUp: r.CaughtUp, Try: r.Try, Class: "interrupted",
		Error: "the run ended without a word: it was killed, or the machine was; what it committed is safe", Next: "aqueduck sync " + r.Pipeline,
		Line: fmt.Sprintf("%s %s published=no run=%s", Killed, r.Pipeline, r.Run)}
}

// isCatchUp says that a run of the schedule that did not come to its end is made up for when the program starts again: as a time that
// was missed. One that is killed each time is not for ever.
func isCatchUp(p *Pipeline, e *PastRun) bool {
	if p.Schedule == nil || !p.CatchUp || e.Try == 0 || e.CalledOff {
		return false
	}
	return e.Outcome == "INTERRUPTED" || e.Outcome == Killed && e.Try < Tries()
}

// CatchUpTry is which run of its last time a pipeline has still to have, for the one before was interrupted or lost; 0 where it
// owes none.
func CatchUpTry(r *Runner, p *Pipeline) (try int) {
	ends, err := readEnds(r.Dir)
	if err != nil {
		r.Log.Warn("it cannot be told whether a run is to be made up for", "pipeline", p.Name, "error", err)
		return 0
	}
	for _, e := range slices.Backward(ends) {
		switch {
		case e.Pipeline != p.Name || e.Narrow:
		case e.Try == 0 && e.Outcome != "OK": // by hand, and no answer to what is owed
		case !isCatchUp(p, &e):
			return 0
		case e.Outcome == Killed:
			return e.Try + 1
		default:
			return e.Try
		}
	}
	return 0
}

// crashedItem is what a run that was lost needs: somebody, where nothing makes up for it.
func crashedItem(p *Pipeline, e *PastRun) Need {
	n := Need{Pipeline: p.Name, Run: e.Run, Class: e.Class, What: "a run ended without a word; what it committed is safe", Next: "aqueduck sync " + p.Name}
	if n.Act = !isCatchUp(p, e); !n.Act {
		n.What += "; aqueduck serve makes up for it when it starts"
	}
	return n
}

// calledOff says that a run was ended by somebody who did not want it.
func calledOff(ctx context.Context) bool { return errors.Is(context.Cause(ctx), ErrCalledOff) }
