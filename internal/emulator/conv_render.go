package emulator

import (
	"strconv"

	"aqueduck/internal/emulator/event"
)

// convRenderer is what an answer about conversations depends on beside the conversations.
type convRenderer struct {
	version   version
	later     bool // the version after 2.16
	qa        bool // attributes that quality assurance wrote are sent
	cap       int  // parts in an answer
	parts     bool // parts are sent
	cards     bool // QA data is asked for
	monitors  bool
	omit      bool // parts have no fields that are null
	translate bool // bodies of parts are translated
	now       int64
	companies *maker
}

// partsCap is how many parts an answer holds, the newest (api-notes, Searching and paging).
const partsCap = 500

func (w *Workspace) convRenderer(q *request) convRenderer {
	asked := func(name string) bool { return q.query.Get(name) == "true" && q.version.later() }
	return convRenderer{version: q.version, later: q.version.later(), qa: !q.version.later() && !w.k().QAOptOut, cap: w.k().partsCap(), omit: w.k().OmitEmpty,
		cards: asked("include_scorecards"), monitors: asked("include_monitors"), now: w.now(), companies: w.make}
}

func (k *Knobs) partsCap() int {
	if k.PartsCap > 0 {
		return k.PartsCap
	}
	return partsCap
}

// conversation writes one with the fields of api-notes, behind the one before it in a list.
func (r *convRenderer) conversation(b []byte, c *conversation) []byte {
	p := &pen{b: b}
	p.open("")
	p.text("type", "conversation")
	p.text("id", c.ID)
	p.text("title", c.Title)
	p.time("created_at", c.Created)
	p.time("updated_at", c.Updated)
	p.time("waiting_since", c.Waiting)
	p.time("snoozed_until", c.Snoozed)
	p.flag("open", c.State != "closed")
	p.text("state", c.State)
	p.flag("read", c.Read)
	p.text("priority", priorityWord(c.Priority))
	r.assignee(p, "admin_assignee_id", c.Admin)
	r.assignee(p, "team_assignee_id", c.Team)
	r.company(p, c.Company)
	r.source(p, c.Source)
	r.contacts(p, c)
	r.teammates(p, c)
	r.tags(p, c)
	r.attrs(p, c)
	r.rating(p, c.Rating)
	r.firstReply(p, c)
	r.statistics(p, c)
	r.aiAgent(p, c.AI)
	r.linked(p, c)
	if r.parts {
		r.partList(p, c, "conversation_part")
	}
	if r.cards {
		writeScorecards(p, c.Cards)
	}
	if r.monitors {
		writeEvaluations(p, c.Monitors)
	}
	p.close()
	return p.b
}

func priorityWord(high bool) string {
	if high {
		return "priority"
	}
	return "not_priority"
}

// assignee: nobody is null in older versions and 0 in newer ones (api-notes, Reading leniently).
func (r *convRenderer) assignee(p *pen, name string, id int64) {
	if r.later {
		p.int(name, id)
		return
	}
	p.time(name, id)
}

func (r *convRenderer) company(p *pen, n int32) {
	if n < 0 {
		p.null("company")
		return
	}
	p.open("company")
	p.text("type", "company")
	p.text("id", string(r.companies.appendCompanyID(nil, n)))
	p.close()
}

func (r *convRenderer) source(p *pen, s *event.Source) {
	if s == nil {
		p.null("source")
		return
	}
	p.open("source")
	p.text("type", s.Type)
	p.text("id", s.ID)
	p.text("delivered_as", s.Delivered)
	p.string("subject", s.Subject)
	p.text("body", s.Body)
	r.author(p, &s.Author)
	r.files(p, s.Files)
	p.text("url", s.URL)
	p.flag("redacted", s.Redacted)
	p.close()
}

// author: the flags are those of 2.14.
func (r *convRenderer) author(p *pen, a *event.Author) {
	p.open("author")
	p.text("type", a.Type)
	p.text("id", a.ID)
	p.text("name", a.Name)
	p.text("email", a.Email)
	if r.version.atLeast(v214) {
		p.flag("from_ai_agent", a.AI)
		p.flag("is_ai_answer", a.Answer)
	}
	p.close()
}

// files: every answer signs the addresses anew, for an hour.
func (r *convRenderer) files(p *pen, list []event.File) {
	p.list("attachments")
	for _, f := range list {
		p.item()
		p.text("type", "upload")
		p.text("name", f.Name)
		p.text("url", fileURL(f)+"?expires="+strconv.FormatInt(r.now+3600, 10)+"&signature="+strconv.FormatUint(event.Mix(f.ID^uint64(r.now)), 16))
		p.text("content_type", f.Type)
		p.int("filesize", f.Size)
		p.time("width", f.Width)
		p.time("height", f.Height)
		p.close()
	}
	p.end()
}

func fileURL(f event.File) string { return "https://files.example/i/" + strconv.FormatUint(f.ID, 16) }

func (r *convRenderer) contacts(p *pen, c *conversation) {
	p.typed("contacts", "contact.list", "contacts")
	for _, d := range c.Contacts {
		p.item()
		p.text("type", "contact")
		p.text("id", d.ID)
		p.text("external_id", d.ExternalID)
		p.close()
	}
	p.done()
}

func (r *convRenderer) teammates(p *pen, c *conversation) {
	mates := c.teammates()
	if c.bare || len(mates) == 0 {
		p.null("teammates")
		return
	}
	p.typed("teammates", "admin.list", "teammates")
	for _, id := range mates {
		p.item()
		p.text("type", "admin")
		p.text("id", id)
		p.close()
	}
	p.done()
}

func (r *convRenderer) tags(p *pen, c *conversation) {
	p.typed("tags", "tag.list", "tags")
	for _, t := range c.Tags {
		p.item()
		p.text("type", "tag")
		p.text("id", strconv.FormatInt(event.TagID(t.Tag), 10))
		p.text("name", event.TagName(t.Tag))
		p.time("applied_at", t.At)
		p.open("applied_by")
		p.text("type", "admin")
		p.text("id", strconv.FormatInt(t.By, 10))
		p.close()
		p.close()
	}
	p.done()
}

func (r *convRenderer) attrs(p *pen, c *conversation) {
	list := c.Attrs
	if r.qa {
		list = append(list[:len(list):len(list)], c.qaAttrs()...)
	}
	p.attrs("custom_attributes", list)
}

// rating: a workflow as its teammate is of the later version (workspace-api 2.10).
func (r *convRenderer) rating(p *pen, g *event.Rating) {
	if g == nil {
		p.null("conversation_rating")
		return
	}
	p.open("conversation_rating")
	p.int("rating", g.Stars)
	p.text("remark", g.Remark)
	p.time("created_at", g.Created)
	if r.version.atLeast(v214) {
		p.time("updated_at", g.Updated)
	}
	p.open("contact")
	p.text("type", "contact")
	p.text("id", g.Contact.ID)
	p.text("external_id", g.Contact.ExternalID)
	p.close()
	switch {
	case g.By == "admin":
		p.open("teammate")
		p.text("type", "admin")
		p.text("id", strconv.FormatInt(g.Admin, 10))
		p.close()
	case g.By == "workflow" && r.later:
		p.raw("teammate", `{"type":"workflow","id":"`+event.WorkflowID+`"}`)
	default:
		p.null("teammate")
	}
	p.close()
}

func (r *convRenderer) firstReply(p *pen, c *conversation) {
	if f := c.FirstReply; f == nil {
		p.null("first_contact_reply")
	} else {
		p.open("first_contact_reply")
		p.time("created_at", f.At)
		p.text("type", f.Type)
		p.text("url", f.URL)
		p.close()
	}
	if c.SLA == nil {
		p.null("sla_applied")
		return
	}
	p.open("sla_applied")
	p.text("type", "conversation_sla_summary")
	p.text("sla_name", c.SLA.Name)
	p.text("sla_status", c.SLA.Status)
	p.close()
}

func (r *convRenderer) statistics(p *pen, c *conversation) {
	if c.bare {
		p.null("statistics")
		return
	}
	s := &c.Stats
	since := func(name string, at int64) {
		if at == 0 {
			p.null(name)
			return
		}
		p.int(name, at-c.Created)
	}
	p.open("statistics")
	p.text("type", "conversation_statistics")
	since("time_to_assignment", s.FirstAssigned)
	since("time_to_admin_reply", s.FirstAdmin)
	since("time_to_first_close", s.FirstClose)
	since("time_to_last_close", s.LastClose)
	p.time("median_time_to_reply", s.Median)
	p.time("first_contact_reply_at", s.FirstContact)
	p.time("first_assignment_at", s.FirstAssigned)
	p.time("first_admin_reply_at", s.FirstAdmin)
	p.time("first_close_at", s.FirstClose)
	p.time("last_assignment_at", s.LastAssigned)
	p.time("last_assignment_admin_reply_at", s.LastAssignedAdmin)
	p.time("last_contact_reply_at", s.LastContact)
	p.time("last_admin_reply_at", s.LastAdmin)
	p.time("last_close_at", s.LastClose)
	p.text("last_closed_by_id", s.ClosedBy)
	p.int("count_reopens", s.Reopens)
	p.int("count_assignments", s.Assignments)
	p.int("count_conversation_parts", int64(len(c.Parts)))
	p.time("handling_time", s.Handling)
	p.close()
}
