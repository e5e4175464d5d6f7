package population

import (
	"fmt"

	"aqueduck/internal/emulator/event"
)

// year is how many seconds of activity log and calls there are before hour 0.
const year = 365 * event.Day

// Busy is the part of each hour, in seconds, in which things happen. The rest is quiet, so that the index has caught up at the end of the
// hour.
const Busy = 45 * 60

// Callers are the conversations and contacts that calls are drawn from.
type Callers struct {
	Cast          *event.Cast
	Seed          uint64             // of the workspace
	Start         int64              // hour 0
	Conversations int                // their number
	Contacts      int                // their number
	Contact       func(n int) string // id of the nth contact
}

// DrawInitialCalls draws the calls of the year before hour 0. of has the numbers of the calls that are still listed, by conversation; some
// conversations have several.
func (c Callers) DrawInitialCalls(count int) (calls []event.Call, of map[int32][]int32) {
	r := event.NewRNG(c.Seed, event.ForCalls)
	of = map[int32][]int32{}
	for i := range count {
		one := c.DrawCall(r, int32(i), c.Start-year+int64(i)*(year-7200)/int64(count))
		if calls = append(calls, one); one.Removed == 0 {
			of[int32(one.Conv)] = append(of[int32(one.Conv)], one.N)
		}
	}
	return calls, of
}

// DrawCall draws the nth call.
func (c Callers) DrawCall(r *event.RNG, n int32, at int64) event.Call {
	one := event.Call{N: n, Conv: r.IntN(max(1, c.Conversations)), Contact: c.Contact(r.IntN(c.Contacts)), Admin: uint8(r.IntN(len(c.Cast.Admins))),
		Outbound: r.Chance(0.3), Messenger: n%5 == 0, Initiated: at, SearchDraw: event.NewRNG(c.Seed, event.ForCalls, 2, uint64(n)).Float64()}
	if number := r.IntN(10_000_000); !one.Messenger {
		one.Phone = fmt.Sprintf("+4930%07d", number)
	}
	one.Ended = at + 20 + int64(r.IntN(25))
	if r.Chance(0.85) {
		one.Answered = at + 3 + int64(r.IntN(15))
		one.Ended += int64(r.IntN(3000))
		one.Recorded = one.Ended + int64(r.IntN(7200))
		planTranscript(&one, r)
	}
	if r.Chance(1.0 / 40) {
		one.Removed = one.Ended + int64(r.IntN(30*event.Day))
	}
	for _, at := range []*int64{&one.Initiated, &one.Answered, &one.Ended, &one.Recorded, &one.Transcribed, &one.Removed} {
		*at = AlignToActiveTime(c.Start, *at)
	}
	return one
}

// AlignToActiveTime moves a time into the busy minutes of its hour. So two runs at the end of an hour, some seconds apart, see the same.
func AlignToActiveTime(start, at int64) int64 {
	if at == 0 {
		return 0
	}
	start %= 3600
	hour := at - (at-start)%3600
	return hour + 600 + (at-hour)*(Busy-600)/3600
}

// planTranscript draws when the transcript is final: mostly soon, one time in four a day later, sometimes days later, sometimes never.
func planTranscript(c *event.Call, r *event.RNG) {
	switch x := r.Float64(); {
	case x < 0.12:
	case x < 0.17:
		c.Failed, c.Transcribed = true, c.Ended+int64(r.IntN(event.Day))
	case x < 0.22:
		c.Transcribed = c.Ended + int64(r.IntN(6*event.Day))
	case x < 0.45:
		c.Transcribed = c.Ended + int64(r.IntN(30*3600))
	default:
		c.Transcribed = c.Ended + 60 + int64(r.IntN(600))
	}
}
