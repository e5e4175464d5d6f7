package emulator

import "strconv"

// searchConversations is POST /conversations/search: as contact search, without parts (trap T54).
func (w *Workspace) searchConversations(q *request) answer {
	w.mu.Lock()
	found, p, refused := w.convIdx.ask(q)
	render, from := w.convRenderer(q), w.drawer()
	w.mu.Unlock()
	if refused != nil {
		return *refused
	}
	b := openList(make([]byte, 0, 3000*len(found)+512), "conversation.list", w.conversationsKey())
	for _, e := range found {
		b = render.conversation(b, from.draw(e))
	}
	return ok(w.closeList(b, q, p))
}

// oneConversation is GET /conversations/{id}, with its newest parts.
func (w *Workspace) oneConversation(q *request) answer {
	w.mu.Lock()
	num, known := w.thread(q.id)
	if !known {
		w.mu.Unlock()
		return notFound("Conversation")
	}
	e := w.threads[num].now
	render, from := w.convRenderer(q), w.drawer()
	w.mu.Unlock()
	render.parts = true
	return ok(render.conversation(nil, from.draw(e)))
}

// convFields are the names that conversation search knows, beside custom_attributes.
func (w *Workspace) convFields() map[string]field[edition] {
	texts := func(get func(c *conversation) string) field[edition] {
		return text(func(e *edition) string { return get(w.drawn(e)) })
	}
	dates := func(get func(c *conversation) int64) field[edition] {
		return date(func(e *edition) int64 { return get(w.drawn(e)) })
	}
	flags := func(get func(c *conversation) bool) field[edition] {
		return flag(func(e *edition) bool { return get(w.drawn(e)) })
	}
	counts := func(get func(c *conversation) int64) field[edition] {
		return field[edition]{kind: numberField, date: func(e *edition) int64 { return get(w.drawn(e)) }}
	}
	lists := func(get func(c *conversation) []string) field[edition] {
		return field[edition]{kind: tagField, ids: func(e *edition) []string { return get(w.drawn(e)) }}
	}
	return map[string]field[edition]{
		"id":         text(func(e *edition) string { return convID(e.num) }),
		"created_at": date(func(e *edition) int64 { return e.created }),
		"updated_at": date(func(e *edition) int64 { return e.updated }),

		"waiting_since": dates(func(c *conversation) int64 { return c.Waiting }),
		"snoozed_until": dates(func(c *conversation) int64 { return c.Snoozed }),
		"title":         texts(func(c *conversation) string { return c.Title }),
		"state":         texts(func(c *conversation) string { return c.State }),
		"priority":      texts(func(c *conversation) string { return priorityWord(c.Priority) }),
		"open":          flags(func(c *conversation) bool { return c.State != "closed" }),
		"read":          flags(func(c *conversation) bool { return c.Read }),

		"admin_assignee_id":     counts(func(c *conversation) int64 { return c.Admin }),
		"team_assignee_id":      counts(func(c *conversation) int64 { return c.Team }),
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

		"statistics.count_conversation_parts": counts(func(c *conversation) int64 { return int64(len(c.Parts)) }),
		"statistics.count_reopens":            counts(func(c *conversation) int64 { return c.Stats.Reopens }),
		"statistics.count_assignments":        counts(func(c *conversation) int64 { return c.Stats.Assignments }),
		"statistics.last_close_at":            dates(func(c *conversation) int64 { return c.Stats.LastClose }),
		"statistics.last_contact_reply_at":    dates(func(c *conversation) int64 { return c.Stats.LastContact }),

		"contact_ids":  lists((*conversation).contactIDs),
		"teammate_ids": lists((*conversation).teammates),
		"tag_ids":      lists((*conversation).tagIDs),
	}
}

// begun is the source, or an empty one.
func (c *conversation) begun() *source {
	if c.Source == nil {
		return &source{}
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
		ids[i] = strconv.FormatInt(tagID(t.Tag), 10)
	}
	return ids
}
