package emulator

import (
	"fmt"
	"strconv"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/jsontext"
)

// The lists that the document does not name and that the public descriptions of such an API have: what is in them is a function
// of the hours lived. At hour 2 a macro changes, at hour 3 a brand comes, at hour 4 a snippet goes, at hour 5 an attribute is
// archived.

// v215 is the version that public descriptions name for some of them; 2.16 for others.
var v215 = version{2, 15}

var publicRoutes = []route{
	{name: "help_centers.list", method: "GET", path: "/help_center/help_centers", serve: listHelpCenters},
	{name: "brands.list", method: "GET", path: "/brands", serve: listBrands, since: v215},
	{name: "macros.list", method: "GET", path: "/macros", serve: listMacros, since: v216},
	{name: "content_snippets.list", method: "GET", path: "/content_snippets", serve: listSnippets, since: v216},
	{name: "conversations.attributes", method: "GET", path: "/conversations/attributes", serve: listConversationAttributes, since: v216},
	{name: "conversations.handling", method: "GET", path: "/conversations/{id}/handling_events", serve: handlingEvents, since: v215},
	{name: "conversations.side", method: "GET", path: "/conversations/{id}/side_conversations", serve: sideConversations, since: v216},
}

func listHelpCenters(w *server, _ *request) answer {
	w.mu.Lock()
	workspace := w.workspace
	w.mu.Unlock()
	made := w.cfg.Start.Unix() - event.Span
	return w.records("list", "data", []record{
		{{"id", "88101"}, {"workspace_id", workspace}, {"identifier", "help"}, {"display_name", "Help & Söhne"}, {"url", "https://help.example/help?lang=de"},
			{"custom_domain", "help.example"}, {"website_turned_on", true}, {"default", true}, {"locales", rawJSONText(`["de","en"]`)},
			{"created_at", moment(made)}, {"updated_at", moment(made + 9*event.Day)}},
		{{"id", "88102"}, {"workspace_id", workspace}, {"identifier", "second"}, {"display_name", "売上"}, {"url", nil}, {"custom_domain", nil},
			{"website_turned_on", false}, {"default", false}, {"locales", rawJSONText(`[]`)}, {"created_at", moment(made + 40*event.Day)}, {"updated_at", moment(made + 40*event.Day)}},
	})
}

func listBrands(w *server, _ *request) answer {
	made, count := w.cfg.Start.Unix()-event.Span, 2
	if w.Hours() >= 3 {
		count++
	}
	var list []record
	for n := range count {
		r := record{{"type", "brand"}, {"id", strconv.Itoa(4400 + n)}, {"name", []string{"Main", "Zweite & Co", "New \"brand\""}[n]}, {"is_default", n == 0},
			{"created_at", moment(made + int64(n)*event.Day)}, {"updated_at", moment(made + int64(n)*event.Day)}, {"default_address_settings_id", strconv.Itoa(7100 + n)}}
		if n < 2 {
			r = append(r, column{"help_center_id", strconv.Itoa(88101 + n)})
		}
		list = append(list, r)
	}
	return w.records("list", "data", list)
}

// macroCount is more than a usual page of macros has.
const macroCount = 43

func listMacros(w *server, q *request) answer {
	hours := w.Hours()
	w.mu.Lock()
	defer w.mu.Unlock()
	var list []record
	for n := range macroCount {
		made := w.cfg.Start.Unix() - event.Span + int64(n)*event.Day
		updated, body := made, fmt.Sprintf("Hello, this is macro %d", n)
		if n == 7 && hours >= 2 {
			updated, body = w.cfg.Start.Unix()+2*3600, "changed"
		}
		r := record{{"type", "macro"}, {"id", strconv.Itoa(3300 + n)}, {"name", "Macro " + strconv.Itoa(n)}, {"body", "<p>" + body + " &amp; more</p>"},
			{"body_text", body + " & more"}, {"created_at", isoTime(made)}, {"updated_at", isoTime(updated)}, {"visible_to", "everyone"},
			{"visible_to_team_ids", rawJSONText(`[]`)}, {"available_on", rawJSONText(`["inbox","messenger"]`)}}
		if n%5 == 0 {
			r[3].value, r[4].value = nil, nil
			r[7].value, r[8].value = "specific_teams", rawJSONText(fmt.Sprintf(`["%d","%d"]`, event.Teams[0].ID, event.Teams[1].ID))
		}
		list = append(list, r)
	}
	return w.cursored(q, "GET /macros", list)
}

// snippetCount is more than two small pages of snippets have.
const snippetCount = 45

// listSnippets has its counters flat in the envelope, and no pages.
func listSnippets(w *server, q *request) answer {
	at, good := q.numberedPage(50, 50)
	if !good {
		return badNumber()
	}
	hours := w.Hours()
	var list []record
	for n := range snippetCount {
		if n == 11 && hours >= 4 || w.k().EmptyLists {
			continue
		}
		made := w.cfg.Start.Unix() - event.Span + int64(n)*event.Day
		list = append(list, record{{"type", "content_snippet"}, {"id", strconv.Itoa(5500 + n)}, {"title", []string{"", "Über & about", "Snippet"}[n%3]}, {"locale", []string{"en", "de"}[n%2]},
			{"body_markdown", fmt.Sprintf("**Snippet** %d", n)}, {"json_blocks", rawJSONText(fmt.Sprintf(`[{"type":"paragraph","text":"Snippet %d"}]`, n))},
			{"ai_chatbot_availability", n%2 == 0}, {"ai_copilot_availability", true}, {"ai_sales_agent_availability", false},
			{"chatbot_availability", int64(n % 2)}, {"copilot_availability", int64(1)}, {"audience_ids", rawJSONText([]string{"null", "[]", "[17,18]"}[n%3])},
			{"created_at", moment(made)}, {"updated_at", moment(made)}})
	}
	p := &jsontext.Writer{Bytes: openList(nil, "list", "data")}
	first, last := at.span(len(list))
	for _, r := range list[first:last] {
		p.Key("")
		writeRecord(p, r)
	}
	p.End()
	p.Int("total_count", int64(len(list)))
	p.Int("page", int64(at.page))
	p.Int("per_page", int64(at.per))
	p.Int("total_pages", int64((len(list)+at.per-1)/at.per))
	p.Close()
	return ok(p.Bytes)
}

// listConversationAttributes has the conversations' own attributes in the form of their own list: ids are numbers, options objects.
func listConversationAttributes(w *server, _ *request) answer {
	began, hours := w.cfg.Start.Unix()-event.Span, w.Hours()
	var list []record
	for _, a := range event.DataAttributes {
		if a.Model != "conversation" || a.Standard || hours < a.Hour {
			continue
		}
		list = append(list, record{{"type", "conversation_attribute"}, {"id", a.ID}, {"name", a.Name}, {"description", nil}, {"data_type", a.Kind}, {"required", false},
			{"archived", hours >= a.Archived}, {"multiline", false}, {"admin_id", strconv.FormatInt(event.Admins[0].ID, 10)}, {"visible_to_team_ids", rawJSONText(`[]`)},
			{"created_at", moment(began + a.Made)}, {"updated_at", moment(began + a.Made)}})
	}
	made := w.cfg.Start.Unix() - event.Span
	list = append(list, record{{"type", "conversation_attribute"}, {"id", int64(9100050)}, {"name", "Topic & kind"}, {"description", "What it is about"}, {"data_type", "list"},
		{"required", true}, {"archived", hours >= 5}, {"options", rawJSONText(`[{"id":"o1","label":"Refund","archived":false},{"id":"o2","label":"Über","archived":true}]`)},
		{"visible_to_team_ids", rawJSONText(fmt.Sprintf(`["%d"]`, event.Teams[0].ID))}, {"admin_id", nil}, {"created_at", moment(made)}, {"updated_at", moment(made)}},
		record{{"type", "conversation_attribute"}, {"id", int64(9100051)}, {"name", "Order"}, {"data_type", "relationship"},
			{"reference", rawJSONText(`{"type":"many","object_type_id":"771"}`)}, {"archived", false}, {"created_at", moment(made)}, {"updated_at", moment(made)}})
	return w.records("list", "data", list)
}

// handlingEvents has a pair of events for every other conversation, an hour after its beginning.
func handlingEvents(w *server, q *request) answer {
	w.mu.Lock()
	defer w.mu.Unlock()
	num, known := w.thread(q.id)
	if !known {
		return notFound("Conversation")
	}
	p := &jsontext.Writer{Bytes: []byte(`{"handling_events":[`)}
	for n := range 2 * (int(num) % 2) {
		a := event.Admins[(int(num)+n)%len(event.Admins)]
		p.Key("")
		writeRecord(p, record{{"type", []string{"paused", "resumed"}[n]}, {"timestamp", isoTime(w.threads[num].now.created + 3600*int64(n+1))}, {"reason", []string{"snoozed", ""}[n]},
			{"teammate", rawJSONText(fmt.Sprintf(`{"type":"admin","id":%d,"name":%q,"email":%q}`, a.ID, a.Name, a.Email))}})
	}
	p.End()
	p.Close()
	return ok(p.Bytes)
}

// sideConversations has one for each tenth conversation.
func sideConversations(w *server, q *request) answer {
	w.mu.Lock()
	defer w.mu.Unlock()
	num, known := w.thread(q.id)
	if !known {
		return notFound("Conversation")
	}
	p := &jsontext.Writer{Bytes: openList(nil, "side_conversation.list", "side_conversations")}
	count := int64(0)
	if num%10 == 3 {
		count = 1
		at, a := w.threads[num].now.created+7200, event.Admins[int(num)%len(event.Admins)]
		p.Item()
		p.Text("side_conversation_id", "8"+q.id)
		p.Int("total_count", 1)
		p.List("conversation_parts")
		p.Item()
		p.Text("type", "conversation_part")
		p.Text("id", "1"+q.id)
		p.Text("part_type", "comment")
		p.Text("body", "<p>Could you look at "+q.id+"?</p>")
		p.Time("created_at", at)
		p.Time("updated_at", at)
		p.Raw("author", fmt.Sprintf(`{"type":"admin","id":"%d","name":%q,"email":%q}`, a.ID, a.Name, a.Email))
		p.Raw("attachments", `[{"type":"upload","name":"a.png","url":"https://files.example/a.png?expires=1&signature=`+strconv.Itoa(q.n)+`","content_type":"image/png","filesize":7,"width":1,"height":1}]`)
		p.Flag("redacted", false)
		p.Close()
		p.End()
		p.Close()
	}
	p.End()
	p.Int("total_count", count)
	p.Raw("pages", `{"type":"pages","page":1,"per_page":20,"total_pages":`+strconv.FormatInt(min(count, 1), 10)+`}`)
	p.Close()
	return ok(p.Bytes)
}
