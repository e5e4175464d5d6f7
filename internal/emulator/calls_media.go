package emulator

import (
	"net/http"
	"strconv"

	"aqueduck/internal/emulator/event"
)

// listedCall finds a call that is listed now.
func (w *callDesk) listedCall(id string) *event.Call {
	now := w.now()
	for i := range w.calls {
		if c := &w.calls[i]; event.CallID(c.N) == id && isListed(c, now) {
			return c
		}
	}
	return nil
}

// callRecording is GET /calls/{id}/recording: it leads to storage, at an address signed for this answer (workspace-api 4.11,
// trap T90).
func callRecording(w *server, q *request) answer {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.listedCall(q.id)
	if c == nil || reached(c.Recorded, w.now()) == 0 {
		return notFound("Recording")
	}
	signature := strconv.FormatUint(event.Mix(w.cfg.Seed^uint64(q.n)), 16)
	return answer{status: http.StatusFound, header: map[string]string{"Location": mediaURL(c, "recording") + "?X-Signature=" + signature}}
}

// callTranscript is GET /calls/{id}/transcript: one empty object where there is none (workspace-api 4.11, trap T88).
func callTranscript(w *server, q *request) answer {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.listedCall(q.id)
	switch {
	case c == nil:
		return notFound("Call")
	case reached(transcriptReady(c, w.k().TranscriptLate), w.now()) == 0:
		return ok([]byte(`[{}]`))
	}
	return ok(appendLines(c, nil, w.cfg.Seed))
}
