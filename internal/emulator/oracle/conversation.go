package oracle

import "aqueduck/internal/emulator/event"

// eachConversation yields the conversations that are not deleted.
func (o *Oracle) eachConversation(yield func(t *replayedThread) bool) {
	groupByRecord(o.log.Conversations, func(opened *event.ThreadEvent, since []*event.ThreadEvent, gone bool) bool {
		return gone || yield(replayThread(event.ConversationID(opened.Num), opened, o.log.Facts.Conversation(opened), since))
	})
}

// conversationRows yields a row for every conversation, with its objects flattened.
func conversationRows(o *Oracle, yield func(Row) bool) {
	o.eachConversation(func(t *replayedThread) bool { return yield(t.conversationRow(o)) })
}

// ofConversations yields the child rows of each conversation.
func ofConversations(rows func(t *replayedThread, o *Oracle) []Row) func(o *Oracle, yield func(Row) bool) {
	return func(o *Oracle, yield func(Row) bool) {
		o.eachConversation(func(t *replayedThread) bool {
			for _, row := range rows(t, o) {
				row["conversation_id"] = t.ID
				if !yield(row) {
					return false
				}
			}
			return true
		})
	}
}

func (t *replayedThread) conversationRow(o *Oracle) Row {
	row := Row{"id": t.ID, "title": t.title, "created_at": t.created, "updated_at": t.updated, "priority": map[bool]string{true: "priority", false: "not_priority"}[t.priority],
		"company_id":            nil,
		"ai_agent_participated": t.lastPart(func(p *event.Part) bool { return p.Author.AI }) != nil,
		"custom_attributes":     jsonAttributes(t.attrs)}
	if t.company >= 0 {
		row["company_id"] = o.log.Facts.CompanyID(t.company)
	}
	t.fillStanding(row)
	for column, value := range row {
		row[column] = orNull(value)
	}
	// Nobody is 0, and an empty subject stays empty: both are values of the API, not null.
	row["admin_assignee_id"], row["team_assignee_id"] = t.assigneesNow()
	t.fillBeginning(row)
	t.fillRating(row)
	t.fillStatistics(row)
	t.fillAIColumns(row)
	return row
}

// lastPart returns the newest part that fits, nil when none does.
func (t *replayedThread) lastPart(fits func(p *event.Part) bool) *event.Part {
	for i := len(t.parts) - 1; i >= 0; i-- {
		if fits(&t.parts[i]) {
			return &t.parts[i]
		}
	}
	return nil
}

func (t *replayedThread) firstPart(fits func(p *event.Part) bool) *event.Part {
	for i := range t.parts {
		if fits(&t.parts[i]) {
			return &t.parts[i]
		}
	}
	return nil
}

func isComment(p *event.Part) bool { return p.Type == "comment" }

func isAsking(p *event.Part) bool {
	return isComment(p) && (p.Author.Type == "user" || p.Author.Type == "lead")
}

func isClose(p *event.Part) bool { return p.Type == "close" }

func isReply(p *event.Part) bool { return isComment(p) && p.Author.Type == "admin" }

func givesCharge(p *event.Part) bool {
	return p.Assigned.As == event.AssignTeam || p.Assigned.Admin != 0
}

// fillStanding fills in the state of the conversation, which follows from its last parts.
func (t *replayedThread) fillStanding(row Row) {
	state, read := "open", false
	if len(t.parts) > 0 {
		state = t.parts[len(t.parts)-1].State
	}
	// The last comment decides whether it is read, unless somebody has set the flag since.
	since := t.readSet
	for i := range t.parts {
		if p := &t.parts[i]; isComment(p) && (since == nil || i >= since.parts) {
			read, since = !isAsking(p), nil
		}
	}
	if since != nil {
		read = since.read
	}
	row["state"], row["open"], row["read"] = state, state != "closed", read
	// It waits since the first question after the last answer or closing. The source is the first question of all.
	var waiting int64
	if t.Source != nil && t.Source.Delivered == "customer_initiated" {
		waiting = t.created
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
		row["snoozed_until"] = t.lastPart(func(p *event.Part) bool { return p.Until != 0 }).Until
	}
}

// assigneesNow returns the assignees: for each of both, the last part that changed it decides.
func (t *replayedThread) assigneesNow() (adm, team int64) {
	if p := t.lastPart(func(p *event.Part) bool {
		return p.Assigned.Admin != 0 || p.Assigned.As == event.RemoveTeammate || p.Assigned.As == event.RemoveAll
	}); p != nil {
		adm = p.Assigned.Admin
	}
	if p := t.lastPart(func(p *event.Part) bool {
		return p.Assigned.Team != 0 || p.Assigned.As == event.RemoveTeam || p.Assigned.As == event.RemoveAll
	}); p != nil {
		team = p.Assigned.Team
	}
	return adm, team
}

func (t *replayedThread) fillBeginning(row Row) {
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

func (t *replayedThread) fillRating(row Row) {
	for _, column := range []string{"rating", "rating_remark", "rating_created_at", "rating_updated_at", "rating_contact_id",
		"rating_teammate_type", "rating_teammate_id"} {
		row[column] = nil
	}
	g := t.score
	if g == nil {
		return
	}
	row["rating"], row["rating_remark"], row["rating_created_at"], row["rating_updated_at"] = orNull(g.Stars), orNull(g.Remark), g.Created, g.Updated
	row["rating_contact_id"] = g.Contact.ID
	switch g.By {
	case "admin":
		row["rating_teammate_type"], row["rating_teammate_id"] = "admin", idText(g.Admin)
	case "workflow":
		row["rating_teammate_type"], row["rating_teammate_id"] = "workflow", event.WorkflowID
	}
}
