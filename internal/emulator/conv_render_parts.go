package emulator

import (
	"strconv"

	"aqueduck/internal/emulator/event"
)

func (r *convRenderer) aiAgent(p *pen, a *aiAgent) {
	p.flag("ai_agent_participated", a != nil)
	if a == nil {
		p.null("ai_agent")
		return
	}
	p.open("ai_agent")
	p.text("source_type", a.SourceType)
	p.text("source_title", a.Title)
	p.text("last_answer_type", a.LastAnswer)
	p.text("resolution_state", a.Resolution)
	p.time("rating", a.Stars)
	p.text("rating_remark", a.Remark)
	if r.version.atLeast(v214) {
		p.time("created_at", a.Created)
		p.time("updated_at", a.Updated)
	}
	p.typed("content_sources", "content_source.list", "content_sources")
	for _, s := range a.Sources {
		if s.Type == "internal_article" && !r.later {
			continue // workspace-api 9
		}
		p.item()
		p.text("content_type", s.Type)
		p.text("title", s.Title)
		p.text("locale", s.Locale)
		p.text("url", s.URL)
		p.close()
	}
	p.done()
	p.close()
}

func (r *convRenderer) linked(p *pen, c *conversation) {
	if c.bare {
		p.null("linked_objects")
		return
	}
	p.open("linked_objects")
	p.text("type", "list")
	p.int("total_count", int64(len(c.Linked)))
	p.flag("has_more", false)
	p.list("data")
	for _, l := range c.Linked {
		p.item()
		p.text("type", l.Type)
		p.text("id", l.ID)
		p.text("category", l.Category)
		p.close()
	}
	p.done()
}

// partList writes the newest parts, oldest first, and the true number of all.
func (r *convRenderer) partList(p *pen, c *conversation, kind string) {
	p.open(kind + "s")
	p.text("type", kind+".list")
	p.list(kind + "s")
	for i := max(0, len(c.Parts)-r.cap); i < len(c.Parts); i++ {
		r.part(p, &c.Parts[i], kind)
	}
	p.end()
	p.int("total_count", int64(len(c.Parts)))
	p.close()
}

func (r *convRenderer) part(p *pen, t *event.Part, kind string) {
	p.item()
	p.omit = r.omit
	p.text("type", kind)
	p.text("id", strconv.FormatInt(t.ID, 10))
	p.text("part_type", t.Type)
	p.text("body", r.body(t))
	p.time("created_at", t.At)
	p.time("updated_at", t.Updated)
	p.time("notified_at", t.Notified)
	r.assignment(p, t.Assigned)
	r.author(p, &t.Author)
	r.files(p, t.Files)
	p.text("external_id", t.External)
	p.flag("redacted", t.Redacted)
	if kind == ticketPart {
		r.ticketChange(p, t.Ticket)
	} else {
		r.happened(p, t)
	}
	p.text("app_package_code", t.App)
	p.omit = false
	p.close()
}

// body is what a part says: in the language that was detected, where that is asked for (workspace-api 4.11, trap T68).
func (r *convRenderer) body(t *event.Part) string {
	if !r.translate || t.Body == "" {
		return t.Body
	}
	return `<div lang="en" data-translated="true">` + t.Body + `</div>`
}

// happened writes what parts of conversations tell beside the words.
func (r *convRenderer) happened(p *pen, t *event.Part) {
	p.text("state", t.State)
	p.typed("tags", "tag.list", "tags")
	for _, n := range t.Tags {
		p.item()
		p.text("type", "tag")
		p.text("id", strconv.FormatInt(event.TagID(n), 10))
		p.text("name", event.TagName(n))
		p.close()
	}
	p.done()
	if r.version.atLeast(v214) {
		p.raw("metadata", t.Meta) // quick replies, and which one was chosen
	} else {
		p.null("metadata")
	}
	switch {
	case t.Call != "" && r.later:
		p.raw("event_details", `{"call_id":"`+t.Call+`"}`)
	default:
		p.null("event_details")
	}
	if t.EventType != "" {
		p.text("event_type", t.EventType)
		if data := t.Data; r.later {
			p.raw("data", data)
		} else {
			p.raw("data", "{}") // no reason before the later version (workspace-api 9)
		}
	}
}

// assignment writes a row of the table of workspace-api 2.10. assigned_to has its id as text, the fields beside it as an
// integer (trap T62); before the later version there were no fields beside it.
func (r *convRenderer) assignment(p *pen, a event.Assigned) {
	to := func(kind string, id int64) {
		p.open("assigned_to")
		p.text("type", kind)
		if id == 0 {
			p.raw("id", "null")
		} else {
			p.text("id", strconv.FormatInt(id, 10))
		}
		p.close()
	}
	switch a.As {
	case event.AssignNothing:
		p.null("assigned_to")
	case event.AssignTeamAndTeammate, event.AssignTeammate:
		to("admin", a.Admin)
	case event.AssignTeam:
		to("team", a.Team)
	case event.AssignBot:
		to("bot", a.Admin)
	default:
		to("nobody_admin", 0)
	}
	if !r.later {
		return
	}
	if a.As == event.RemoveTeammate {
		p.int("admin_assignee_id", 0)
	} else {
		p.time("admin_assignee_id", a.Admin)
	}
	if a.As == event.RemoveTeam {
		p.int("team_assignee_id", 0)
	} else {
		p.time("team_assignee_id", a.Team)
	}
}
