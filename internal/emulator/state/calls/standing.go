package calls

import (
	"time"

	"aqueduck/internal/emulator/event"
)

// PastOrZero returns a time that has come by now, and 0 for a later one.
func PastOrZero(at, now int64) int64 {
	if at > now {
		return 0
	}
	return at
}

// CallState returns the state of a call, and the reason of a call that ended without an answer.
func CallState(c *event.Call, now int64) (state, reason string) {
	switch {
	case c.Ended <= now && c.Answered == 0:
		return "ended", "no_answer"
	case c.Ended <= now:
		return "ended", "hung_up"
	case c.Answered > 0 && c.Answered <= now:
		return "answered", ""
	}
	return "ringing", ""
}

// CallUpdatedAt returns when updated_at last moved.
func CallUpdatedAt(c *event.Call, now int64) int64 {
	return max(c.Initiated, PastOrZero(c.Answered, now), PastOrZero(c.Ended, now))
}

// CallKind returns the word for how a call was made.
func CallKind(c *event.Call) string {
	if c.Messenger {
		return "messenger"
	}
	return "phone"
}

// CallDirection returns the word for who called.
func CallDirection(c *event.Call) string {
	if c.Outbound {
		return "outbound"
	}
	return "inbound"
}

// TranscriptFinal returns when the transcript is final, with the delay of the knob; 0 is never.
func TranscriptFinal(c *event.Call, late time.Duration) int64 {
	if c.Transcribed == 0 {
		return 0
	}
	return c.Transcribed + int64(late/time.Second)
}

// TranscriptReady returns when a transcript can be read; 0 is never.
func TranscriptReady(c *event.Call, late time.Duration) int64 {
	if c.Failed {
		return 0
	}
	return TranscriptFinal(c, late)
}
