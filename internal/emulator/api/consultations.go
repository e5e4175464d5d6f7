package api

import (
	"aqueduck/internal/emulator/api/answer"
	"aqueduck/internal/emulator/jsontext"
	"aqueduck/internal/emulator/knobs"
	"aqueduck/internal/emulator/state/conversations"
)

// hitlEvents serves GET /conversations/{id}/hitl_events: the events of all consultations that have ended, oldest first (workspace-api 4.11).
// The list is not paged.
func hitlEvents(w *Handlers, q *Request) answer.Answer {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	num, known := w.FindThread(q.ID)
	if !known {
		return answer.NotFound("Conversation")
	}
	e := w.Threads[num].Newest
	redacted := w.ThreadDrawer().DrawConversation(e).IsRedacted()
	var list []conversations.ConsultationEvent
	if !w.K().EmptyLists && !(redacted && areConsultationsHidden(w.K().HitlRedacted, num)) {
		list = w.FindEndedEvents(num)
	}
	p := &jsontext.Writer{Bytes: openList(nil, "list", "data")}
	for _, one := range list {
		one.Write(p, redacted)
	}
	p.CloseList()
	p.Close()
	return answer.OK(p.Bytes)
}

// areConsultationsHidden reports whether a redacted conversation sends no consultation events. Otherwise it sends them without their texts.
func areConsultationsHidden(how knobs.Occurrence, num int32) bool {
	return how == knobs.Always || how == knobs.ByTurns && num%2 == 0
}
