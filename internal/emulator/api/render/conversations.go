package render

import (
	"strconv"

	"aqueduck/internal/emulator/apiversion"
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/jsontext"
	"aqueduck/internal/emulator/population"
	"aqueduck/internal/emulator/state/conversations"
)

// Conversations has the settings that answers about conversations depend on.
type Conversations struct {
	Version   apiversion.Version
	Later     bool  // the version after 2.16
	Reviews   bool  // attributes written by quality assurance are sent
	Cap       int   // parts in an answer
	Parts     bool  // parts are sent
	Cards     bool  // the request asks for QA data
	Monitors  bool  // evaluations of monitors are sent
	Omit      bool  // parts have no fields that are null
	Translate bool  // bodies of parts are translated
	Now       int64 // Unix seconds
	Companies *population.Contacts
}

// AppendConversation writes a conversation with the fields of api-notes, with a comma when it is not the first of its list.
func (r *Conversations) AppendConversation(b []byte, c *conversations.Conversation) []byte {
	p := &jsontext.Writer{Bytes: b}
	p.Open("")
	p.TextOrNull("type", "conversation")
	p.TextOrNull("id", c.ID)
	p.TextOrNull("title", c.Title)
	p.TimeOrNull("created_at", c.Created)
	p.TimeOrNull("updated_at", c.Updated)
	p.TimeOrNull("waiting_since", c.Waiting)
	p.TimeOrNull("snoozed_until", c.Snoozed)
	p.Bool("open", c.State != "closed")
	p.TextOrNull("state", c.State)
	p.Bool("read", c.Read)
	p.TextOrNull("priority", conversations.PriorityWord(c.Priority))
	r.writeAssignee(p, "admin_assignee_id", c.Admin)
	r.writeAssignee(p, "team_assignee_id", c.Team)
	r.writeCompany(p, c.Company)
	r.writeSource(p, c.Source)
	r.writeContacts(p, c)
	r.writeTeammates(p, c)
	r.writeTags(p, c)
	r.writeAttributes(p, c)
	r.writeRating(p, c.Rating)
	r.firstReply(p, c)
	r.writeStatistics(p, c)
	r.aiAgent(p, c.AI)
	r.writeLinkedObjects(p, c)
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

// writeAssignee writes an assignee. Nobody is null in older versions and 0 in newer ones (api-notes, Reading leniently).
func (r *Conversations) writeAssignee(p *jsontext.Writer, name string, id int64) {
	if r.Later {
		p.Int(name, id)
		return
	}
	p.TimeOrNull(name, id)
}

func (r *Conversations) writeCompany(p *jsontext.Writer, n int32) {
	if n < 0 {
		p.Null("company")
		return
	}
	p.Open("company")
	p.TextOrNull("type", "company")
	p.TextOrNull("id", string(r.Companies.AppendCompanyID(nil, n)))
	p.Close()
}

func (r *Conversations) writeSource(p *jsontext.Writer, s *event.Source) {
	if s == nil {
		p.Null("source")
		return
	}
	p.Open("source")
	p.TextOrNull("type", s.Type)
	p.TextOrNull("id", s.ID)
	p.TextOrNull("delivered_as", s.Delivered)
	p.String("subject", s.Subject)
	p.TextOrNull("body", s.Body)
	r.writeAuthor(p, &s.Author)
	r.writeFiles(p, s.Files)
	p.TextOrNull("url", s.URL)
	p.Bool("redacted", s.Redacted)
	p.Close()
}

// writeAuthor writes an author; the flags came with 2.14.
func (r *Conversations) writeAuthor(p *jsontext.Writer, a *event.Author) {
	p.Open("author")
	p.TextOrNull("type", a.Type)
	p.TextOrNull("id", a.ID)
	p.TextOrNull("name", a.Name)
	p.TextOrNull("email", a.Email)
	if r.Version.AtLeast(apiversion.V214) {
		p.Bool("from_ai_agent", a.AI)
		p.Bool("is_ai_answer", a.Answer)
	}
	p.Close()
}

// writeFiles writes attachments. Every answer signs their addresses anew, for an hour.
func (r *Conversations) writeFiles(p *jsontext.Writer, list []event.Attachment) {
	p.OpenList("attachments")
	for _, f := range list {
		p.OpenItem()
		p.TextOrNull("type", "upload")
		p.TextOrNull("name", f.Name)
		p.TextOrNull("url", fileURL(f)+"?expires="+strconv.FormatInt(r.Now+3600, 10)+"&signature="+strconv.FormatUint(event.MixBits(f.ID^uint64(r.Now)), 16))
		p.TextOrNull("content_type", f.Type)
		p.Int("filesize", f.Size)
		p.TimeOrNull("width", f.Width)
		p.TimeOrNull("height", f.Height)
		p.Close()
	}
	p.CloseList()
}

func fileURL(f event.Attachment) string {
	return "https://files.example/i/" + strconv.FormatUint(f.ID, 16)
}

func (r *Conversations) writeContacts(p *jsontext.Writer, c *conversations.Conversation) {
	p.OpenTypedList("contacts", "contact.list", "contacts")
	for _, d := range c.Contacts {
		p.OpenItem()
		p.TextOrNull("type", "contact")
		p.TextOrNull("id", d.ID)
		p.TextOrNull("external_id", d.ExternalID)
		p.Close()
	}
	p.CloseTypedList()
}

func (r *Conversations) writeTeammates(p *jsontext.Writer, c *conversations.Conversation) {
	mates := c.Teammates()
	if c.Bare || len(mates) == 0 {
		p.Null("teammates")
		return
	}
	p.OpenTypedList("teammates", "admin.list", "teammates")
	for _, id := range mates {
		p.OpenItem()
		p.TextOrNull("type", "admin")
		p.TextOrNull("id", id)
		p.Close()
	}
	p.CloseTypedList()
}

func (r *Conversations) writeTags(p *jsontext.Writer, c *conversations.Conversation) {
	p.OpenTypedList("tags", "tag.list", "tags")
	for _, t := range c.Tags {
		p.OpenItem()
		p.TextOrNull("type", "tag")
		p.TextOrNull("id", strconv.FormatInt(event.TagID(t.Tag), 10))
		p.TextOrNull("name", r.Companies.Cast.TagName(t.Tag))
		p.TimeOrNull("applied_at", t.At)
		p.Open("applied_by")
		p.TextOrNull("type", "admin")
		p.TextOrNull("id", strconv.FormatInt(t.By, 10))
		p.Close()
		p.Close()
	}
	p.CloseTypedList()
}

func (r *Conversations) writeAttributes(p *jsontext.Writer, c *conversations.Conversation) {
	list := c.Attrs
	if r.Reviews {
		list = append(list[:len(list):len(list)], c.ReviewAttributes()...)
	}
	p.WriteAttributes("custom_attributes", list)
}

// writeRating writes a rating. A workflow as its teammate came with the later version (workspace-api 2.10).
func (r *Conversations) writeRating(p *jsontext.Writer, g *event.Rating) {
	if g == nil {
		p.Null("conversation_rating")
		return
	}
	p.Open("conversation_rating")
	p.TimeOrNull("rating", g.Stars) // null: requested, and not given
	p.TextOrNull("remark", g.Remark)
	p.TimeOrNull("created_at", g.Created)
	if r.Version.AtLeast(apiversion.V214) {
		p.TimeOrNull("updated_at", g.Updated)
	}
	p.Open("contact")
	p.TextOrNull("type", "contact")
	p.TextOrNull("id", g.Contact.ID)
	p.TextOrNull("external_id", g.Contact.ExternalID)
	p.Close()
	switch {
	case g.By == "admin":
		p.Open("teammate")
		p.TextOrNull("type", "admin")
		p.TextOrNull("id", strconv.FormatInt(g.Admin, 10))
		p.Close()
	case g.By == "workflow" && r.Later:
		p.RawOrNull("teammate", `{"type":"workflow","id":"`+event.WorkflowID+`"}`)
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
		p.TimeOrNull("created_at", f.At)
		p.TextOrNull("type", f.Type)
		p.TextOrNull("url", f.URL)
		p.Close()
	}
	if c.SLA == nil {
		p.Null("sla_applied")
		return
	}
	p.Open("sla_applied")
	p.TextOrNull("type", "conversation_sla_summary")
	p.TextOrNull("sla_name", c.SLA.Name)
	p.TextOrNull("sla_status", c.SLA.Status)
	p.Close()
}

func (r *Conversations) writeStatistics(p *jsontext.Writer, c *conversations.Conversation) {
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
	sinceReply := func(name string, at int64) { // from the contact's first message
		if s.FirstContact == 0 || at < s.FirstContact {
			p.Null(name)
			return
		}
		p.Int(name, at-s.FirstContact)
	}
	p.Open("statistics")
	p.TextOrNull("type", "conversation_statistics")
	since("time_to_assignment", s.FirstAssigned)
	since("time_to_admin_reply", s.FirstAdmin)
	sinceReply("time_to_first_close", s.FirstClose)
	sinceReply("time_to_last_close", s.LastClose)
	p.TimeOrNull("median_time_to_reply", s.Median)
	p.TimeOrNull("first_contact_reply_at", s.FirstContact)
	p.TimeOrNull("first_assignment_at", s.FirstAssigned)
	p.TimeOrNull("first_admin_reply_at", s.FirstAdmin)
	p.TimeOrNull("first_close_at", s.FirstClose)
	p.TimeOrNull("last_assignment_at", s.LastAssigned)
	p.TimeOrNull("last_assignment_admin_reply_at", s.LastAssignedAdmin)
	p.TimeOrNull("last_contact_reply_at", s.LastContact)
	p.TimeOrNull("last_admin_reply_at", s.LastAdmin)
	p.TimeOrNull("last_close_at", s.LastClose)
	p.TextOrNull("last_closed_by_id", s.ClosedBy)
	p.Int("count_reopens", s.Reopens)
	p.Int("count_assignments", s.Assignments)
	p.Int("count_conversation_parts", int64(len(c.Parts)))
	p.TimeOrNull("handling_time", s.Handling)
	p.Close()
}
