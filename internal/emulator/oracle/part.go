package oracle

import "aqueduck/internal/emulator/event"

// partRows returns all parts that ever existed. readable marks those that an answer contains now.
func (t *replayedThread) partRows(o *Oracle) (rows []Row) {
	for i := range t.parts {
		p := t.parts[i]
		if a, ok := t.rewritten[int32(i)]; ok {
			p.Assigned = a
		}
		row := partRow(&p)
		row["readable"] = t.isPartReadable(o, i)
		rows = append(rows, row)
	}
	return rows
}

// isPartReadable reports whether an answer contains the part at an index.
func (t *replayedThread) isPartReadable(o *Oracle, place int) bool {
	return place >= len(t.parts)-o.terms.PartsCap
}

func partRow(p *event.Part) Row {
	row := Row{"id": idText(p.ID), "part_type": p.Type, "body": p.Body, "created_at": p.At, "updated_at": p.Updated,
		"notified_at": p.Notified, "author_type": p.Author.Type, "author_id": p.Author.ID, "author_name": p.Author.Name,
		"author_email": p.Author.Email, "from_ai_agent": p.Author.AI, "is_ai_answer": p.Author.Answer, "external_id": p.External,
		"redacted": p.Redacted, "state": p.State, "metadata": p.Meta, "call_id": p.Call, "event_details": nil, "event_type": p.EventType,
		"event_data": p.Data, "app_package_code": p.App}
	if p.Call != "" {
		row["event_details"] = jsonObject("call_id", jsonText(p.Call))
	}
	for column, value := range row {
		row[column] = orNull(value)
	}
	a := p.Assigned
	row["assigned_to_type"], row["assigned_to_id"] = nil, nil
	row["admin_assignee_id"], row["team_assignee_id"] = orNull(a.Admin), orNull(a.Team)
	switch a.As {
	case event.AssignTeamAndTeammate, event.AssignTeammate:
		row["assigned_to_type"], row["assigned_to_id"] = "admin", idText(a.Admin)
	case event.AssignTeam:
		row["assigned_to_type"], row["assigned_to_id"] = "team", idText(a.Team)
	case event.AssignBot:
		row["assigned_to_type"], row["assigned_to_id"] = "bot", idText(a.Admin)
	case event.RemoveTeam:
		row["assigned_to_type"], row["team_assignee_id"] = "nobody_admin", int64(0)
	case event.RemoveTeammate:
		row["assigned_to_type"], row["admin_assignee_id"] = "nobody_admin", int64(0)
	case event.RemoveAll:
		row["assigned_to_type"] = "nobody_admin"
	}
	return row
}

// contactRows returns the contacts that take part.
func (t *replayedThread) contactRows(*Oracle) (rows []Row) {
	for _, d := range t.people {
		rows = append(rows, Row{"contact_id": d.ID, "external_id": orNull(d.ExternalID)})
	}
	return rows
}

func (t *replayedThread) tagRows(o *Oracle) (rows []Row) {
	for _, a := range t.tags {
		rows = append(rows, Row{"tag_id": idText(event.TagID(a.Tag)), "name": o.log.Cast.TagName(a.Tag), "applied_at": a.At, "applied_by_id": idText(a.By)})
	}
	return rows
}

func (t *replayedThread) partTagRows(o *Oracle) (rows []Row) {
	for i, p := range t.parts {
		for _, n := range p.Tags {
			rows = append(rows, Row{"part_id": idText(p.ID), "tag_id": idText(event.TagID(n)), "name": o.log.Cast.TagName(n), "readable": t.isPartReadable(o, i)})
		}
	}
	return rows
}

// teammateRows returns the admins that wrote something.
func (t *replayedThread) teammateRows(*Oracle) (rows []Row) {
	seen := map[string]bool{}
	for i := range t.parts {
		if a := t.parts[i].Author; a.Type == "admin" && !seen[a.ID] && !t.Bare {
			seen[a.ID] = true
			rows = append(rows, Row{"admin_id": a.ID})
		}
	}
	return rows
}

func (t *replayedThread) linkRows(*Oracle) (rows []Row) {
	for _, l := range t.linked {
		if !t.Bare {
			rows = append(rows, Row{"object_type": l.Type, "object_id": l.ID, "category": orNull(l.Category)})
		}
	}
	return rows
}

// sourceRows returns the content that the AI agent used for its answers.
func (t *replayedThread) sourceRows(*Oracle) (rows []Row) {
	for i, s := range t.sources {
		rows = append(rows, Row{"position": int64(i), "content_type": s.Type, "title": orNull(s.Title), "locale": orNull(s.Locale), "url": orNull(s.URL)})
	}
	return rows
}
