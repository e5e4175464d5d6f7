package oracle

import (
	"strings"
)

// helpCenterRows yields the help centers.
func helpCenterRows(o *Oracle, yield func(Row) bool) {
	for _, c := range o.log.Cast.HelpCenters {
		if !yield(Row{"id": c.ID, "workspace_id": o.terms.Workspace, "identifier": c.Identifier, "display_name": c.Name, "url": orNull(c.URL),
			"custom_domain": orNull(c.Domain), "website_turned_on": c.On, "default": c.Default, "locales": textArray(c.Locales),
			"created_at": o.began + c.Made, "updated_at": o.began + c.Updated}) {
			return
		}
	}
}

// brandRows yields the brands that exist.
func brandRows(o *Oracle, yield func(Row) bool) {
	for n, b := range o.log.Cast.Brands {
		if b.Hour <= o.terms.Hours && !yield(Row{"id": b.ID, "name": b.Name, "is_default": n == 0, "help_center_id": orNull(b.HelpCenter),
			"default_address_settings_id": b.Address, "created_at": o.began + b.Made, "updated_at": o.began + b.Made}) {
			return
		}
	}
}

// macroRows yields the macros with their present texts.
func macroRows(o *Oracle, yield func(Row) bool) {
	for _, m := range o.log.Cast.Macros {
		row := Row{"id": m.ID, "name": m.Name, "body": nil, "body_text": nil, "visible_to": "everyone", "visible_to_team_ids": numberTexts(m.Teams),
			"available_on": textArray(m.Places), "created_at": o.began + m.Made, "updated_at": o.began + m.Made}
		said := m.Text
		if o.terms.Hours >= m.NewHour {
			said, row["updated_at"] = m.NewText, o.log.Start+3600*int64(m.NewHour)
		}
		if said != "" {
			row["body"], row["body_text"] = "<p>"+strings.Join(strings.Split(said, "&"), "&amp;")+"</p>", said
		}
		if len(m.Teams) > 0 {
			row["visible_to"] = "specific_teams"
		}
		if !yield(row) {
			return
		}
	}
}

// snippetRows yields the snippets that are not removed.
func snippetRows(o *Oracle, yield func(Row) bool) {
	for _, s := range o.log.Cast.Snippets {
		var audiences []string
		for _, id := range s.Audiences {
			audiences = append(audiences, jsonNumber(id))
		}
		row := Row{"id": s.ID, "title": orNull(s.Title), "locale": s.Locale, "body_markdown": s.Markdown,
			"json_blocks":             jsonArray([]string{jsonObject("type", jsonText("paragraph"), "text", jsonText(s.Plain))}),
			"ai_chatbot_availability": s.Chatbot, "ai_copilot_availability": true, "ai_sales_agent_availability": false,
			"chatbot_availability": map[bool]int64{true: 0, false: 1}[s.Chatbot], "copilot_availability": int64(1), "audience_ids": nil,
			"created_at": o.began + s.Made, "updated_at": o.began + s.Made}
		if s.Targeted {
			row["audience_ids"] = jsonArray(audiences)
		}
		if o.terms.Hours < s.Removed && !yield(row) {
			return
		}
	}
}

// conversationAttributeRows yields the attributes of conversations. The source sends fewer fields of lists and relationships.
func conversationAttributeRows(o *Oracle, yield func(Row) bool) {
	for _, a := range o.log.Cast.ConversationAttributes {
		row := Row{"id": idText(a.ID), "name": a.Name, "description": orNull(a.Description), "data_type": a.Kind, "required": nil, "multiline": nil,
			"archived": o.terms.Hours >= a.Archived, "reference_type": orNull(a.Reference), "reference_object_type_id": orNull(a.Object), "admin_id": nil,
			"options": nil, "visible_to_team_ids": nil, "created_at": o.began + a.Made, "updated_at": o.began + a.Made}
		switch a.Kind {
		case "relationship":
		case "list":
			var options []string
			for _, option := range a.Options {
				options = append(options, jsonObject("id", jsonText(option.ID), "label", jsonText(option.Label), "archived", jsonBool(option.Archived)))
			}
			row["required"], row["options"], row["visible_to_team_ids"] = true, jsonArray(options), numberTexts(a.Teams)
		default:
			row["required"], row["multiline"], row["admin_id"], row["visible_to_team_ids"] = false, false, idText(o.log.Cast.Admins[0].ID), numberTexts(a.Teams)
		}
		if a.Hour <= o.terms.Hours && !yield(row) {
			return
		}
	}
}

// handlingRows returns the pauses and resumptions of a conversation.
func (t *replayedThread) handlingRows(o *Oracle) (rows []Row) {
	for _, e := range o.log.Facts.Handling(t.Num) {
		rows = append(rows, Row{"happened_at": t.created + e.After, "event_type": e.Kind, "reason": orNull(e.Reason),
			"teammate_type": "admin", "teammate_id": idText(e.By.ID), "teammate_name": e.By.Name, "teammate_email": e.By.Email})
	}
	return rows
}

// sideRows returns the side conversations of a conversation.
func (t *replayedThread) sideRows(o *Oracle) (rows []Row) {
	for _, s := range o.log.Facts.SideTalks(t.Num) {
		rows = append(rows, Row{"id": s.ID, "part_count": int64(1)})
	}
	return rows
}

// sidePartRows returns the parts of the side conversations. None has changed.
func (t *replayedThread) sidePartRows(o *Oracle) (rows []Row) {
	for _, s := range o.log.Facts.SideTalks(t.Num) {
		rows = append(rows, Row{"side_conversation_id": s.ID, "id": s.PartID, "part_type": "comment", "body": s.Body, "created_at": t.created + s.After, "updated_at": t.created + s.After,
			"author_type": "admin", "author_id": idText(s.By.ID), "author_name": s.By.Name, "author_email": s.By.Email, "redacted": false})
	}
	return rows
}

// sideFileRows returns the files of those parts, with addresses that are not signed.
func (t *replayedThread) sideFileRows(o *Oracle) (rows []Row) {
	for _, s := range o.log.Facts.SideTalks(t.Num) {
		for at, f := range s.Files {
			row := fileRow(f, at)
			row["side_conversation_id"], row["part_id"], row["url"] = s.ID, s.PartID, "https://files.example/"+f.Name
			rows = append(rows, row)
		}
	}
	return rows
}

// textArray returns texts as a JSON list.
func textArray(texts []string) string {
	var items []string
	for _, text := range texts {
		items = append(items, jsonText(text))
	}
	return jsonArray(items)
}

// numberTexts returns numbers as a JSON list of texts.
func numberTexts(numbers []int64) string {
	var texts []string
	for _, n := range numbers {
		texts = append(texts, idText(n))
	}
	return textArray(texts)
}
