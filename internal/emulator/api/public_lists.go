package api

import (
	"fmt"
	"strconv"
	"strings"

	"aqueduck/internal/emulator/api/answer"
	"aqueduck/internal/emulator/apiversion"
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/jsontext"
)

var publicRoutes = []Route{
	{Name: "help_centers.list", Method: "GET", Path: "/help_center/help_centers", Serve: listHelpCenters},
	{Name: "brands.list", Method: "GET", Path: "/brands", Serve: listBrands, Since: apiversion.V215},
	{Name: "macros.list", Method: "GET", Path: "/macros", Serve: listMacros, Since: apiversion.V216},
	{Name: "content_snippets.list", Method: "GET", Path: "/content_snippets", Serve: listSnippets, Since: apiversion.V216},
	{Name: "conversations.attributes", Method: "GET", Path: "/conversations/attributes", Serve: listConversationAttributes, Since: apiversion.V216},
	{Name: "conversations.handling", Method: "GET", Path: "/conversations/{id}/handling_events", Serve: handlingEvents, Since: apiversion.V215},
	{Name: "conversations.side", Method: "GET", Path: "/conversations/{id}/side_conversations", Serve: sideConversations, Since: apiversion.V216},
}

// listHelpCenters lists the help centers on one page. Later pages are empty, as public clients ask on until one is.
func listHelpCenters(w *Handlers, q *Request) answer.Answer {
	if page, good := q.positiveParam("page", 1); !good {
		return badNumber()
	} else if page > 1 {
		return w.answerRecords("list", "data", nil)
	}
	w.Mu.Lock()
	workspace := w.WorkspaceID
	w.Mu.Unlock()
	began := w.Setup.Start.Unix() - event.Span
	var list []jsontext.Record
	for _, c := range w.Setup.Cast.HelpCenters {
		list = append(list, jsontext.Record{{Name: "id", Value: c.ID}, {Name: "workspace_id", Value: workspace}, {Name: "identifier", Value: c.Identifier}, {Name: "display_name", Value: c.Name},
			{Name: "url", Value: c.URL}, {Name: "custom_domain", Value: c.Domain}, {Name: "website_turned_on", Value: c.On}, {Name: "default", Value: c.Default},
			{Name: "locales", Value: quotedList(c.Locales)}, {Name: "created_at", Value: jsontext.Moment(began + c.Made)}, {Name: "updated_at", Value: jsontext.Moment(began + c.Updated)}})
	}
	return w.answerRecords("list", "data", list)
}

// quotedList returns texts as a list in JSON.
func quotedList(texts []string) jsontext.RawJSON {
	b := []byte{'['}
	for i, text := range texts {
		if i > 0 {
			b = append(b, ',')
		}
		b = jsontext.AppendString(b, text)
	}
	return jsontext.RawJSON(append(b, ']'))
}

// teamTexts returns the ids of teams as texts, as these lists send them.
func teamTexts(ids []int64) jsontext.RawJSON {
	var texts []string
	for _, id := range ids {
		texts = append(texts, strconv.FormatInt(id, 10))
	}
	return quotedList(texts)
}

// listBrands lists the brands. Those without a help center lack the field.
func listBrands(w *Handlers, _ *Request) answer.Answer {
	began, hours := w.Setup.Start.Unix()-event.Span, w.HoursSimulated()
	var list []jsontext.Record
	for n, brand := range w.Setup.Cast.Brands {
		if hours < brand.Hour {
			continue
		}
		made := jsontext.Moment(began + brand.Made)
		r := jsontext.Record{{Name: "type", Value: "brand"}, {Name: "id", Value: brand.ID}, {Name: "name", Value: brand.Name}, {Name: "is_default", Value: n == 0},
			{Name: "created_at", Value: made}, {Name: "updated_at", Value: made}, {Name: "default_address_settings_id", Value: brand.Address}}
		if brand.HelpCenter != "" {
			r = append(r, jsontext.Column{Name: "help_center_id", Value: brand.HelpCenter})
		}
		list = append(list, r)
	}
	return w.answerRecords("list", "data", list)
}

// These lists come from public descriptions of such an API; the document does not name them. Package event has their contents, which are a
// function of the simulated hours: a macro changes at hour 2, a brand comes at hour 3, a snippet goes at hour 4, and an attribute is archived
// at hour 5.

func listMacros(w *Handlers, q *Request) answer.Answer {
	hours := w.HoursSimulated()
	w.Mu.Lock()
	defer w.Mu.Unlock()
	var list []jsontext.Record
	for _, m := range w.Setup.Cast.Macros {
		made := w.Setup.Start.Unix() - event.Span + m.Made
		updated, text, visible := made, m.Text, "everyone"
		if hours >= m.NewHour {
			updated, text = w.Setup.Start.Unix()+int64(m.NewHour)*3600, m.NewText
		}
		if len(m.Teams) > 0 {
			visible = "specific_teams"
		}
		body := ""
		if text != "" {
			body = "<p>" + strings.ReplaceAll(text, "&", "&amp;") + "</p>"
		}
		list = append(list, jsontext.Record{{Name: "type", Value: "macro"}, {Name: "id", Value: m.ID}, {Name: "name", Value: m.Name}, {Name: "body", Value: body},
			{Name: "body_text", Value: text}, {Name: "created_at", Value: jsontext.ISOTime(made)}, {Name: "updated_at", Value: jsontext.ISOTime(updated)}, {Name: "visible_to", Value: visible},
			{Name: "visible_to_team_ids", Value: teamTexts(m.Teams)}, {Name: "available_on", Value: quotedList(m.Places)}})
	}
	return w.answerCursorPage(q, "GET /macros", list)
}

// listSnippets lists the snippets: counters in the envelope itself, and no pages object.
func listSnippets(w *Handlers, q *Request) answer.Answer {
	at, good := q.numberedPage(50, 50)
	if !good {
		return badNumber()
	}
	hours := w.HoursSimulated()
	var list []jsontext.Record
	for _, s := range w.Setup.Cast.Snippets {
		if hours >= s.Removed || w.K().EmptyLists {
			continue
		}
		list = append(list, snippetRecord(s, w.Setup.Start.Unix()-event.Span))
	}
	p := &jsontext.Writer{Bytes: openList(nil, "list", "data")}
	first, last := at.pageBounds(len(list))
	for _, r := range list[first:last] {
		p.WriteKey("")
		jsontext.WriteRecord(p, r)
	}
	p.CloseList()
	p.Int("total_count", int64(len(list)))
	p.Int("page", int64(at.page))
	p.Int("per_page", int64(at.per))
	p.Int("total_pages", int64((len(list)+at.per-1)/at.per))
	p.Close()
	return answer.OK(p.Bytes)
}

func snippetRecord(s event.Snippet, began int64) jsontext.Record {
	audiences, chatbot := jsontext.RawJSON("null"), int64(1)
	if s.Chatbot {
		chatbot = 0
	}
	if s.Targeted {
		audiences = jsontext.RawJSON(strings.ReplaceAll(fmt.Sprint(s.Audiences), " ", ","))
	}
	made := jsontext.Moment(began + s.Made)
	return jsontext.Record{{Name: "type", Value: "content_snippet"}, {Name: "id", Value: s.ID}, {Name: "title", Value: s.Title}, {Name: "locale", Value: s.Locale},
		{Name: "body_markdown", Value: s.Markdown}, {Name: "json_blocks", Value: jsontext.RawJSON(`[{"type":"paragraph","text":` + jsontext.Quote(s.Plain) + `}]`)},
		{Name: "ai_chatbot_availability", Value: s.Chatbot}, {Name: "ai_copilot_availability", Value: true}, {Name: "ai_sales_agent_availability", Value: false},
		{Name: "chatbot_availability", Value: chatbot}, {Name: "copilot_availability", Value: int64(1)}, {Name: "audience_ids", Value: audiences},
		{Name: "created_at", Value: made}, {Name: "updated_at", Value: made}}
}

// listConversationAttributes lists the custom attributes of conversations. In this list ids are numbers and options are objects.
func listConversationAttributes(w *Handlers, _ *Request) answer.Answer {
	began, hours := w.Setup.Start.Unix()-event.Span, w.HoursSimulated()
	var list []jsontext.Record
	for _, a := range w.Setup.Cast.ConversationAttributes {
		if hours < a.Hour {
			continue
		}
		r := jsontext.Record{{Name: "type", Value: "conversation_attribute"}, {Name: "id", Value: a.ID}, {Name: "name", Value: a.Name}, {Name: "data_type", Value: a.Kind},
			{Name: "archived", Value: hours >= a.Archived}, {Name: "created_at", Value: jsontext.Moment(began + a.Made)}, {Name: "updated_at", Value: jsontext.Moment(began + a.Made)}}
		list = append(list, append(r, attributeDetails(w.Setup.Cast, a)...))
	}
	return w.answerRecords("list", "data", list)
}

// attributeDetails are the fields that depend on the kind of an attribute.
func attributeDetails(cast *event.Cast, a event.ConversationAttribute) jsontext.Record {
	switch a.Kind {
	case "relationship":
		return jsontext.Record{{Name: "reference", Value: jsontext.RawJSON(`{"type":` + jsontext.Quote(a.Reference) + `,"object_type_id":` + jsontext.Quote(a.Object) + `}`)}}
	case "list":
		var options []string
		for _, o := range a.Options {
			options = append(options, fmt.Sprintf(`{"id":%s,"label":%s,"archived":%t}`, jsontext.Quote(o.ID), jsontext.Quote(o.Label), o.Archived))
		}
		return jsontext.Record{{Name: "description", Value: a.Description}, {Name: "required", Value: true}, {Name: "options", Value: jsontext.RawJSON("[" + strings.Join(options, ",") + "]")},
			{Name: "visible_to_team_ids", Value: teamTexts(a.Teams)}, {Name: "admin_id", Value: nil}}
	}
	return jsontext.Record{{Name: "description", Value: a.Description}, {Name: "required", Value: false}, {Name: "multiline", Value: false},
		{Name: "admin_id", Value: strconv.FormatInt(cast.Admins[0].ID, 10)}, {Name: "visible_to_team_ids", Value: teamTexts(a.Teams)}}
}

// handlingEvents lists the pauses and resumptions of a conversation.
func handlingEvents(w *Handlers, q *Request) answer.Answer {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	num, known := w.FindThread(q.ID)
	if !known {
		return answer.NotFound("Conversation")
	}
	p := &jsontext.Writer{Bytes: []byte(`{"handling_events":[`)}
	for _, e := range w.Setup.Origin.Handling(num) {
		p.WriteKey("")
		jsontext.WriteRecord(p, jsontext.Record{{Name: "type", Value: e.Kind}, {Name: "timestamp", Value: jsontext.ISOTime(w.Threads[num].Newest.Created + e.After)},
			{Name: "reason", Value: e.Reason}, {Name: "teammate", Value: jsontext.RawJSON(authorText(e.By, strconv.FormatInt(e.By.ID, 10)))}})
	}
	p.CloseList()
	p.Close()
	return answer.OK(p.Bytes)
}

// authorText returns an admin in JSON, with an id that is a number or a text.
func authorText(a event.Admin, id string) string {
	return `{"type":"admin","id":` + id + `,"name":` + jsontext.Quote(a.Name) + `,"email":` + jsontext.Quote(a.Email) + `}`
}

// sideConversations lists the side conversations of a conversation.
func sideConversations(w *Handlers, q *Request) answer.Answer {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	num, known := w.FindThread(q.ID)
	if !known {
		return answer.NotFound("Conversation")
	}
	p := &jsontext.Writer{Bytes: openList(nil, "side_conversation.list", "side_conversations")}
	list := w.Setup.Origin.SideTalks(num)
	for _, s := range list {
		at := w.Threads[num].Newest.Created + s.After
		p.OpenItem()
		p.TextOrNull("side_conversation_id", s.ID)
		p.Int("total_count", 1)
		p.OpenList("conversation_parts")
		p.OpenItem()
		p.TextOrNull("type", "conversation_part")
		p.TextOrNull("id", s.PartID)
		p.TextOrNull("part_type", "comment")
		p.TextOrNull("body", s.Body)
		p.TimeOrNull("created_at", at)
		p.TimeOrNull("updated_at", at)
		p.RawOrNull("author", authorText(s.By, jsontext.Quote(strconv.FormatInt(s.By.ID, 10))))
		p.OpenList("attachments")
		for _, f := range s.Files {
			p.OpenItem()
			p.TextOrNull("type", "upload")
			p.TextOrNull("name", f.Name)
			p.TextOrNull("url", fmt.Sprintf("https://files.example/%s?expires=1&signature=%d", f.Name, q.N)) // signed anew in each answer
			p.TextOrNull("content_type", f.Type)
			p.Int("filesize", f.Size)
			p.Int("width", f.Width)
			p.Int("height", f.Height)
			p.Close()
		}
		p.CloseList()
		p.Bool("redacted", false)
		p.Close()
		p.CloseList()
		p.Close()
	}
	p.CloseList()
	p.Int("total_count", int64(len(list)))
	p.RawOrNull("pages", fmt.Sprintf(`{"type":"pages","page":1,"per_page":20,"total_pages":%d}`, min(len(list), 1)))
	p.Close()
	return answer.OK(p.Bytes)
}
