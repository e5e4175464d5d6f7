package render

import (
	"strconv"

	"aqueduck/internal/emulator/apiversion"
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/jsontext"
	"aqueduck/internal/emulator/state/conversations"
)

func (r *Conversations) aiAgent(p *jsontext.Writer, a *conversations.AIAgent) {
	p.Flag("ai_agent_participated", a != nil)
	if a == nil {
		p.Null("ai_agent")
		return
	}
	p.Open("ai_agent")
	p.Text("source_type", a.SourceType)
	p.Text("source_title", a.Title)
	p.Text("last_answer_type", a.LastAnswer)
	p.Text("resolution_state", a.Resolution)
	p.Time("rating", a.Stars)
	p.Text("rating_remark", a.Remark)
	if r.Version.AtLeast(apiversion.V214) {
		p.Time("created_at", a.Created)
		p.Time("updated_at", a.Updated)
	}
	p.Typed("content_sources", "content_source.list", "content_sources")
	for _, s := range a.Sources {
		if s.Type == "internal_article" && !r.Later {
			continue // workspace-api 9
		}
		p.Item()
		p.Text("content_type", s.Type)
		p.Text("title", s.Title)
		p.Text("locale", s.Locale)
		p.Text("url", s.URL)
		p.Close()
	}
	p.Done()
	p.Close()
}

func (r *Conversations) linked(p *jsontext.Writer, c *conversations.Conversation) {
	if c.Bare {
		p.Null("linked_objects")
		return
	}
	p.Open("linked_objects")
	p.Text("type", "list")
	p.Int("total_count", int64(len(c.Linked)))
	p.Flag("has_more", false)
	p.List("data")
	for _, l := range c.Linked {
		p.Item()
		p.Text("type", l.Type)
		p.Text("id", l.ID)
		p.Text("category", l.Category)
		p.Close()
	}
	p.Done()
}

// partList writes the newest parts, oldest first, and the true number of all.
func (r *Conversations) partList(p *jsontext.Writer, c *conversations.Conversation, kind string) {
	p.Open(kind + "s")
	p.Text("type", kind+".list")
	p.List(kind + "s")
	for i := max(0, len(c.Parts)-r.Cap); i < len(c.Parts); i++ {
		r.part(p, &c.Parts[i], kind)
	}
	p.End()
	p.Int("total_count", int64(len(c.Parts)))
	p.Close()
}

func (r *Conversations) part(p *jsontext.Writer, t *event.Part, kind string) {
	p.Item()
	p.Omit = r.Omit
	p.Text("type", kind)
	p.Text("id", strconv.FormatInt(t.ID, 10))
	p.Text("part_type", t.Type)
	p.Text("body", r.body(t))
	p.Time("created_at", t.At)
	p.Time("updated_at", t.Updated)
	p.Time("notified_at", t.Notified)
	r.assignment(p, t.Assigned)
	r.author(p, &t.Author)
	r.files(p, t.Files)
	p.Text("external_id", t.External)
	p.Flag("redacted", t.Redacted)
	if kind == ticketPart {
		r.ticketChange(p, t.Ticket)
	} else {
		r.happened(p, t)
	}
	p.Text("app_package_code", t.App)
	p.Omit = false
	p.Close()
}

// body is what a part says: in the language that was detected, where that is asked for (workspace-api 4.11, trap T68).
func (r *Conversations) body(t *event.Part) string {
	if !r.Translate || t.Body == "" {
		return t.Body
	}
	return `<div lang="en" data-translated="true">` + t.Body + `</div>`
}

// happened writes what parts of conversations tell beside the words.
func (r *Conversations) happened(p *jsontext.Writer, t *event.Part) {
	p.Text("state", t.State)
	p.Typed("tags", "tag.list", "tags")
	for _, n := range t.Tags {
		p.Item()
		p.Text("type", "tag")
		p.Text("id", strconv.FormatInt(event.TagID(n), 10))
		p.Text("name", event.TagName(n))
		p.Close()
	}
	p.Done()
	if r.Version.AtLeast(apiversion.V214) {
		p.Raw("metadata", t.Meta) // quick replies, and which one was chosen
	} else {
		p.Null("metadata")
	}
	switch {
	case t.Call != "" && r.Later:
		p.Raw("event_details", `{"call_id":"`+t.Call+`"}`)
	default:
		p.Null("event_details")
	}
	if t.EventType != "" {
		p.Text("event_type", t.EventType)
		if data := t.Data; r.Later {
			p.Raw("data", data)
		} else {
			p.Raw("data", "{}") // no reason before the later version (workspace-api 9)
		}
	}
}

// assignment writes a row of the table of workspace-api 2.10. assigned_to has its id as text, the fields beside it as an
// integer (trap T62); before the later version there were no fields beside it.
func (r *Conversations) assignment(p *jsontext.Writer, a event.Assigned) {
	to := func(kind string, id int64) {
		p.Open("assigned_to")
		p.Text("type", kind)
		if id == 0 {
			p.Raw("id", "null")
		} else {
			p.Text("id", strconv.FormatInt(id, 10))
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
		p.Time("admin_assignee_id", a.Admin)
	}
	if a.As == event.RemoveTeam {
		p.Int("team_assignee_id", 0)
	} else {
		p.Time("team_assignee_id", a.Team)
	}
}
