package runlog

import (
	"aqueduck/internal/config"
)

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
