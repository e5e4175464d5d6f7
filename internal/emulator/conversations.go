package emulator

import (
	"strconv"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/search"
)

// searchConversations is POST /conversations/search: as contact search, without parts (trap T54).
func searchConversations(w *server, q *request) answer {
	return w.searchThreads(q, &w.convIdx, [2]string{"conversation.list", w.conversationsKey()}, func() func(b []byte, e *edition) []byte {
		render, from := w.convRenderer(q), w.drawer()
		return func(b []byte, e *edition) []byte { return render.conversation(b, from.draw(e)) }
	})
}

// searchThreads answers a search of conversations or of tickets, in an envelope of a type and a key. writer is asked with the
// lock held; what it gives writes a record without.
func (w *server) searchThreads(q *request, x *search.Index[edition], envelope [2]string, writer func() func(b []byte, e *edition) []byte) answer {
	w.mu.Lock()
	found, p, refused := x.Ask(q.asked())
	write := writer()
	w.mu.Unlock()
	if refused != nil {
		return refusedSearch(refused)
	}
	b := openList(make([]byte, 0, 3000*len(found)+512), envelope[0], envelope[1])
	for _, e := range found {
		b = write(b, e)
	}
	return ok(w.closeList(b, q, p))
}

// oneConversation is GET /conversations/{id}, with its newest parts.
func oneConversation(w *server, q *request) answer {
	w.mu.Lock()
	num, known := w.thread(q.id)
	if !known {
		w.mu.Unlock()
		return notFound("Conversation")
	}
	e := w.threads[num].now
	render, from := w.convRenderer(q), w.drawer()
	w.mu.Unlock()
	render.parts, render.translate = true, q.version.atLeast(v214) && q.query.Get("include_translations") == "true"
	return ok(render.conversation(nil, from.draw(e)))
}

// convFields are the names that conversation search knows, beside custom_attributes.
func (w *talkDesk) convFields() map[string]search.Field[edition] {
	of := w.drawn
	texts := func(get func(c *conversation) string) search.Field[edition] {
		return search.Text(func(e *edition) string { return get(of(e)) })
	}
	flags := func(get func(c *conversation) bool) search.Field[edition] {
		return search.Flag(func(e *edition) bool { return get(of(e)) })
	}
	list := threadFields(of)
	for name, f := range map[string]search.Field[edition]{
		"id":            search.Text(func(e *edition) string { return event.ConversationID(e.num) }),
		"waiting_since": search.Date(func(e *edition) int64 { return of(e).Waiting }),
		"title":         texts(func(c *conversation) string { return c.Title }),
		"state":         texts(func(c *conversation) string { return c.State }),
		"priority":      texts(func(c *conversation) string { return priorityWord(c.Priority) }),
		"read":          flags(func(c *conversation) bool { return c.Read }),

		"ai_agent_participated": flags(func(c *conversation) bool { return c.AI != nil }),
		"source.type":           texts(func(c *conversation) string { return c.begun().Type }),
		"source.id":             texts(func(c *conversation) string { return c.begun().ID }),
		"source.delivered_as":   texts(func(c *conversation) string { return c.begun().Delivered }),
		"source.subject":        texts(func(c *conversation) string { return c.begun().Subject }),
		"source.body":           texts(func(c *conversation) string { return c.begun().Body }),
		"source.url":            texts(func(c *conversation) string { return c.begun().URL }),
		"source.author.id":      texts(func(c *conversation) string { return c.begun().Author.ID }),
		"source.author.type":    texts(func(c *conversation) string { return c.begun().Author.Type }),
		"source.author.name":    texts(func(c *conversation) string { return c.begun().Author.Name }),
		"source.author.email":   texts(func(c *conversation) string { return c.begun().Author.Email }),

		"statistics.count_conversation_parts": search.Integer(func(e *edition) int64 { return int64(len(of(e).Parts)) }),
		"statistics.count_reopens":            search.Integer(func(e *edition) int64 { return of(e).Stats.Reopens }),
		"statistics.count_assignments":        search.Integer(func(e *edition) int64 { return of(e).Stats.Assignments }),
		"statistics.last_close_at":            search.Date(func(e *edition) int64 { return of(e).Stats.LastClose }),
		"statistics.last_contact_reply_at":    search.Date(func(e *edition) int64 { return of(e).Stats.LastContact }),

		"tag_ids": search.Members(func(e *edition) []string { return of(e).tagIDs() }),
	} {
		list[name] = f
	}
	return list
}

// threadFields are the names that the searches of conversations and of tickets have in common; of draws a record.
func threadFields(of func(e *edition) *conversation) map[string]search.Field[edition] {
	return map[string]search.Field[edition]{
		"created_at":        search.Date(func(e *edition) int64 { return e.created }),
		"updated_at":        search.Date(func(e *edition) int64 { return e.updated }),
		"snoozed_until":     search.Date(func(e *edition) int64 { return of(e).Snoozed }),
		"open":              search.Flag(func(e *edition) bool { return of(e).State != "closed" }),
		"admin_assignee_id": search.Integer(func(e *edition) int64 { return of(e).Admin }),
		"team_assignee_id":  search.Integer(func(e *edition) int64 { return of(e).Team }),
		"contact_ids":       search.Members(func(e *edition) []string { return of(e).contactIDs() }),
		"teammate_ids":      search.Members(func(e *edition) []string { return of(e).teammates() }),
	}
}

// begun is the source, or an empty one.
func (c *conversation) begun() *event.Source {
	if c.Source == nil {
		return &event.Source{}
	}
	return c.Source
}

func (c *conversation) contactIDs() []string {
	ids := make([]string, len(c.Contacts))
	for i, d := range c.Contacts {
		ids[i] = d.ID
	}
	return ids
}

func (c *conversation) tagIDs() []string {
	ids := make([]string, len(c.Tags))
	for i, t := range c.Tags {
		ids[i] = strconv.FormatInt(event.TagID(t.Tag), 10)
	}
	return ids
}
