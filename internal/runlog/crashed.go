package runlog

import (
	"fmt"

	"aqueduck/internal/config"
)

// Killed is the outcome of a crashed run: its process was killed, or the machine went down.
const Killed = "KILLED"

// exitKilled is the exit code that a shell reports for a killed process.
const exitKilled = 137

// Killed returns the note of a crashed run, from what its run.json says.
func (r *Running) Killed() *PastRun {
	return &PastRun{Run: r.Run, Pipeline: r.Pipeline, Started: ToMicroseconds(r.Started), Finished: ToMicroseconds(r.At), Outcome: Killed, Exit: exitKilled,
		Rows: r.Rows, Requests: r.Requests, Backfill: r.Percent / 100, Narrow: r.Narrow, CaughtUp: r.CaughtUp, Try: r.Try, Class: "interrupted",
		Error: "the run crashed or was killed; committed data is intact", Next: "aqueduck sync " + r.Pipeline,
		Line: fmt.Sprintf("%s %s published=no run=%s", Killed, r.Pipeline, r.Run)}
}

// IsCatchUp reports whether `serve` starts a catch-up run for a scheduled run that was interrupted or crashed. A run that crashes every time is
// not started again for ever.
func IsCatchUp(p *config.Pipeline, e *PastRun) bool {
	if p.Schedule == nil || !p.CatchUp || e.Try == 0 || e.Cancelled {
		return false
	}
	return e.Outcome == "INTERRUPTED" || e.Outcome == Killed && e.Try < Tries()
}

// crashedItem returns what a crashed run needs: a person's action, when no catch-up run and no retry follows.
func crashedItem(p *config.Pipeline, e *PastRun) ActionItem {
	n := ActionItem{Pipeline: p.Name, Run: e.Run, Class: e.Class, What: e.Error, Next: e.Next}
	catchUp := IsCatchUp(p, e)
	if n.Act = !catchUp && e.RetryAt.IsZero(); catchUp && e.RetryAt.IsZero() {
		n.What += "; aqueduck serve starts a catch-up run when it starts"
	}
	return n
}
