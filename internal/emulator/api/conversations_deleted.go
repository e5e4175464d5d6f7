package api

import (
	"slices"

	"aqueduck/internal/emulator/api/answer"
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/jsontext"
	"aqueduck/internal/emulator/knobs"
	"aqueduck/internal/emulator/search"
	"aqueduck/internal/emulator/state/conversations"
)

// listDeletedConversations serves GET /conversations/deleted: by page number, the latest first unless order is asc (api-notes, Lists that the
// document uses but does not describe; trap T60).
func listDeletedConversations(w *Handlers, q *Request) answer.Answer {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	at, good := q.numberedPage(20, 60)
	if !good {
		return badNumber()
	}
	list := w.listDeletions(q)
	first, last := at.pageBounds(len(list))
	p := &jsontext.Writer{Bytes: openList(nil, "conversations.list", w.conversationsKey())}
	for _, g := range list[first:last] {
		p.OpenItem()
		p.TextOrNull("type", "conversation")
		p.TextOrNull("id", g.ID)
		p.Bool("metrics_retained", g.KeepsMetrics)
		p.TimeOrNull("deleted_at", g.At)
		p.Close()
	}
	return answer.OK(w.closeList(p.Bytes, q, search.Page{Number: at.page, PerPage: at.per, Total: len(list), More: last < len(list)}))
}

// listDeletions returns the deleted conversations in the requested order.
func (w *Handlers) listDeletions(q *Request) []event.Deletion {
	if w.K().EmptyLists {
		return nil
	}
	list, order := slices.Clone(w.Deleted), w.K().DeletedConversationsOrder
	switch asked := q.Query.Get("order"); {
	case asked == "asc", asked == "" && order == knobs.OrderOldest:
		return list
	case asked == "" && order == knobs.OrderRandom:
		r := event.NewRNG(w.Setup.Seed, event.ForShuffle, uint64(q.N))
		for i := len(list) - 1; i > 0; i-- {
			j := r.IntN(i + 1)
			list[i], list[j] = list[j], list[i]
		}
		return list
	}
	slices.Reverse(list)
	return list
}

// conversationsKey is the key of the list in answers that list conversations.
func (w *Handlers) conversationsKey() string {
	if key := w.K().ConversationsKey; key != "" {
		return key
	}
	return "conversations"
}

// listConversations serves GET /conversations: the conversations that exist now, the oldest first, by cursor and without parts.
func listConversations(w *Handlers, q *Request) answer.Answer {
	w.Mu.Lock()
	per, good := q.perPage(20, 150)
	const question = "GET /conversations"
	at := search.Cursor{At: search.Entry{Num: -1}, Page: 1}
	if token := q.Query.Get("starting_after"); good && token != "" {
		if at, good = w.SearchEnv.DecodeCursor(token, question, q.N); !good {
			w.Mu.Unlock()
			return badCursor()
		}
	}
	if !good {
		w.Mu.Unlock()
		return badNumber()
	}
	var here []*conversations.Edition
	p := search.Page{Number: int(at.Page), PerPage: per}
	if !w.K().EmptyLists {
		p.Total = w.ConversationTally.CountCached(len(w.ConversationLog), func() (n int) {
			for i := range w.Threads {
				if !w.Threads[i].Deleted {
					n++
				}
			}
			return n
		})
	}
	for num := int(at.At.Num) + 1; num < len(w.Threads) && p.Total > 0 && !p.More; num++ {
		switch t := &w.Threads[num]; {
		case t.Deleted:
		case len(here) == per:
			p.More = true
		default:
			here = append(here, t.Newest)
		}
	}
	if p.More {
		p.Token = w.SearchEnv.EncodeCursor(search.Cursor{At: search.Entry{Num: here[per-1].Num}, Page: at.Page + 1}, question, q.N)
	}
	render, from := w.ConvRenderer(q), w.ThreadDrawer()
	w.Mu.Unlock()
	b := openList(nil, "conversation.list", w.conversationsKey())
	for _, e := range here {
		b = render.AppendConversation(b, from.DrawConversation(e))
	}
	return answer.OK(w.closeList(b, q, p))
}
