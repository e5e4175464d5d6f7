package emulator

import (
	"strconv"

	"aqueduck/internal/emulator/event"
)

// figures are the statistics, each one asked of all the parts.
func (t *told) figures(row map[string]any) {
	at := func(p *event.Part) any {
		if p == nil {
			return nil
		}
		return p.At
	}
	since := func(p *event.Part) any {
		if p == nil {
			return nil
		}
		return p.At - t.created
	}
	assigned := t.first(givesCharge)
	figures := map[string]any{
		"time_to_assignment": since(assigned), "time_to_admin_reply": since(t.first(isReply)),
		"time_to_first_close": since(t.first(isClose)), "time_to_last_close": since(t.last(isClose)),
		"first_contact_reply_at": at(t.first(isAsking)), "last_contact_reply_at": at(t.last(isAsking)),
		"first_assignment_at": at(assigned), "last_assignment_at": at(t.last(givesCharge)),
		"first_admin_reply_at": at(t.first(isReply)), "last_admin_reply_at": at(t.last(isReply)),
		"first_close_at": at(t.first(isClose)), "last_close_at": at(t.last(isClose)),
		"last_assignment_admin_reply_at": nil, "last_closed_by_id": nil,
		"count_conversation_parts": int64(len(t.parts)), "count_assignments": int64(0), "count_reopens": int64(0),
		"median_time_to_reply": orNull(t.Median), "handling_time": orNull(t.Handling),
	}
	if p := t.last(isClose); p != nil {
		figures["last_closed_by_id"] = p.Author.ID
	}
	before, charged := "open", false
	for i := range t.parts {
		p := &t.parts[i]
		if before == "closed" && p.State == "open" {
			figures["count_reopens"] = figures["count_reopens"].(int64) + 1
		}
		if charged && isReply(p) {
			figures["last_assignment_admin_reply_at"] = p.At
		}
		if before = p.State; givesCharge(p) {
			charged = true
			figures["count_assignments"] = figures["count_assignments"].(int64) + 1
		}
	}
	for name, value := range figures {
		if t.Bare {
			value = nil
		}
		row["statistics_"+name] = value
	}
}

// assisted is what the AI agent did.
func (t *told) assisted(row map[string]any) {
	for _, column := range []string{"source_type", "source_title", "last_answer_type", "resolution_state", "rating", "rating_remark",
		"created_at", "updated_at"} {
		row["ai_agent_"+column] = nil
	}
	byAI := func(p *event.Part) bool { return p.Author.AI }
	first, last := t.first(byAI), t.last(byAI)
	if first == nil {
		return
	}
	row["ai_agent_source_type"], row["ai_agent_created_at"], row["ai_agent_updated_at"] = "workflow", first.At, last.At
	if t.last(func(p *event.Part) bool { return p.Author.Answer }) != nil {
		row["ai_agent_last_answer_type"] = "ai_answer"
	}
	if a := t.AI; a != nil { // what it was born with is drawn
		row["ai_agent_source_title"], row["ai_agent_resolution_state"] = orNull(a.Title), orNull(a.Resolution)
		row["ai_agent_rating"], row["ai_agent_rating_remark"] = orNull(a.Stars), orNull(a.Remark)
	}
}

// conversationParts gives all parts that ever were. readable tells those that an answer holds now.
func (o *oracle) conversationParts(yield func(map[string]any) bool) {
	o.lists(yield, func(t *told) []map[string]any { return t.partRows(o.cap) })
}

func (t *told) partRows(readable int) (rows []map[string]any) {
	for i := range t.parts {
		p := t.parts[i]
		if a, ok := t.rewritten[int32(i)]; ok {
			p.Assigned = a
		}
		row := partRow(&p)
		row["readable"] = i >= len(t.parts)-readable
		rows = append(rows, row)
	}
	return rows
}

func partRow(p *event.Part) map[string]any {
	row := map[string]any{"id": strconv.FormatInt(p.ID, 10), "part_type": p.Type, "body": p.Body, "created_at": p.At, "updated_at": p.Updated,
		"notified_at": p.Notified, "author_type": p.Author.Type, "author_id": p.Author.ID, "author_name": p.Author.Name,
		"author_email": p.Author.Email, "from_ai_agent": p.Author.AI, "is_ai_answer": p.Author.Answer, "external_id": p.External,
		"redacted": p.Redacted, "state": p.State, "metadata": p.Meta, "call_id": p.Call, "event_details": nil, "event_type": p.EventType,
		"event_data": p.Data, "app_package_code": p.App}
	if p.Call != "" {
		row["event_details"] = `{"call_id":"` + p.Call + `"}`
	}
	for column, value := range row {
		row[column] = orNull(value)
	}
	a := p.Assigned
	row["assigned_to_type"], row["assigned_to_id"] = nil, nil
	row["admin_assignee_id"], row["team_assignee_id"] = orNull(a.Admin), orNull(a.Team)
	switch a.As {
	case event.AssignTeamAndTeammate, event.AssignTeammate:
		row["assigned_to_type"], row["assigned_to_id"] = "admin", strconv.FormatInt(a.Admin, 10)
	case event.AssignTeam:
		row["assigned_to_type"], row["assigned_to_id"] = "team", strconv.FormatInt(a.Team, 10)
	case event.AssignBot:
		row["assigned_to_type"], row["assigned_to_id"] = "bot", strconv.FormatInt(a.Admin, 10)
	case event.RemoveTeam:
		row["assigned_to_type"], row["team_assignee_id"] = "nobody_admin", int64(0)
	case event.RemoveTeammate:
		row["assigned_to_type"], row["admin_assignee_id"] = "nobody_admin", int64(0)
	case event.RemoveAll:
		row["assigned_to_type"] = "nobody_admin"
	}
	return row
}

// lists tells the rows of a list of each conversation.
func (o *oracle) lists(yield func(map[string]any) bool, rows func(t *told) []map[string]any) {
	o.tales(func(t *told) bool {
		for _, row := range rows(t) {
			row["conversation_id"] = t.ID
			if !yield(row) {
				return false
			}
		}
		return true
	})
}

func (o *oracle) conversationContacts(yield func(map[string]any) bool) {
	o.lists(yield, (*told).contactRows)
}

func (t *told) contactRows() (rows []map[string]any) {
	for _, d := range t.people {
		rows = append(rows, map[string]any{"contact_id": d.ID, "external_id": orNull(d.ExternalID)})
	}
	return rows
}

func (o *oracle) conversationTags(yield func(map[string]any) bool) {
	o.lists(yield, func(t *told) (rows []map[string]any) {
		for _, n := range t.tags {
			rows = append(rows, map[string]any{"tag_id": strconv.FormatInt(event.TagID(n), 10), "name": event.TagName(n)})
		}
		return rows
	})
}

func (o *oracle) partTags(yield func(map[string]any) bool) {
	o.lists(yield, func(t *told) (rows []map[string]any) {
		for i, p := range t.parts {
			for _, n := range p.Tags {
				rows = append(rows, map[string]any{"part_id": strconv.FormatInt(p.ID, 10), "tag_id": strconv.FormatInt(event.TagID(n), 10),
					"name": event.TagName(n), "readable": i >= len(t.parts)-o.cap})
			}
		}
		return rows
	})
}

func (o *oracle) conversationTeammates(yield func(map[string]any) bool) {
	o.lists(yield, func(t *told) (rows []map[string]any) {
		seen := map[string]bool{}
		for i := range t.parts {
			if a := t.parts[i].Author; a.Type == "admin" && !seen[a.ID] && !t.Bare {
				seen[a.ID] = true
				rows = append(rows, map[string]any{"admin_id": a.ID})
			}
		}
		return rows
	})
}

func (o *oracle) linkedObjects(yield func(map[string]any) bool) {
	o.lists(yield, (*told).linkRows)
}

func (t *told) linkRows() (rows []map[string]any) {
	for _, l := range t.linked {
		if !t.Bare {
			rows = append(rows, map[string]any{"object_type": l.Type, "object_id": l.ID, "category": orNull(l.Category)})
		}
	}
	return rows
}

func (o *oracle) contentSources(yield func(map[string]any) bool) {
	o.lists(yield, func(t *told) (rows []map[string]any) {
		for i, s := range t.sources {
			rows = append(rows, map[string]any{"position": int64(i), "content_type": s.Type, "title": orNull(s.Title), "locale": orNull(s.Locale), "url": orNull(s.URL)})
		}
		return rows
	})
}
