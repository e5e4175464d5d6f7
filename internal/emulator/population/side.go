package population

import "aqueduck/internal/emulator/event"

// drawHandling draws the pauses and resumptions of a conversation: a pair for every other one, in its first hours.
func drawHandling(cast *event.Cast, num int32) (list []event.HandlingEvent) {
	if num%2 == 0 {
		return nil
	}
	for n, kind := range []string{"paused", "resumed"} {
		e := event.HandlingEvent{Kind: kind, After: 3600 * int64(n+1), By: cast.Admins[(int(num)+n)%len(cast.Admins)]}
		if n == 0 {
			e.Reason = "snoozed"
		}
		list = append(list, e)
	}
	return list
}

// drawSideTalks draws the side conversations of a conversation: one for every tenth.
func drawSideTalks(cast *event.Cast, num int32) []event.SideTalk {
	if num%10 != 3 {
		return nil
	}
	id := event.ConversationID(num)
	return []event.SideTalk{{ID: "8" + id, PartID: "1" + id, Body: "<p>Could you look at " + id + "?</p>", After: 7200, By: cast.Admins[int(num)%len(cast.Admins)],
		Files: []event.Attachment{{Name: "a.png", Type: "image/png", Size: 7, Width: 1, Height: 1}}}}
}
