package adminlog

import (
	"slices"
	"sort"
	"time"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
	"aqueduck/internal/emulator/state/core"
)

// AdminLog is the admins' activity log.
type AdminLog struct {
	*core.Core
	ActionLog []event.AdminAction // ordered by time
}

// SimulateAdminHour logs the actions of admins in a simulated hour, a few at most.
func (w *AdminLog) SimulateAdminHour(base int64) {
	r, seed := event.NewRNG(w.Setup.Seed, event.ForLogs, 1, uint64(w.HoursLived)), w.Setup.Seed
	for range r.IntN(4) {
		w.Happen(base+600+int64(r.IntN(population.Busy-600)), func(at int64) {
			w.AddActions([]event.AdminAction{population.DrawAction(w.Setup.Cast, seed, r, int32(len(w.ActionLog)), at, w.Setup.Start.Unix())})
		})
	}
}

// AddActions inserts entries by their time. It makes a new list, because readers may still use the old one.
func (w *AdminLog) AddActions(acts []event.AdminAction) {
	w.ActionLog = append(slices.Clip(w.ActionLog), acts...)
	population.SortActions(w.ActionLog)
}

// AddRandomActions logs n drawn actions within a span of time that ends now (trap T84: thousands in an hour, or in a second).
func (w *AdminLog) AddRandomActions(n int, within time.Duration) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	seed := w.Setup.Seed
	r := event.NewRNG(seed, event.ForLogs, 2, uint64(len(w.ActionLog)))
	acts, end := make([]event.AdminAction, n), w.UnixNow()
	for i := range acts {
		acts[i] = population.DrawAction(w.Setup.Cast, seed, r, int32(len(w.ActionLog)+i), end-r.TimeBetween(0, max(1, int64(within/time.Second))), w.Setup.Start.Unix())
		acts[i].ListedAt = end
	}
	w.AddActions(acts)
}

// ActionsBetween returns the entries between two times, the newest first.
func (w *AdminLog) ActionsBetween(after, before int64) []event.AdminAction {
	if w.K().EmptyLists {
		return nil
	}
	if w.K().LogBoundsOut {
		after, before = after+1, before-1
	}
	from := sort.Search(len(w.ActionLog), func(i int) bool { return w.ActionLog[i].At >= after })
	to := sort.Search(len(w.ActionLog), func(i int) bool { return w.ActionLog[i].At > before })
	var found []event.AdminAction
	for i := to - 1; i >= from; i-- {
		late := int64(event.NewRNG(w.Setup.Seed, event.ForLogs, 3, uint64(w.ActionLog[i].N)).Float64() * w.K().LogLag.Seconds())
		if w.ActionLog[i].At+late <= w.UnixNow() {
			found = append(found, w.ActionLog[i])
		}
	}
	return found
}
