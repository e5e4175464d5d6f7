package emulator

import (
	"fmt"
	"strconv"
	"time"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/jsontext"
	"aqueduck/internal/emulator/population"
)

// reached gives a time that has come by now, 0 otherwise.
func reached(at, now int64) int64 {
	if at > now {
		return 0
	}
	return at
}

// callStanding is where a call stands.
func callStanding(c *event.Call, now int64) (state, reason string) {
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

// callMoved is when updated_at was last moved.
func callMoved(c *event.Call, now int64) int64 {
	return max(c.Initiated, reached(c.Answered, now), reached(c.Ended, now))
}

func callKind(c *event.Call) string {
	if c.Messenger {
		return "messenger"
	}
	return "phone"
}

func callDirection(c *event.Call) string {
	if c.Outbound {
		return "outbound"
	}
	return "inbound"
}

// transcriptFinal is when the transcript is final, later by what the knob says; 0 is never.
func transcriptFinal(c *event.Call, late time.Duration) int64 {
	if c.Transcribed == 0 {
		return 0
	}
	return c.Transcribed + int64(late/time.Second)
}

// mediaURL is an address of storage that belongs to a call.
func mediaURL(c *event.Call, what string) string {
	return "https://media.example/calls/" + event.CallID(c.N) + "/" + what
}

// appendCall writes a call as it is at a time, without its closing brace. Addresses are signed anew in each answer. Every other call has its
// times as text (api-notes, Conventions).
func (w *server) appendCall(b []byte, c *event.Call, n int, now int64) []byte {
	text := func(name, value string) {
		b = append(append(append(b, `,"`...), name...), `":`...)
		b = jsontext.AppendText(b, value)
	}
	when := func(name string, at int64) {
		if c.N%2 == 1 && at > 0 {
			text(name, time.Unix(at, 0).UTC().Format("2006-01-02T15:04:05.000Z"))
			return
		}
		b = append(append(append(b, `,"`...), name...), `":`...)
		b = jsontext.AppendTime(b, at)
	}
	signed := func(name, what string, at int64) {
		value := ""
		if at > 0 && at <= now {
			value = fmt.Sprintf("%s?X-Signature=%016x&expires=%d", mediaURL(c, what), event.Mix(uint64(n)), now+600)
		}
		text(name, value)
	}
	b = append(append(append(b, `{"type":"call","id":"`...), event.CallID(c.N)...), '"')
	text("conversation_id", conversationID(c.Conv))
	b = append(b, `,"admin_id":`...)
	if c.Answered > 0 && c.Answered <= now {
		b = strconv.AppendInt(b, event.Admins[c.Admin].ID, 10)
	} else {
		b = append(b, `null`...)
	}
	text("contact_id", c.Contact)
	state, reason := callStanding(c, now)
	text("state", state)
	text("call_type", callKind(c))
	text("direction", callDirection(c))
	text("phone", c.Phone)
	when("initiated_at", c.Initiated)
	when("answered_at", reached(c.Answered, now))
	when("ended_at", reached(c.Ended, now))
	text("ended_reason", reason)
	when("created_at", c.Initiated)
	when("updated_at", callMoved(c, now))
	signed("recording_url", "recording", c.Recorded)
	signed("transcription_url", "transcript", transcriptReady(c, w.k().TranscriptLate))
	return b
}

// transcriptReady is when there is a transcript to read; 0 is never.
func transcriptReady(c *event.Call, late time.Duration) int64 {
	if c.Failed {
		return 0
	}
	return transcriptFinal(c, late)
}

// appendTranscript writes what search adds to a call: nothing before its end; then how the transcript stands, where
// anything ever becomes of it. A list of one empty object is the word for none (workspace-api 4.11).
func (w *server) appendTranscript(b []byte, c *event.Call) []byte {
	now, final := w.now(), transcriptFinal(c, w.k().TranscriptLate)
	if c.Ended > now {
		return b
	}
	switch {
	case final == 0:
		return append(b, `,"transcript":[{}]`...)
	case final > now:
		return append(b, `,"transcript":[{}],"transcript_status":"pending"`...)
	case c.Failed:
		return append(b, `,"transcript":[{}],"transcript_status":"failed"`...)
	}
	b = appendLines(c, append(b, `,"transcript":`...), w.cfg.Seed)
	return append(b, `,"transcript_status":"completed"`...)
}

// appendLines writes what was said.
func appendLines(c *event.Call, b []byte, seed uint64) []byte {
	b = append(b, '[')
	for i, line := range population.CallLines(seed, c.N) {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, `{"speaker":"`...), line.Speaker...), `","text":`...)
		b = jsontext.AppendString(b, line.Text)
		b = append(b, `,"start":`...)
		b = strconv.AppendFloat(b, line.Start, 'f', -1, 64)
		b = append(b, `,"end":`...)
		b = append(strconv.AppendFloat(b, line.End, 'f', -1, 64), '}')
	}
	return append(b, ']')
}
