package api

import (
	"encoding/json"
	"net/http"

	"aqueduck/internal/emulator/api/answer"
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/state/calls"
)

// listCalls serves GET /calls (workspace-api 4.11). The document promises no order.
func listCalls(w *Handlers, q *Request) answer.Answer {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	now := w.UnixNow()
	var list []int
	for i := range w.CallList {
		if calls.IsListed(&w.CallList[i], now) {
			list = append(list, i)
		}
	}
	seed := uint64(7)
	if w.K().CallsShuffled {
		seed = uint64(now / 3600)
	}
	r := event.NewRNG(w.Setup.Seed, event.ForShuffle, seed)
	for i := len(list) - 1; i > 0; i-- {
		j := r.IntN(i + 1)
		list[i], list[j] = list[j], list[i]
	}
	return w.answerNumberedPage(q, 25, 25, len(list), func(b []byte, i int) []byte {
		return append(w.AppendCall(b, &w.CallList[list[i]], q.N, now), '}')
	})
}

// oneCall serves GET /calls/{id}.
func oneCall(w *Handlers, q *Request) answer.Answer {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	if c := w.FindListed(q.ID); c != nil {
		return answer.OK(append(w.AppendCall(nil, c, q.N, w.UnixNow()), '}'))
	}
	return answer.NotFound("Call")
}

// mostConversations is how many conversations /calls/search takes at once (workspace-api 8).
const mostConversations = 20

// searchCalls serves POST /calls/search: the calls of conversations, with their transcripts. A call that search does not have is missing from
// the answer, without an error.
func searchCalls(w *Handlers, q *Request) answer.Answer {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	var sent struct {
		IDs []json.Number `json:"conversation_ids"`
	}
	if err := json.Unmarshal(q.Body, &sent); err != nil || len(sent.IDs) == 0 || len(sent.IDs) > mostConversations {
		return answer.Failure(http.StatusBadRequest, "parameter_invalid", "conversation_ids must be a list of 1 to 20 ids")
	}
	asked := map[string]bool{}
	for _, id := range sent.IDs {
		asked[id.String()] = true
	}
	b := openList(nil, "list", "data")
	for i := range w.CallList {
		c := &w.CallList[i]
		if !asked[calls.ConversationID(c.Conv)] || !calls.IsListed(c, w.UnixNow()) || c.SearchDraw < w.K().CallsLeftOut || w.K().EmptyLists {
			continue
		}
		if b[len(b)-1] == '}' {
			b = append(b, ',')
		}
		b = w.AppendCall(b, c, q.N, w.UnixNow())
		b = append(w.appendTranscript(b, c), '}')
	}
	return answer.OK(append(b, `]}`...))
}
