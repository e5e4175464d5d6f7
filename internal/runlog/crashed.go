package runlog

import (
	"fmt"

	"aqueduck/internal/config"
)

// Killed is the outcome of a run that ended without a word: it was killed, or the machine was.
const Killed = "KILLED"

// exitKilled is what a shell says of a process that was killed.
const exitKilled = 137

// Killed is the end of a run that did not tell it.
func (r *Running) Killed() *PastRun {
	return &PastRun{Run: r.Run, Pipeline: r.Pipeline, Started: ToMicroseconds(r.Started), Finished: ToMicroseconds(r.At), Outcome: Killed, Exit: exitKilled,
		Rows: r.Rows, Requests: r.Requests, Backfill: r.Percent / 100, Narrow: r.Narrow, CaughtUp: r.CaughtUp, Try: r.Try, Class: "interrupted",
		Error: "the run crashed or was killed; committed data is intact", Next: "aqueduck sync " + r.Pipeline,
		Line: fmt.Sprintf("%s %s published=no run=%s", Killed, r.Pipeline, r.Run)}
}

// IsCatchUp says that a run of the schedule that did not come to its end is made up for when the program starts again: as a time that
// was missed. One that is killed each time is not for ever.
func IsCatchUp(p *config.Pipeline, e *PastRun) bool {
	if p.Schedule == nil || !p.CatchUp || e.Try == 0 || e.CalledOff {
		return false
	}
	return e.Outcome == "INTERRUPTED" || e.Outcome == Killed && e.Try < Tries()
}

// crashedItem is what a run that was lost needs: somebody, where nothing makes up for it.
func crashedItem(p *config.Pipeline, e *PastRun) ActionItem {
	n := ActionItem{Pipeline: p.Name, Run: e.Run, Class: e.Class, What: e.Error, Next: e.Next}
	catchUp := IsCatchUp(p, e)
	if n.Act = !catchUp && e.RetryAt.IsZero(); catchUp && e.RetryAt.IsZero() {
		n.What += "; aqueduck serve starts a catch-up run when it starts"
	}
	return n
}
