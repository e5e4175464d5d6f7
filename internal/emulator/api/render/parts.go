package render

import (
	"strconv"

	"aqueduck/internal/emulator/apiversion"
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/jsontext"
	"aqueduck/internal/emulator/state/conversations"
)

func (r *Conversations) aiAgent(p *jsontext.Writer, a *conversations.AIAgent) {
	p.Bool("ai_agent_participated", a != nil)
	if a == nil {
		p.Null("ai_agent")
		return
	}
	p.Open("ai_agent")
	p.TextOrNull("source_type", a.SourceType)
	p.TextOrNull("source_title", a.Title)
	p.TextOrNull("last_answer_type", a.LastAnswer)
	p.TextOrNull("resolution_state", a.Resolution)
	p.TimeOrNull("rating", a.Stars)
	p.TextOrNull("rating_remark", a.Remark)
	if r.Version.AtLeast(apiversion.V214) {
		p.TimeOrNull("created_at", a.Created)
		p.TimeOrNull("updated_at", a.Updated)
	}
	p.OpenTypedList("content_sources", "content_source.list", "content_sources")
	for _, s := range a.Sources {
		if s.Type == "internal_article" && !r.Later {
			continue // newer than this version (workspace-api 9)
		}
		p.OpenItem()
		p.TextOrNull("content_type", s.Type)
		p.TextOrNull("title", s.Title)
		p.TextOrNull("locale", s.Locale)
		p.TextOrNull("url", s.URL)
		p.Close()
	}
	p.CloseTypedList()
	p.Close()
}

func (r *Conversations) writeLinkedObjects(p *jsontext.Writer, c *conversations.Conversation) {
	if c.Bare {
		p.Null("linked_objects")
		return
	}
	p.Open("linked_objects")
	p.TextOrNull("type", "list")
	p.Int("total_count", int64(len(c.Linked)))
	p.Bool("has_more", false)
	p.OpenList("data")
	for _, l := range c.Linked {
		p.OpenItem()
		p.TextOrNull("type", l.Type)
		p.TextOrNull("id", l.ID)
		p.TextOrNull("category", l.Category)
		p.Close()
	}
	p.CloseTypedList()
}

// partList writes the newest parts, oldest first, and the number of all parts.
func (r *Conversations) partList(p *jsontext.Writer, c *conversations.Conversation, kind string) {
	p.Open(kind + "s")
	p.TextOrNull("type", kind+".list")
	p.OpenList(kind + "s")
	for i := max(0, len(c.Parts)-r.Cap); i < len(c.Parts); i++ {
		r.writePart(p, &c.Parts[i], kind)
	}
	p.CloseList()
	p.Int("total_count", int64(len(c.Parts)))
	p.Close()
}

func (r *Conversations) writePart(p *jsontext.Writer, t *event.Part, kind string) {
	p.OpenItem()
	p.Omit = r.Omit
	p.TextOrNull("type", kind)
	p.TextOrNull("id", strconv.FormatInt(t.ID, 10))
	p.TextOrNull("part_type", t.Type)
	p.TextOrNull("body", r.partBody(t))
	p.TimeOrNull("created_at", t.At)
	p.TimeOrNull("updated_at", t.Updated)
	p.TimeOrNull("notified_at", t.Notified)
	r.writeAssignment(p, t.Assigned)
	r.writeAuthor(p, &t.Author)
	r.writeFiles(p, t.Files)
	p.TextOrNull("external_id", t.External)
	p.Bool("redacted", t.Redacted)
	if kind == ticketPart {
		r.ticketChange(p, t.Ticket)
	} else {
		r.writePartMetadata(p, t)
	}
	p.TextOrNull("app_package_code", t.App)
	p.Omit = false
	p.Close()
}

// partBody returns the body of a part, in the detected language when the request asks for that (workspace-api 4.11, trap T68).
func (r *Conversations) partBody(t *event.Part) string {
	if !r.Translate || t.Body == "" {
		return t.Body
	}
	return `<div lang="en" data-translated="true">` + t.Body + `</div>`
}

// writePartMetadata writes the fields of a conversation part besides its body.
func (r *Conversations) writePartMetadata(p *jsontext.Writer, t *event.Part) {
	p.TextOrNull("state", t.State)
	p.OpenList("tags") // a bare list, unlike the tags of a conversation
	for _, n := range t.Tags {
		p.OpenItem()
		p.TextOrNull("type", "tag")
		p.TextOrNull("id", strconv.FormatInt(event.TagID(n), 10))
		p.TextOrNull("name", r.Companies.Cast.TagName(n))
		p.Close()
	}
	p.CloseList()
	if r.Version.AtLeast(apiversion.V214) {
		p.RawOrNull("metadata", t.Meta) // quick replies, and which one was chosen
	} else {
		p.Null("metadata")
	}
	switch {
	case t.Call != "" && r.Later:
		p.RawOrNull("event_details", `{"call_id":"`+t.Call+`"}`)
	default:
		p.Null("event_details")
	}
	if t.EventType != "" {
		p.TextOrNull("event_type", t.EventType)
		if data := t.Data; r.Later {
			p.RawOrNull("data", data)
		} else {
			p.RawOrNull("data", "{}") // the reason came with the later version (workspace-api 9)
		}
	}
}

// writeAssignment writes a row of the table of workspace-api 2.10. assigned_to has the id as text, the fields beside it as an integer (trap
// T62). The later version added those fields.
func (r *Conversations) writeAssignment(p *jsontext.Writer, a event.Assigned) {
	to := func(kind string, id int64) {
		p.Open("assigned_to")
		p.TextOrNull("type", kind)
		if id == 0 {
			p.RawOrNull("id", "null")
		} else {
			p.TextOrNull("id", strconv.FormatInt(id, 10))
		}
		p.Close()
	}
	switch a.As {
	case event.AssignNothing:
		p.Null("assigned_to")
	case event.AssignTeamAndTeammate, event.AssignTeammate:
		to("admin", a.Admin)
	case event.AssignTeam:
		to("team", a.Team)
	case event.AssignBot:
		to("bot", a.Admin)
	default:
		to("nobody_admin", 0)
	}
	if !r.Later {
		return
	}
	if a.As == event.RemoveTeammate {
		p.Int("admin_assignee_id", 0)
	} else {
		p.TimeOrNull("admin_assignee_id", a.Admin)
	}
	if a.As == event.RemoveTeam {
		p.Int("team_assignee_id", 0)
	} else {
		p.TimeOrNull("team_assignee_id", a.Team)
	}
}
