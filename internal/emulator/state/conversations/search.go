package conversations

import (
	"strconv"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/search"
)

// convFields are the searchable fields of conversations, besides custom_attributes.
func (w *Desk) convFields() map[string]search.Field[Edition] {
	of := w.drawCached
	texts := func(get func(c *Conversation) string) search.Field[Edition] {
		return search.TextField(func(e *Edition) string { return get(of(e)) })
	}
	flags := func(get func(c *Conversation) bool) search.Field[Edition] {
		return search.BoolField(func(e *Edition) bool { return get(of(e)) })
	}
	list := ThreadFields(of)
	for name, f := range map[string]search.Field[Edition]{
		"id":            search.TextField(func(e *Edition) string { return event.ConversationID(e.Num) }),
		"waiting_since": search.DateField(func(e *Edition) int64 { return of(e).Waiting }),
		"title":         texts(func(c *Conversation) string { return c.Title }),
		"state":         texts(func(c *Conversation) string { return c.State }),
		"priority":      texts(func(c *Conversation) string { return PriorityWord(c.Priority) }),
		"read":          flags(func(c *Conversation) bool { return c.Read }),

		"ai_agent_participated": flags(func(c *Conversation) bool { return c.AI != nil }),
		"source.type":           texts(func(c *Conversation) string { return c.sourceOrEmpty().Type }),
		"source.id":             texts(func(c *Conversation) string { return c.sourceOrEmpty().ID }),
		"source.delivered_as":   texts(func(c *Conversation) string { return c.sourceOrEmpty().Delivered }),
		"source.subject":        texts(func(c *Conversation) string { return c.sourceOrEmpty().Subject }),
		"source.body":           texts(func(c *Conversation) string { return c.sourceOrEmpty().Body }),
		"source.url":            texts(func(c *Conversation) string { return c.sourceOrEmpty().URL }),
		"source.author.id":      texts(func(c *Conversation) string { return c.sourceOrEmpty().Author.ID }),
		"source.author.type":    texts(func(c *Conversation) string { return c.sourceOrEmpty().Author.Type }),
		"source.author.name":    texts(func(c *Conversation) string { return c.sourceOrEmpty().Author.Name }),
		"source.author.email":   texts(func(c *Conversation) string { return c.sourceOrEmpty().Author.Email }),

		"statistics.count_conversation_parts": search.IntegerField(func(e *Edition) int64 { return int64(len(of(e).Parts)) }),
		"statistics.count_reopens":            search.IntegerField(func(e *Edition) int64 { return of(e).Stats.Reopens }),
		"statistics.count_assignments":        search.IntegerField(func(e *Edition) int64 { return of(e).Stats.Assignments }),
		"statistics.last_close_at":            search.DateField(func(e *Edition) int64 { return of(e).Stats.LastClose }),
		"statistics.last_contact_reply_at":    search.DateField(func(e *Edition) int64 { return of(e).Stats.LastContact }),

		"tag_ids": search.MembersField(func(e *Edition) []string { return of(e).tagIDs() }),
	} {
		list[name] = f
	}
	return list
}

// ThreadFields are the searchable fields that conversations and tickets share; of returns a record in full.
func ThreadFields(of func(e *Edition) *Conversation) map[string]search.Field[Edition] {
	return map[string]search.Field[Edition]{
		"created_at":        search.DateField(func(e *Edition) int64 { return e.Created }),
		"updated_at":        search.DateField(func(e *Edition) int64 { return e.updated }),
		"snoozed_until":     search.DateField(func(e *Edition) int64 { return of(e).Snoozed }),
		"open":              search.BoolField(func(e *Edition) bool { return of(e).State != "closed" }),
		"admin_assignee_id": search.IntegerField(func(e *Edition) int64 { return of(e).Admin }),
		"team_assignee_id":  search.IntegerField(func(e *Edition) int64 { return of(e).Team }),
		"contact_ids":       search.MembersField(func(e *Edition) []string { return of(e).contactIDs() }),
		"teammate_ids":      search.MembersField(func(e *Edition) []string { return of(e).Teammates() }),
	}
}

// sourceOrEmpty returns the source, or an empty one.
func (c *Conversation) sourceOrEmpty() *event.Source {
	if c.Source == nil {
		return &event.Source{}
	}
	return c.Source
}

func (c *Conversation) contactIDs() []string {
	ids := make([]string, len(c.Contacts))
	for i, d := range c.Contacts {
		ids[i] = d.ID
	}
	return ids
}

func (c *Conversation) tagIDs() []string {
	ids := make([]string, len(c.Tags))
	for i, t := range c.Tags {
		ids[i] = strconv.FormatInt(event.TagID(t.Tag), 10)
	}
	return ids
}
