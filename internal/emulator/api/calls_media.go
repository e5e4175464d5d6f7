package api

import (
	"net/http"
	"strconv"

	"aqueduck/internal/emulator/api/answer"
	"aqueduck/internal/emulator/api/render"
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/state/calls"
)

// callRecording serves GET /calls/{id}/recording: it redirects to storage, at an address signed for this answer (workspace-api 4.11, trap
// T90).
func callRecording(w *Handlers, q *Request) answer.Answer {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	c := w.FindListed(q.ID)
	if c == nil || calls.PastOrZero(c.Recorded, w.UnixNow()) == 0 {
		return answer.NotFound("Recording")
	}
	signature := strconv.FormatUint(event.MixBits(w.Setup.Seed^uint64(q.N)), 16)
	return answer.Answer{Status: http.StatusFound, Header: map[string]string{"Location": render.MediaURL(c, "recording") + "?X-Signature=" + signature}}
}

// callTranscript serves GET /calls/{id}/transcript: one empty object where there is no transcript (workspace-api 4.11, trap T88).
func callTranscript(w *Handlers, q *Request) answer.Answer {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	c := w.FindListed(q.ID)
	switch {
	case c == nil:
		return answer.NotFound("Call")
	case calls.PastOrZero(calls.TranscriptReady(c, w.K().TranscriptLate), w.UnixNow()) == 0:
		return answer.OK([]byte(`[{}]`))
	}
	return answer.OK(render.AppendTranscriptLines(nil, w.Setup.Origin.CallLines(c.N)))
}
