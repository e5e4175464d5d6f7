package population

import (
	"fmt"
	"slices"

	"aqueduck/internal/emulator/event"
)

// drawAdminActions draws the entries of the activity log in the year before hour 0.
func drawAdminActions(cast *event.Cast, seed uint64, start int64, count int) []event.AdminAction {
	r := event.NewRNG(seed, event.ForLogs)
	acts := make([]event.AdminAction, count)
	for i := range acts {
		acts[i] = DrawAction(cast, seed, r, int32(i), r.TimeBetween(start-year, start), start)
	}
	// Actions that happen once, or once for each former admin, take the last numbers, if there are enough.
	if once := len(cast.Former) + 1; count >= 8*once {
		for i := range cast.Former {
			acts[count-1-i] = NewAction(seed, event.AdminAction{At: cast.LeftAt(i, start), N: int32(count - 1 - i), Kind: event.AdminDeleted, Other: uint8(len(cast.Admins) + i)})
		}
		acts[count-once] = NewAction(seed, event.AdminAction{At: start - 200*event.Day, N: int32(count - once), Kind: event.TimeZoneChanged, Zone: &[2]string{"Europe/Berlin", "UTC"}})
	}
	SortActions(acts)
	return acts
}

// DrawAction draws the nth entry of the activity log, at a time.
func DrawAction(cast *event.Cast, seed uint64, r *event.RNG, n int32, at, start int64) event.AdminAction {
	return NewAction(seed, event.AdminAction{At: at, N: n, Kind: event.ActionKind(r.IntN(int(event.DrawnActions))), Admin: uint8(adminAt(cast, r, at, start))})
}

// NewAction fills in what is drawn by an entry's number.
func NewAction(seed uint64, a event.AdminAction) event.AdminAction {
	a.ID, a.Count = event.ActionID(seed, a.N), int(a.N)%97
	if a.N%23 != 7 {
		a.IP = fmt.Sprintf("198.51.100.%d", int(a.N)%250)
	}
	return a
}

// SortActions sorts entries by time.
func SortActions(acts []event.AdminAction) {
	slices.SortStableFunc(acts, func(a, b event.AdminAction) int { return int(a.At - b.At) })
}

// adminAt draws an admin of a time, as an index in Cast.Everyone.
func adminAt(cast *event.Cast, r *event.RNG, at, start int64) int {
	n := r.IntN(len(cast.Everyone))
	if former := n - len(cast.Admins); former >= 0 && at >= cast.LeftAt(former, start) {
		return former
	}
	return n
}
