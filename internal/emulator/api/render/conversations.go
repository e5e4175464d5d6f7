package render

import (
	"strconv"

	"aqueduck/internal/emulator/apiversion"
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/jsontext"
	"aqueduck/internal/emulator/population"
	"aqueduck/internal/emulator/state/conversations"
)

// Conversations is what an answer about conversations depends on beside the conversations.
type Conversations struct {
	Version   apiversion.Version
	Later     bool  // the version after 2.16
	Reviews   bool  // attributes that quality assurance wrote are sent
	Cap       int   // parts in an answer
	Parts     bool  // parts are sent
	Cards     bool  // QA data is asked for
	Monitors  bool  // evaluations of monitors are sent
	Omit      bool  // parts have no fields that are null
	Translate bool  // bodies of parts are translated
	Now       int64 // Unix seconds
	Companies *population.Contacts
}

// Conversation writes one with the fields of api-notes, behind the one before it in a list.
func (r *Conversations) Conversation(b []byte, c *conversations.Conversation) []byte {
	p := &jsontext.Writer{Bytes: b}
	p.Open("")
	p.Text("type", "conversation")
	p.Text("id", c.ID)
	p.Text("title", c.Title)
	p.Time("created_at", c.Created)
	p.Time("updated_at", c.Updated)
	p.Time("waiting_since", c.Waiting)
	p.Time("snoozed_until", c.Snoozed)
	p.Flag("open", c.State != "closed")
	p.Text("state", c.State)
	p.Flag("read", c.Read)
	p.Text("priority", conversations.PriorityWord(c.Priority))
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
	if r.Parts {
		r.partList(p, c, "conversation_part")
	}
	if r.Cards {
		writeScorecards(p, c.Cards)
	}
	if r.Monitors {
		writeEvaluations(p, c.Monitors)
	}
	p.Close()
	return p.Bytes
}

// assignee: nobody is null in older versions and 0 in newer ones (api-notes, Reading leniently).
func (r *Conversations) assignee(p *jsontext.Writer, name string, id int64) {
	if r.Later {
		p.Int(name, id)
		return
	}
	p.Time(name, id)
}

func (r *Conversations) company(p *jsontext.Writer, n int32) {
	if n < 0 {
		p.Null("company")
		return
	}
	p.Open("company")
	p.Text("type", "company")
	p.Text("id", string(r.Companies.AppendCompanyID(nil, n)))
	p.Close()
}

func (r *Conversations) source(p *jsontext.Writer, s *event.Source) {
	if s == nil {
		p.Null("source")
		return
	}
	p.Open("source")
	p.Text("type", s.Type)
	p.Text("id", s.ID)
	p.Text("delivered_as", s.Delivered)
	p.String("subject", s.Subject)
	p.Text("body", s.Body)
	r.author(p, &s.Author)
	r.files(p, s.Files)
	p.Text("url", s.URL)
	p.Flag("redacted", s.Redacted)
	p.Close()
}

// author: the flags are those of 2.14.
func (r *Conversations) author(p *jsontext.Writer, a *event.Author) {
	p.Open("author")
	p.Text("type", a.Type)
	p.Text("id", a.ID)
	p.Text("name", a.Name)
	p.Text("email", a.Email)
	if r.Version.AtLeast(apiversion.V214) {
		p.Flag("from_ai_agent", a.AI)
		p.Flag("is_ai_answer", a.Answer)
	}
	p.Close()
}

// files: every answer signs the addresses anew, for an hour.
func (r *Conversations) files(p *jsontext.Writer, list []event.File) {
	p.List("attachments")
	for _, f := range list {
		p.Item()
		p.Text("type", "upload")
		p.Text("name", f.Name)
		p.Text("url", fileURL(f)+"?expires="+strconv.FormatInt(r.Now+3600, 10)+"&signature="+strconv.FormatUint(event.Mix(f.ID^uint64(r.Now)), 16))
		p.Text("content_type", f.Type)
		p.Int("filesize", f.Size)
		p.Time("width", f.Width)
		p.Time("height", f.Height)
		p.Close()
	}
	p.End()
}

func fileURL(f event.File) string { return "https://files.example/i/" + strconv.FormatUint(f.ID, 16) }

func (r *Conversations) contacts(p *jsontext.Writer, c *conversations.Conversation) {
	p.Typed("contacts", "contact.list", "contacts")
	for _, d := range c.Contacts {
		p.Item()
		p.Text("type", "contact")
		p.Text("id", d.ID)
		p.Text("external_id", d.ExternalID)
		p.Close()
	}
	p.Done()
}

func (r *Conversations) teammates(p *jsontext.Writer, c *conversations.Conversation) {
	mates := c.Teammates()
	if c.Bare || len(mates) == 0 {
		p.Null("teammates")
		return
	}
	p.Typed("teammates", "admin.list", "teammates")
	for _, id := range mates {
		p.Item()
		p.Text("type", "admin")
		p.Text("id", id)
		p.Close()
	}
	p.Done()
}

func (r *Conversations) tags(p *jsontext.Writer, c *conversations.Conversation) {
	p.Typed("tags", "tag.list", "tags")
	for _, t := range c.Tags {
		p.Item()
		p.Text("type", "tag")
		p.Text("id", strconv.FormatInt(event.TagID(t.Tag), 10))
		p.Text("name", event.TagName(t.Tag))
		p.Time("applied_at", t.At)
		p.Open("applied_by")
		p.Text("type", "admin")
		p.Text("id", strconv.FormatInt(t.By, 10))
		p.Close()
		p.Close()
	}
	p.Done()
}

func (r *Conversations) attrs(p *jsontext.Writer, c *conversations.Conversation) {
	list := c.Attrs
	if r.Reviews {
		list = append(list[:len(list):len(list)], c.ReviewAttributes()...)
	}
	p.Attrs("custom_attributes", list)
}

// rating: a workflow as its teammate is of the later version (workspace-api 2.10).
func (r *Conversations) rating(p *jsontext.Writer, g *event.Rating) {
	if g == nil {
		p.Null("conversation_rating")
		return
	}
	p.Open("conversation_rating")
	p.Int("rating", g.Stars)
	p.Text("remark", g.Remark)
	p.Time("created_at", g.Created)
	if r.Version.AtLeast(apiversion.V214) {
		p.Time("updated_at", g.Updated)
	}
	p.Open("contact")
	p.Text("type", "contact")
	p.Text("id", g.Contact.ID)
	p.Text("external_id", g.Contact.ExternalID)
	p.Close()
	switch {
	case g.By == "admin":
		p.Open("teammate")
		p.Text("type", "admin")
		p.Text("id", strconv.FormatInt(g.Admin, 10))
		p.Close()
	case g.By == "workflow" && r.Later:
		p.Raw("teammate", `{"type":"workflow","id":"`+event.WorkflowID+`"}`)
	default:
		p.Null("teammate")
	}
	p.Close()
}

func (r *Conversations) firstReply(p *jsontext.Writer, c *conversations.Conversation) {
	if f := c.FirstReply; f == nil {
		p.Null("first_contact_reply")
	} else {
		p.Open("first_contact_reply")
		p.Time("created_at", f.At)
		p.Text("type", f.Type)
		p.Text("url", f.URL)
		p.Close()
	}
	if c.SLA == nil {
		p.Null("sla_applied")
		return
	}
	p.Open("sla_applied")
	p.Text("type", "conversation_sla_summary")
	p.Text("sla_name", c.SLA.Name)
	p.Text("sla_status", c.SLA.Status)
	p.Close()
}

func (r *Conversations) statistics(p *jsontext.Writer, c *conversations.Conversation) {
	if c.Bare {
		p.Null("statistics")
		return
	}
	s := &c.Stats
	since := func(name string, at int64) {
		if at == 0 {
			p.Null(name)
			return
		}
		p.Int(name, at-c.Created)
	}
	p.Open("statistics")
	p.Text("type", "conversation_statistics")
	since("time_to_assignment", s.FirstAssigned)
	since("time_to_admin_reply", s.FirstAdmin)
	since("time_to_first_close", s.FirstClose)
	since("time_to_last_close", s.LastClose)
	p.Time("median_time_to_reply", s.Median)
	p.Time("first_contact_reply_at", s.FirstContact)
	p.Time("first_assignment_at", s.FirstAssigned)
	p.Time("first_admin_reply_at", s.FirstAdmin)
	p.Time("first_close_at", s.FirstClose)
	p.Time("last_assignment_at", s.LastAssigned)
	p.Time("last_assignment_admin_reply_at", s.LastAssignedAdmin)
	p.Time("last_contact_reply_at", s.LastContact)
	p.Time("last_admin_reply_at", s.LastAdmin)
	p.Time("last_close_at", s.LastClose)
	p.Text("last_closed_by_id", s.ClosedBy)
	p.Int("count_reopens", s.Reopens)
	p.Int("count_assignments", s.Assignments)
	p.Int("count_conversation_parts", int64(len(c.Parts)))
	p.Time("handling_time", s.Handling)
	p.Close()
}
