package contacts

import (
	"slices"
	"sort"
	"time"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/knobs"
)

// CountExpired returns how many of the oldest activities are beyond the retention.
func (w *Book) CountExpired() int {
	if w.K().Retention == 0 {
		return 0
	}
	since := w.UnixNow() - int64(w.K().Retention/time.Second)
	return sort.Search(len(w.Feed), func(i int) bool { return w.ContactLog[w.Feed[i]].At >= since })
}

// HasArrived reports whether the activity at an index is in the feed yet.
func (w *Book) HasArrived(i int) bool {
	most := w.K().ActivityLag
	if most == 0 {
		return true
	}
	r := event.NewRNG(w.Setup.Seed, event.ForLag, 1, uint64(i))
	return w.ContactLog[w.Feed[i]].At+int64(r.Float64()*most.Seconds()) <= w.UnixNow()
}

// isActivity reports whether the feed contains events of a kind.
func isActivity(k event.ContactKind) bool {
	switch k {
	case event.Created, event.RoleChanged, event.Merged, event.MergeFailed, event.Deleted:
		return true
	}
	return false
}

// ListInactive returns the inactive contacts in the order of the knob. n is the number of the request, for the random order.
func (w *Book) ListInactive(n int) []int32 {
	if w.InactiveStale {
		w.inactive = w.inactive[:0]
		for num := range w.List {
			if w.List[num].Listed {
				w.inactive = append(w.inactive, int32(num))
			}
		}
		slices.SortStableFunc(w.inactive, func(a, b int32) int { return int(w.List[b].Since - w.List[a].Since) })
		if w.K().DeletedOrder == knobs.OrderOldest {
			slices.Reverse(w.inactive)
		}
		w.InactiveStale = false
	}
	if w.K().DeletedOrder != knobs.OrderRandom {
		return w.inactive
	}
	list, r := slices.Clone(w.inactive), event.NewRNG(w.Setup.Seed, event.ForShuffle, uint64(n))
	for i := len(list) - 1; i > 0; i-- {
		j := r.IntN(i + 1)
		list[i], list[j] = list[j], list[i]
	}
	return list
}

// ListedAs returns the status of a contact in the list of inactive ones: one of the five of workspace-api 3.1. A contact deleted by DELETE is
// listed as pending_deletion.
func (s Status) ListedAs() string {
	if s == Deleted {
		return PendingDeletion.String()
	}
	return s.String()
}
