package api

import (
	"aqueduck/internal/emulator/api/answer"
	"aqueduck/internal/emulator/apiversion"
	"aqueduck/internal/emulator/search"
	"aqueduck/internal/emulator/state/conversations"
)

// searchConversations serves POST /conversations/search: like contact search, without parts (trap T54).
func searchConversations(w *Handlers, q *Request) answer.Answer {
	return w.searchThreads(q, &w.ConversationIndex, [2]string{"conversation.list", w.conversationsKey()}, func() func(b []byte, e *conversations.Edition) []byte {
		render, from := w.ConvRenderer(q), w.ThreadDrawer()
		return func(b []byte, e *conversations.Edition) []byte {
			return render.AppendConversation(b, from.DrawConversation(e))
		}
	})
}

// searchThreads answers a search of conversations or of tickets; envelope is the type and the key of the list. writer is called with the lock
// held, and the function that it returns writes a record without the lock.
func (w *Handlers) searchThreads(q *Request, x *search.Index[conversations.Edition], envelope [2]string, writer func() func(b []byte, e *conversations.Edition) []byte) answer.Answer {
	w.Mu.Lock()
	found, p, refused := x.AnswerSearch(q.searchQuestion())
	write := writer()
	w.Mu.Unlock()
	if refused != nil {
		return refusedSearch(refused)
	}
	b := openList(make([]byte, 0, 3000*len(found)+512), envelope[0], envelope[1])
	for _, e := range found {
		b = write(b, e)
	}
	return answer.OK(w.closeList(b, q, p))
}

// oneConversation serves GET /conversations/{id}, with the newest parts.
func oneConversation(w *Handlers, q *Request) answer.Answer {
	w.Mu.Lock()
	num, known := w.FindThread(q.ID)
	if !known {
		w.Mu.Unlock()
		return answer.NotFound("Conversation")
	}
	e := w.Threads[num].Newest
	render, from := w.ConvRenderer(q), w.ThreadDrawer()
	w.Mu.Unlock()
	render.Parts, render.Translate = true, q.Version.AtLeast(apiversion.V214) && q.Query.Get("include_translations") == "true"
	return answer.OK(render.AppendConversation(nil, from.DrawConversation(e)))
}
