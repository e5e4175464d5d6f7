package api

import (
	"fmt"
	"strconv"

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

func listHelpCenters(w *Handlers, _ *Request) answer.Answer {
	w.Mu.Lock()
	workspace := w.WorkspaceID
	w.Mu.Unlock()
	made := w.Setup.Start.Unix() - event.Span
	return w.answerRecords("list", "data", []jsontext.Record{
		{{Name: "id", Value: "88101"}, {Name: "workspace_id", Value: workspace}, {Name: "identifier", Value: "help"}, {Name: "display_name", Value: "Help & Söhne"}, {Name: "url", Value: "https://help.example/help?lang=de"},
			{Name: "custom_domain", Value: "help.example"}, {Name: "website_turned_on", Value: true}, {Name: "default", Value: true}, {Name: "locales", Value: jsontext.RawJSON(`["de","en"]`)},
			{Name: "created_at", Value: jsontext.Moment(made)}, {Name: "updated_at", Value: jsontext.Moment(made + 9*event.Day)}},
		{{Name: "id", Value: "88102"}, {Name: "workspace_id", Value: workspace}, {Name: "identifier", Value: "second"}, {Name: "display_name", Value: "売上"}, {Name: "url", Value: nil}, {Name: "custom_domain", Value: nil},
			{Name: "website_turned_on", Value: false}, {Name: "default", Value: false}, {Name: "locales", Value: jsontext.RawJSON(`[]`)}, {Name: "created_at", Value: jsontext.Moment(made + 40*event.Day)}, {Name: "updated_at", Value: jsontext.Moment(made + 40*event.Day)}},
	})
}

func listBrands(w *Handlers, _ *Request) answer.Answer {
	made, count := w.Setup.Start.Unix()-event.Span, 2
	if w.HoursSimulated() >= 3 {
		count++
	}
	var list []jsontext.Record
	for n := range count {
		r := jsontext.Record{{Name: "type", Value: "brand"}, {Name: "id", Value: strconv.Itoa(4400 + n)}, {Name: "name", Value: []string{"Main", "Zweite & Co", "New \"brand\""}[n]}, {Name: "is_default", Value: n == 0},
			{Name: "created_at", Value: jsontext.Moment(made + int64(n)*event.Day)}, {Name: "updated_at", Value: jsontext.Moment(made + int64(n)*event.Day)}, {Name: "default_address_settings_id", Value: strconv.Itoa(7100 + n)}}
		if n < 2 {
			r = append(r, jsontext.Column{Name: "help_center_id", Value: strconv.Itoa(88101 + n)})
		}
		list = append(list, r)
	}
	return w.answerRecords("list", "data", list)
}

// These lists come from public descriptions of such an API; the document does not name them. Their contents are a function of the simulated
// hours: a macro changes at hour 2, a brand comes at hour 3, a snippet goes at hour 4, and an attribute is archived at hour 5.

// macroCount is larger than a default page of macros.
const macroCount = 43

func listMacros(w *Handlers, q *Request) answer.Answer {
	hours := w.HoursSimulated()
	w.Mu.Lock()
	defer w.Mu.Unlock()
	var list []jsontext.Record
	for n := range macroCount {
		made := w.Setup.Start.Unix() - event.Span + int64(n)*event.Day
		updated, body := made, fmt.Sprintf("Hello, this is macro %d", n)
		if n == 7 && hours >= 2 {
			updated, body = w.Setup.Start.Unix()+2*3600, "changed"
		}
		r := jsontext.Record{{Name: "type", Value: "macro"}, {Name: "id", Value: strconv.Itoa(3300 + n)}, {Name: "name", Value: "Macro " + strconv.Itoa(n)}, {Name: "body", Value: "<p>" + body + " &amp; more</p>"},
			{Name: "body_text", Value: body + " & more"}, {Name: "created_at", Value: jsontext.ISOTime(made)}, {Name: "updated_at", Value: jsontext.ISOTime(updated)}, {Name: "visible_to", Value: "everyone"},
			{Name: "visible_to_team_ids", Value: jsontext.RawJSON(`[]`)}, {Name: "available_on", Value: jsontext.RawJSON(`["inbox","messenger"]`)}}
		if n%5 == 0 {
			r[3].Value, r[4].Value = nil, nil
			r[7].Value, r[8].Value = "specific_teams", jsontext.RawJSON(fmt.Sprintf(`["%d","%d"]`, event.Teams[0].ID, event.Teams[1].ID))
		}
		list = append(list, r)
	}
	return w.answerCursorPage(q, "GET /macros", list)
}

// snippetCount is larger than two small pages of snippets.
const snippetCount = 45

// listSnippets lists the snippets: counters in the envelope itself, and no pages object.
func listSnippets(w *Handlers, q *Request) answer.Answer {
	at, good := q.numberedPage(50, 50)
	if !good {
		return badNumber()
	}
	hours := w.HoursSimulated()
	var list []jsontext.Record
	for n := range snippetCount {
		if n == 11 && hours >= 4 || w.K().EmptyLists {
			continue
		}
		made := w.Setup.Start.Unix() - event.Span + int64(n)*event.Day
		list = append(list, jsontext.Record{{Name: "type", Value: "content_snippet"}, {Name: "id", Value: strconv.Itoa(5500 + n)}, {Name: "title", Value: []string{"", "Über & about", "Snippet"}[n%3]}, {Name: "locale", Value: []string{"en", "de"}[n%2]},
			{Name: "body_markdown", Value: fmt.Sprintf("**Snippet** %d", n)}, {Name: "json_blocks", Value: jsontext.RawJSON(fmt.Sprintf(`[{"type":"paragraph","text":"Snippet %d"}]`, n))},
			{Name: "ai_chatbot_availability", Value: n%2 == 0}, {Name: "ai_copilot_availability", Value: true}, {Name: "ai_sales_agent_availability", Value: false},
			{Name: "chatbot_availability", Value: int64(n % 2)}, {Name: "copilot_availability", Value: int64(1)}, {Name: "audience_ids", Value: jsontext.RawJSON([]string{"null", "[]", "[17,18]"}[n%3])},
			{Name: "created_at", Value: jsontext.Moment(made)}, {Name: "updated_at", Value: jsontext.Moment(made)}})
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

// listConversationAttributes lists the custom attributes of conversations. In this list ids are numbers and options are objects.
func listConversationAttributes(w *Handlers, _ *Request) answer.Answer {
	began, hours := w.Setup.Start.Unix()-event.Span, w.HoursSimulated()
	var list []jsontext.Record
	for _, a := range event.DataAttributes {
		if a.Model != "conversation" || a.Standard || hours < a.Hour {
			continue
		}
		list = append(list, jsontext.Record{{Name: "type", Value: "conversation_attribute"}, {Name: "id", Value: a.ID}, {Name: "name", Value: a.Name}, {Name: "description", Value: nil}, {Name: "data_type", Value: a.Kind}, {Name: "required", Value: false},
			{Name: "archived", Value: hours >= a.Archived}, {Name: "multiline", Value: false}, {Name: "admin_id", Value: strconv.FormatInt(event.Admins[0].ID, 10)}, {Name: "visible_to_team_ids", Value: jsontext.RawJSON(`[]`)},
			{Name: "created_at", Value: jsontext.Moment(began + a.Made)}, {Name: "updated_at", Value: jsontext.Moment(began + a.Made)}})
	}
	made := w.Setup.Start.Unix() - event.Span
	list = append(list, jsontext.Record{{Name: "type", Value: "conversation_attribute"}, {Name: "id", Value: int64(9100050)}, {Name: "name", Value: "Topic & kind"}, {Name: "description", Value: "What it is about"}, {Name: "data_type", Value: "list"},
		{Name: "required", Value: true}, {Name: "archived", Value: hours >= 5}, {Name: "options", Value: jsontext.RawJSON(`[{"id":"o1","label":"Refund","archived":false},{"id":"o2","label":"Über","archived":true}]`)},
		{Name: "visible_to_team_ids", Value: jsontext.RawJSON(fmt.Sprintf(`["%d"]`, event.Teams[0].ID))}, {Name: "admin_id", Value: nil}, {Name: "created_at", Value: jsontext.Moment(made)}, {Name: "updated_at", Value: jsontext.Moment(made)}},
		jsontext.Record{{Name: "type", Value: "conversation_attribute"}, {Name: "id", Value: int64(9100051)}, {Name: "name", Value: "Order"}, {Name: "data_type", Value: "relationship"},
			{Name: "reference", Value: jsontext.RawJSON(`{"type":"many","object_type_id":"771"}`)}, {Name: "archived", Value: false}, {Name: "created_at", Value: jsontext.Moment(made)}, {Name: "updated_at", Value: jsontext.Moment(made)}})
	return w.answerRecords("list", "data", list)
}

// handlingEvents lists a pair of events for every other conversation, an hour after its beginning.
func handlingEvents(w *Handlers, q *Request) answer.Answer {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	num, known := w.FindThread(q.ID)
	if !known {
		return answer.NotFound("Conversation")
	}
	p := &jsontext.Writer{Bytes: []byte(`{"handling_events":[`)}
	for n := range 2 * (int(num) % 2) {
		a := event.Admins[(int(num)+n)%len(event.Admins)]
		p.WriteKey("")
		jsontext.WriteRecord(p, jsontext.Record{{Name: "type", Value: []string{"paused", "resumed"}[n]}, {Name: "timestamp", Value: jsontext.ISOTime(w.Threads[num].Newest.Created + 3600*int64(n+1))}, {Name: "reason", Value: []string{"snoozed", ""}[n]},
			{Name: "teammate", Value: jsontext.RawJSON(fmt.Sprintf(`{"type":"admin","id":%d,"name":%q,"email":%q}`, a.ID, a.Name, a.Email))}})
	}
	p.CloseList()
	p.Close()
	return answer.OK(p.Bytes)
}

// sideConversations lists one side conversation for every tenth conversation.
func sideConversations(w *Handlers, q *Request) answer.Answer {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	num, known := w.FindThread(q.ID)
	if !known {
		return answer.NotFound("Conversation")
	}
	p := &jsontext.Writer{Bytes: openList(nil, "side_conversation.list", "side_conversations")}
	count := int64(0)
	if num%10 == 3 {
		count = 1
		at, a := w.Threads[num].Newest.Created+7200, event.Admins[int(num)%len(event.Admins)]
		p.OpenItem()
		p.TextOrNull("side_conversation_id", "8"+q.ID)
		p.Int("total_count", 1)
		p.OpenList("conversation_parts")
		p.OpenItem()
		p.TextOrNull("type", "conversation_part")
		p.TextOrNull("id", "1"+q.ID)
		p.TextOrNull("part_type", "comment")
		p.TextOrNull("body", "<p>Could you look at "+q.ID+"?</p>")
		p.TimeOrNull("created_at", at)
		p.TimeOrNull("updated_at", at)
		p.RawOrNull("author", fmt.Sprintf(`{"type":"admin","id":"%d","name":%q,"email":%q}`, a.ID, a.Name, a.Email))
		p.RawOrNull("attachments", `[{"type":"upload","name":"a.png","url":"https://files.example/a.png?expires=1&signature=`+strconv.Itoa(q.N)+`","content_type":"image/png","filesize":7,"width":1,"height":1}]`)
		p.Bool("redacted", false)
		p.Close()
		p.CloseList()
		p.Close()
	}
	p.CloseList()
	p.Int("total_count", count)
	p.RawOrNull("pages", `{"type":"pages","page":1,"per_page":20,"total_pages":`+strconv.FormatInt(min(count, 1), 10)+`}`)
	p.Close()
	return answer.OK(p.Bytes)
}
