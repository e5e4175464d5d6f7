package adminlog

import (
	"slices"
	"sort"
	"time"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
	"aqueduck/internal/emulator/state/core"
)

// AdminLog keeps the admins' activity log.
type AdminLog struct {
	*core.Core
	ActionLog []event.AdminAction // in the order of time
}

// SimulateAdminHour lets admins do something in an hour of life, a few times at most.
func (w *AdminLog) SimulateAdminHour(base int64) {
	r, seed := event.NewRNG(w.Setup.Seed, event.ForLogs, 1, uint64(w.HoursLived)), w.Setup.Seed
	var acts []event.AdminAction
	for i := range r.IntN(4) {
		acts = append(acts, population.DrawAction(seed, r, int32(len(w.ActionLog)+i), base+600+int64(r.IntN(population.Busy-600)), w.Setup.Start.Unix()))
	}
	w.AddActions(acts)
}

// AddActions puts entries in their places. What others hold of the list stays as it is.
func (w *AdminLog) AddActions(acts []event.AdminAction) {
	w.ActionLog = append(slices.Clip(w.ActionLog), acts...)
	population.SortActions(w.ActionLog)
}

// AddRandomActions lets admins do n things within a span of time that ends now (trap T84: thousands in an hour, or in a second).
func (w *AdminLog) AddRandomActions(n int, within time.Duration) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	seed := w.Setup.Seed
	r := event.NewRNG(seed, event.ForLogs, 2, uint64(len(w.ActionLog)))
	acts, end := make([]event.AdminAction, n), w.UnixNow()
	for i := range acts {
		acts[i] = population.DrawAction(seed, r, int32(len(w.ActionLog)+i), end-r.TimeBetween(0, max(1, int64(within/time.Second))), w.Setup.Start.Unix())
		acts[i].Put = end
	}
	w.AddActions(acts)
}

// ActionsBetween gives the entries between two times, the newest first.
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
