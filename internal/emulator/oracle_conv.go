package emulator

import (
	"slices"
	"strconv"
	"strings"
)

// told is what the log says of one conversation: what it was born with, all its parts, and what was changed since.
// Everything that follows from the parts is worked out from all of them, not kept up as the server does.
type told struct {
	*conversation // as it was drawn; only what never follows from the parts is read from it
	parts         []part
	updated       int64
	title         string
	priority      bool
	attrs         []attr
	score         *rating
	tags          []int32
	linked        []linked
	sources       []content
	cards         []scorecard
	monitors      []monitor
	redacted      bool               // the source
	company       int32              // -1: none
	people        []*doc             // its contacts
	shared        *bool              // a ticket that somebody shared, or did not any more
	marked        *marking           // when somebody said whether it is read
	rewritten     map[int32]assigned // parts by place: what they tell of the assignment now, which is not what they did
}

// marking is what somebody said of a conversation that had so many parts then.
type marking struct {
	read  bool
	parts int
}

// tales tells conversation by conversation, those that are not deleted.
func (o *oracle) tales(yield func(t *told) bool) {
	tellings(o.said, func(opened *convEvent, since []*convEvent) bool {
		return yield(tale(o.conv.birth(opened), opened, since))
	})
}

// tellings reads a log record by record, those that are not deleted: how each was opened, and what happened since.
func tellings(log []convEvent, yield func(opened *convEvent, since []*convEvent) bool) {
	allTellings(log, func(opened *convEvent, since []*convEvent, gone bool) bool { return gone || yield(opened, since) })
}

// allTellings reads those that are deleted too, and says so.
func allTellings(log []convEvent, yield func(opened *convEvent, since []*convEvent, gone bool) bool) {
	since := map[int32][]*convEvent{}
	gone := map[int32]bool{}
	for i := range log {
		switch e := &log[i]; e.Kind {
		case convOpened:
		case convDeleted:
			gone[e.Conv] = true
		default:
			since[e.Conv] = append(since[e.Conv], e)
		}
	}
	for i := range log {
		if e := &log[i]; e.Kind == convOpened && !yield(e, since[e.Conv], gone[e.Conv]) {
			return
		}
	}
}

func tale(c *conversation, opened *convEvent, since []*convEvent) *told {
	t := &told{conversation: c, parts: c.Parts, updated: max(opened.At, opened.Until), title: c.Title, priority: c.Priority, attrs: c.Attrs,
		score: c.Rating, linked: c.Linked, cards: c.Cards, monitors: c.Monitors, redacted: c.Source != nil && c.Source.Redacted, company: c.Company,
		people: c.Contacts}
	for _, a := range c.Tags {
		t.tags = append(t.tags, a.Tag)
	}
	if c.AI != nil {
		t.sources = c.AI.Sources
	}
	for _, e := range since {
		t.hear(e)
	}
	return t
}

func (t *told) hear(e *convEvent) {
	if !e.Quiet {
		t.updated = e.At
	}
	switch with := e.With; e.Kind {
	case convSpoken:
		t.parts = append(t.parts, with.part)
		if with.source != nil {
			t.sources = append(t.sources, *with.source)
		}
	case convRedacted:
		if e.Place < 0 {
			t.redacted = true
			return
		}
		p := &t.parts[e.Place]
		p.Redacted, p.Body, p.Files, p.Updated = true, "", nil, e.At
	case convMutated:
		p := &t.parts[e.Place]
		if with.body != "" {
			p.Body, p.Updated = with.body, e.At
		}
		if with.assigned != nil {
			if t.rewritten == nil {
				t.rewritten = map[int32]assigned{}
			}
			t.rewritten[e.Place] = *with.assigned
		}
	case convRated:
		t.score = &with.rating
	case convReviewed:
		t.cards = slices.DeleteFunc(slices.Clone(t.cards), func(s scorecard) bool { return s.ID == with.card.ID })
		t.cards = append(t.cards, with.card)
	case convMonitored:
		t.monitors = slices.DeleteFunc(slices.Clone(t.monitors), func(m monitor) bool { return m.ID == with.monitor.ID })
		t.monitors = append(t.monitors, with.monitor)
	case convTagged:
		t.tags = append(without(t.tags, e.Place), e.Place)
	case convUntagged:
		t.tags = without(t.tags, e.Place)
	case convLinked:
		t.linked = append(t.linked, with.linked)
	case convPassedOn:
		t.people = e.Who
	case convSet:
		for _, s := range with.set {
			t.write(s)
		}
	}
}

func (t *told) write(s Change) {
	switch name, attribute := strings.CutPrefix(s.Field, "custom_attributes."); {
	case attribute:
		raw, _ := rawJSON(s.Value) // checked before it came into the log
		t.attrs = setAttr(t.attrs, name, raw)
	case s.Field == "title":
		t.title, _ = s.Value.(string)
	case s.Field == "read":
		t.marked = &marking{s.Value == true, len(t.parts)}
	case s.Field == "is_shared":
		shared := s.Value == true
		t.shared = &shared
	case s.Field == "company_id":
		t.company = -1
		if firm, some := s.Value.(int64); some {
			t.company = int32(firm)
		}
	default:
		t.priority = s.Value == "priority"
	}
}

// conversations gives a row for every conversation, its objects flattened.
func (o *oracle) conversations(yield func(map[string]any) bool) {
	o.tales(func(t *told) bool { return yield(t.row(o)) })
}

func (t *told) row(o *oracle) map[string]any {
	row := map[string]any{"id": t.ID, "title": t.title, "created_at": t.Created, "updated_at": t.updated, "priority": priorityWord(t.priority),
		"company_id":            nil,
		"ai_agent_participated": t.last(func(p *part) bool { return p.Author.AI }) != nil,
		"custom_attributes":     string((&renderer{}).attrs(nil, &doc{Attrs: t.attrs})[len(`,"custom_attributes":`):])}
	if t.company >= 0 {
		row["company_id"] = string(o.make.appendCompanyID(nil, t.company))
	}
	t.standing(row)
	for column, value := range row {
		row[column] = orNull(value)
	}
	// A nobody is 0, and an empty subject is one.
	row["admin_assignee_id"], row["team_assignee_id"] = t.incharge()
	t.beginning(row)
	t.rated(row)
	t.figures(row)
	t.assisted(row)
	return row
}

// last is the newest part that fits, nil when none does.
func (t *told) last(fits func(p *part) bool) *part {
	for i := len(t.parts) - 1; i >= 0; i-- {
		if fits(&t.parts[i]) {
			return &t.parts[i]
		}
	}
	return nil
}

func (t *told) first(fits func(p *part) bool) *part {
	for i := range t.parts {
		if fits(&t.parts[i]) {
			return &t.parts[i]
		}
	}
	return nil
}

func isComment(p *part) bool { return p.Type == "comment" }
func isAsking(p *part) bool {
	return isComment(p) && (p.Author.Type == "user" || p.Author.Type == "lead")
}
func isClose(p *part) bool { return p.Type == "close" }
func isReply(p *part) bool { return isComment(p) && p.Author.Type == "admin" }
func givesCharge(p *part) bool {
	return p.Assigned.As == AssignTeam || p.Assigned.Admin != 0
}

// standing is where the conversation stands: what its last parts say.
func (t *told) standing(row map[string]any) {
	state, read := "open", false
	if len(t.parts) > 0 {
		state = t.parts[len(t.parts)-1].State
	}
	// The last word decides, or whoever has said since whether it is read.
	since := t.marked
	for i := range t.parts {
		if p := &t.parts[i]; isComment(p) && (since == nil || i >= since.parts) {
			read, since = !isAsking(p), nil
		}
	}
	if since != nil {
		read = since.read
	}
	row["state"], row["open"], row["read"] = state, state != "closed", read
	// It waits since the first question after the last answer or closing; the source is the first question of all.
	var waiting int64
	if t.Source != nil && t.Source.Delivered == "customer_initiated" {
		waiting = t.Created
	}
	for i := range t.parts {
		switch p := &t.parts[i]; {
		case isAsking(p) && waiting == 0:
			waiting = p.At
		case isComment(p) && !isAsking(p), isClose(p):
			waiting = 0
		}
	}
	row["waiting_since"], row["snoozed_until"] = waiting, int64(0)
	if state == "snoozed" {
		row["snoozed_until"] = t.last(func(p *part) bool { return p.Until != 0 }).Until
	}
}

// incharge tells who is in charge: the last part that speaks of each.
func (t *told) incharge() (adm, team int64) {
	if p := t.last(func(p *part) bool {
		return p.Assigned.Admin != 0 || p.Assigned.As == RemoveTeammate || p.Assigned.As == RemoveAll
	}); p != nil {
		adm = p.Assigned.Admin
	}
	if p := t.last(func(p *part) bool {
		return p.Assigned.Team != 0 || p.Assigned.As == RemoveTeam || p.Assigned.As == RemoveAll
	}); p != nil {
		team = p.Assigned.Team
	}
	return adm, team
}

func (t *told) beginning(row map[string]any) {
	columns := []string{"source_type", "source_id", "source_delivered_as", "source_subject", "source_body", "source_url", "source_redacted",
		"source_author_type", "source_author_id", "source_author_name", "source_author_email", "source_author_from_ai_agent", "source_author_is_ai_answer"}
	for _, column := range columns {
		row[column] = nil
	}
	if s := t.Source; s != nil {
		subject, body := s.Subject, s.Body
		if t.redacted {
			subject, body = "", ""
		}
		for i, value := range []any{s.Type, s.ID, s.Delivered, subject, orNull(body), orNull(s.URL), t.redacted,
			s.Author.Type, s.Author.ID, orNull(s.Author.Name), orNull(s.Author.Email), s.Author.AI, s.Author.Answer} {
			row[columns[i]] = value
		}
	}
	row["first_contact_reply_created_at"], row["first_contact_reply_type"], row["first_contact_reply_url"] = nil, nil, nil
	if f := t.FirstReply; f != nil {
		row["first_contact_reply_created_at"], row["first_contact_reply_type"], row["first_contact_reply_url"] = f.At, f.Type, orNull(f.URL)
	}
	row["sla_name"], row["sla_status"] = nil, nil
	if t.SLA != nil {
		row["sla_name"], row["sla_status"] = t.SLA.Name, t.SLA.Status
	}
}

func (t *told) rated(row map[string]any) {
	for _, column := range []string{"rating", "rating_remark", "rating_created_at", "rating_updated_at", "rating_contact_id",
		"rating_teammate_type", "rating_teammate_id"} {
		row[column] = nil
	}
	g := t.score
	if g == nil {
		return
	}
	row["rating"], row["rating_remark"], row["rating_created_at"], row["rating_updated_at"] = g.Stars, orNull(g.Remark), g.Created, g.Updated
	row["rating_contact_id"] = g.Contact.ID
	switch g.By {
	case "admin":
		row["rating_teammate_type"], row["rating_teammate_id"] = "admin", strconv.FormatInt(g.Admin, 10)
	case "workflow":
		row["rating_teammate_type"], row["rating_teammate_id"] = "workflow", workflowID
	}
}
