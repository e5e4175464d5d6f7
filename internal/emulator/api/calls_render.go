package api

import (
	"fmt"
	"strconv"
	"time"

	"aqueduck/internal/emulator/api/render"
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/jsontext"
	"aqueduck/internal/emulator/state/calls"
)

// AppendCall writes a call in its state at a time, without the closing brace. Addresses are signed anew in each answer. Every other call has
// its times as text (api-notes, Conventions).
func (w *Handlers) AppendCall(b []byte, c *event.Call, n int, now int64) []byte {
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
			value = fmt.Sprintf("%s?X-Signature=%016x&expires=%d", render.MediaURL(c, what), event.MixBits(uint64(n)), now+600)
		}
		text(name, value)
	}
	b = append(append(append(b, `{"type":"call","id":"`...), event.CallID(c.N)...), '"')
	text("conversation_id", calls.ConversationID(c.Conv))
	b = append(b, `,"admin_id":`...)
	if c.Answered > 0 && c.Answered <= now {
		b = strconv.AppendInt(b, w.Setup.Cast.Admins[c.Admin].ID, 10)
	} else {
		b = append(b, `null`...)
	}
	text("contact_id", c.Contact)
	state, reason := calls.CallState(c, now)
	text("state", state)
	text("call_type", calls.CallKind(c))
	text("direction", calls.CallDirection(c))
	text("phone", c.Phone)
	when("initiated_at", c.Initiated)
	when("answered_at", calls.PastOrZero(c.Answered, now))
	when("ended_at", calls.PastOrZero(c.Ended, now))
	text("ended_reason", reason)
	when("created_at", c.Initiated)
	when("updated_at", calls.CallUpdatedAt(c, now))
	signed("recording_url", "recording", c.Recorded)
	signed("transcription_url", "transcript", calls.TranscriptReady(c, w.K().TranscriptLate))
	return b
}

// appendTranscript writes the fields that search adds to a call: nothing before the call ends, then the status of the transcript if it ever
// gets one. A list with one empty object means that there is no transcript (workspace-api 4.11).
func (w *Handlers) appendTranscript(b []byte, c *event.Call) []byte {
	now, final := w.UnixNow(), calls.TranscriptFinal(c, w.K().TranscriptLate)
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
	b = render.AppendTranscriptLines(append(b, `,"transcript":`...), w.Setup.Origin.CallLines(c.N))
	return append(b, `,"transcript_status":"completed"`...)
}
