package population

import "aqueduck/internal/emulator/event"

// DrawHandling draws the pauses and resumptions of a conversation: a pair for every other one, in its first hours.
func DrawHandling(num int32) (list []event.HandlingEvent) {
	if num%2 == 0 {
		return nil
	}
	for n, kind := range []string{"paused", "resumed"} {
		e := event.HandlingEvent{Kind: kind, After: 3600 * int64(n+1), By: event.Admins[(int(num)+n)%len(event.Admins)]}
		if n == 0 {
			e.Reason = "snoozed"
		}
		list = append(list, e)
	}
	return list
}

// DrawSideTalks draws the side conversations of a conversation: one for every tenth.
func DrawSideTalks(num int32) []event.SideTalk {
	if num%10 != 3 {
		return nil
	}
	id := event.ConversationID(num)
	return []event.SideTalk{{ID: "8" + id, PartID: "1" + id, Body: "<p>Could you look at " + id + "?</p>", After: 7200, By: event.Admins[int(num)%len(event.Admins)],
		Files: []event.Attachment{{Name: "a.png", Type: "image/png", Size: 7, Width: 1, Height: 1}}}}
}
