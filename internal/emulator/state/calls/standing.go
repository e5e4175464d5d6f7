package calls

import (
	"time"

	"aqueduck/internal/emulator/event"
)

// PastOrZero gives a time that has come by now, 0 otherwise.
func PastOrZero(at, now int64) int64 {
	if at > now {
		return 0
	}
	return at
}

// CallState is where a call stands.
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

// CallUpdatedAt is when updated_at was last moved.
func CallUpdatedAt(c *event.Call, now int64) int64 {
	return max(c.Initiated, PastOrZero(c.Answered, now), PastOrZero(c.Ended, now))
}

// CallKind is the word for how a call was made.
func CallKind(c *event.Call) string {
	if c.Messenger {
		return "messenger"
	}
	return "phone"
}

// CallDirection is the word for who called whom.
func CallDirection(c *event.Call) string {
	if c.Outbound {
		return "outbound"
	}
	return "inbound"
}

// TranscriptFinal is when the transcript is final, later by what the knob says; 0 is never.
func TranscriptFinal(c *event.Call, late time.Duration) int64 {
	if c.Transcribed == 0 {
		return 0
	}
	return c.Transcribed + int64(late/time.Second)
}

// TranscriptReady is when there is a transcript to read; 0 is never.
func TranscriptReady(c *event.Call, late time.Duration) int64 {
	if c.Failed {
		return 0
	}
	return TranscriptFinal(c, late)
}
