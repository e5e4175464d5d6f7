package population

import (
	"strconv"

	"aqueduck/internal/emulator/event"
)

// DrawDeletions draws the conversations that were deleted in the year before hour 0. No reader has seen them: their ids are below those of
// existing conversations.
func DrawDeletions(seed uint64, start int64, conversations int) []event.Deletion {
	list := make([]event.Deletion, (conversations+49)/50)
	for i := range list {
		r := event.NewRNG(seed, event.ForDeletion, uint64(i))
		list[i].ID = strconv.FormatInt(event.ThreadBase-7*int64(i+1), 10)
		list[i].At = start - 365*event.Day + (364*event.Day*int64(i)+int64(r.IntN(event.Day)))/int64(len(list))
		list[i].KeepsMetrics = KeepsMetrics(seed, list[i].ID)
	}
	return list
}

// KeepsMetrics reports whether a deleted conversation's figures stay in the reports.
func KeepsMetrics(seed uint64, id string) bool {
	return event.NewRNG(seed, event.ForDeletion, 1, event.Fingerprint(id)).Chance(0.6)
}
