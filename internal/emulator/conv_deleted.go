package emulator

import (
	"slices"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/jsontext"
	"aqueduck/internal/emulator/knobs"
	"aqueduck/internal/emulator/search"
)

// listDeletedConversations is GET /conversations/deleted: by page number, the latest first unless order is asc (api-notes,
// Lists that the document uses but does not describe; trap T60).
func listDeletedConversations(w *server, q *request) answer {
	w.mu.Lock()
	defer w.mu.Unlock()
	at, good := q.numberedPage(20, 60)
	if !good {
		return badNumber()
	}
	list := w.buriedList(q)
	first, last := at.span(len(list))
	p := &jsontext.Writer{Bytes: openList(nil, "conversations.list", w.conversationsKey())}
	for _, g := range list[first:last] {
		p.Item()
		p.Text("type", "conversation")
		p.Text("id", g.ID)
		p.Flag("metrics_retained", g.Kept)
		p.Time("deleted_at", g.At)
		p.Close()
	}
	return ok(w.closeList(p.Bytes, q, search.Page{Number: at.page, PerPage: at.per, Total: len(list), More: last < len(list)}))
}

// buriedList is the list in the order that is asked for.
func (w *server) buriedList(q *request) []event.Deletion {
	if w.k().EmptyLists {
		return nil
	}
	list, order := slices.Clone(w.buried), w.k().DeletedConversationsOrder
	switch asked := q.query.Get("order"); {
	case asked == "asc", asked == "" && order == knobs.OrderOldest:
		return list
	case asked == "" && order == knobs.OrderRandom:
		r := event.NewRNG(w.cfg.Seed, event.ForShuffle, uint64(q.n))
		for i := len(list) - 1; i > 0; i-- {
			j := r.N(i + 1)
			list[i], list[j] = list[j], list[i]
		}
		return list
	}
	slices.Reverse(list)
	return list
}

// conversationsKey is under which name lists of conversations come.
func (w *server) conversationsKey() string {
	if key := w.k().ConversationsKey; key != "" {
		return key
	}
	return "conversations"
}

// listConversations is GET /conversations: what is there now, the oldest first, by cursor and without parts.
func listConversations(w *server, q *request) answer {
	w.mu.Lock()
	per, good := q.perPage(20, 150)
	const question = "GET /conversations"
	at := search.Cursor{At: search.Entry{Num: -1}, Page: 1}
	if token := q.query.Get("starting_after"); good && token != "" {
		if at, good = w.env.Cursor(token, question, q.n); !good {
			w.mu.Unlock()
			return badCursor()
		}
	}
	if !good {
		w.mu.Unlock()
		return badNumber()
	}
	var here []*edition
	p := search.Page{Number: int(at.Page), PerPage: per}
	if !w.k().EmptyLists {
		p.Total = w.talking.Count(len(w.said), func() (n int) {
			for i := range w.threads {
				if !w.threads[i].deleted {
					n++
				}
			}
			return n
		})
	}
	for num := int(at.At.Num) + 1; num < len(w.threads) && p.Total > 0 && !p.More; num++ {
		switch t := &w.threads[num]; {
		case t.deleted:
		case len(here) == per:
			p.More = true
		default:
			here = append(here, t.now)
		}
	}
	if p.More {
		p.Token = w.env.Hand(search.Cursor{At: search.Entry{Num: here[per-1].num}, Page: at.Page + 1}, question, q.n)
	}
	render, from := w.convRenderer(q), w.drawer()
	w.mu.Unlock()
	b := openList(nil, "conversation.list", w.conversationsKey())
	for _, e := range here {
		b = render.conversation(b, from.draw(e))
	}
	return ok(w.closeList(b, q, p))
}
