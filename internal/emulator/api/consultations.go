package api

import (
	"aqueduck/internal/emulator/api/answer"
	"aqueduck/internal/emulator/jsontext"
	"aqueduck/internal/emulator/knobs"
	"aqueduck/internal/emulator/state/conversations"
)

// hitlEvents is GET /conversations/{id}/hitl_events: the events of all consultations that have ended, oldest first
// (workspace-api 4.11). It is not paged.
func hitlEvents(w *Handlers, q *Request) answer.Answer {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	num, known := w.FindThread(q.ID)
	if !known {
		return answer.NotFound("Conversation")
	}
	e := w.Threads[num].Newest
	mute := w.ThreadDrawer().DrawConversation(e).IsRedacted()
	var list []conversations.EndedConsultation
	if !w.K().EmptyLists && !(mute && hitlHidden(w.K().HitlRedacted, num)) {
		list = w.FindEnded(num)
	}
	p := &jsontext.Writer{Bytes: openList(nil, "list", "data")}
	for _, one := range list {
		one.Write(p, mute)
	}
	p.CloseList()
	p.Close()
	return answer.OK(p.Bytes)
}

// hitlHidden says whether a redacted conversation tells of no consultation; the others tell of them without words.
func hitlHidden(how knobs.Occurrence, num int32) bool {
	return how == knobs.Always || how == knobs.ByTurns && num%2 == 0
}
