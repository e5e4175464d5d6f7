package pipeline_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/emulator/api"
	"aqueduck/internal/oracletest"
	"aqueduck/internal/runner"
)

// answered gives what the workspace answers another client of its API, who has done well.
func (b *bed) answered(method, path string, body map[string]any) string {
	b.t.Helper()
	var text []byte
	if body != nil {
		var err error
		text, err = json.Marshal(body)
		b.must(err)
	}
	req, err := http.NewRequest(method, b.url+path, bytes.NewReader(text))
	b.must(err)
	req.Header.Set("Authorization", "Bearer "+b.space.Token())
	req.Header.Set("Service-Version", "2.17")
	res, err := http.DefaultTransport.RoundTrip(req)
	b.must(err)
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	b.must(err)
	if res.StatusCode >= 400 {
		b.t.Fatalf("%s %s: %d %s", method, path, res.StatusCode, raw)
	}
	return string(raw)
}

// written asks the workspace to write something and gives the id that it answers.
func (b *bed) written(method, path string, body map[string]any) string {
	b.t.Helper()
	var made struct{ ID json.RawMessage } // of articles a number
	b.must(json.Unmarshal([]byte(b.answered(method, path, body)), &made))
	b.space.Advance(time.Second)
	return strings.Trim(string(made.ID), `"`)
}

// serves holds a single record, or a list, to what was written.
func (b *bed) serves(path, what string) {
	b.t.Helper()
	if got := b.answered("GET", path, nil); !strings.Contains(got, what) {
		b.t.Errorf("GET %s has no %q: %s", path, what, got)
	}
}

// TestTheWholeDocumentIsWrittenServedAndInTheNextSync asks every endpoint that there is, the writing ones between runs as other clients
// do: what was written is in what the others serve, in what the oracle tells, and in the published file, also what came while nobody asked.
func TestTheWholeDocumentIsWrittenServedAndInTheNextSync(t *testing.T) {
	t.Parallel()
	serial(t)
	c := tiny(41)
	c.Conversations, c.Tickets, c.Calls, c.ListDeletes, c.Export = 12, 8, 10, emulator.ListAll, emulator.ExportKnobs{Pending: -1, Working: -1}
	b := newBedWith(t, c, just(`"*", reporting_conversation`)).publishingAll()
	b.sync(runner.Options{})
	holds := []func(){b.writesContacts(), b.writesContent(), b.writesConversations()}
	b.space.Advance(8 * 24 * time.Hour) // notes of connectors' versions are read again after seven days
	b.sync(runner.Options{})
	for _, h := range holds {
		h()
	}
	b.sync(runner.Options{})
	b.equalsOracle()
	contentHolds(t, b, "articles", "internal_articles", "news_items", "folders", "dynamic_contents", "data_connectors")
	b.asksTheRest()
	asked := map[string]bool{}
	for _, r := range b.space.Requests() {
		if r.Status < 400 {
			asked[api.EndpointOf(r)] = true
		}
	}
	for _, e := range api.Endpoints() {
		if !asked[e] {
			t.Errorf("%s was not asked, or never answered well", e)
		}
	}
}

// writesContacts writes contacts and what belongs to them, and gives what must hold after the next run.
func (b *bed) writesContacts() (holds func()) {
	b.t.Helper()
	type m = map[string]any
	ids := b.space.IDs("active")
	user := b.written("POST", "/contacts", m{"external_id": "written", "email": "w@example.com", "email_verified": true, "custom_attributes": m{"n": 1.5}})
	lead := b.written("POST", "/contacts", m{"role": "lead", "name": "Lead", "phone": "+49"})
	b.written("PUT", "/contacts/"+ids[0], m{"name": "Written", "owner_id": nil})
	if got := b.answered("POST", "/contacts/merge/preview", m{"from": lead, "into": user}); !strings.Contains(got, `"allowed":true`) {
		b.t.Errorf("the lead may not be merged: %s", got)
	}
	b.written("POST", "/contacts/merge", m{"from": lead, "into": user})
	b.written("DELETE", "/contacts/"+ids[1], nil)
	firm := b.space.Oracle("companies")[0]["id"].(string)
	b.written("POST", "/contacts/"+ids[2]+"/companies", m{"id": firm})
	link := b.space.Oracle("contact_companies")[0]
	b.written("DELETE", "/contacts/"+link["contact_id"].(string)+"/companies/"+link["company_id"].(string), nil)
	b.written("DELETE", "/notes/"+b.space.Oracle("contact_notes")[0]["note_id"].(string), nil)
	subscribed := b.space.Oracle("contact_subscriptions")[0]
	b.written("DELETE", "/contacts/"+subscribed["contact_id"].(string)+"/subscriptions/"+subscribed["subscription_id"].(string), nil)
	job := b.written("POST", "/contacts/bulk", m{"contacts": []m{{"external_id": "bulk"}, {"external_id": "written"}}})
	b.written("PUT", "/contacts/bulk", m{"contacts": []m{{"id": ids[3], "role": "user", "name": "Bulk"}}})
	b.written("POST", "/contacts/bulk/delete", m{"contacts": []m{{"id": ids[4]}}})
	b.written("POST", "/visitors/convert", m{"type": "lead", "visitor": m{"id": "v", "email": "v@example.com"}})
	return func() {
		b.t.Helper()
		b.equalsOracle()
		b.is("merged", user, lead)
		b.is("active", "", user, ids[0], ids[3])
		b.is("pending_deletion", "", ids[1], ids[4])
		got := b.rows("SELECT string_agg(external_id, ' ' ORDER BY external_id) FROM contacts WHERE external_id IN ('bulk', 'written') OR name IN ('Written', 'Bulk') AND external_id IS NULL")
		if len(got) != 1 || got[0] != "bulk written" {
			b.t.Errorf("there are %v", got)
		}
		b.serves("/contacts/bulk/"+job, `"success"`)
		b.serves("/contacts/"+user, `"phone":"+49"`) // the lead's
		b.serves("/contacts?per_page=150", `"name":"Written"`)
		b.serves("/contacts/find_by_external_id/bulk", `"external_id":"bulk"`)
		b.serves("/contacts/"+ids[2]+"/companies", firm)
		b.serves("/companies/"+firm+"/contacts", ids[2])
		b.serves("/companies/"+firm, firm)
		b.serves("/companies/"+firm+"/notes", `"list"`)
		b.serves("/companies/"+firm+"/segments", `"list"`)
		b.serves("/companies/scroll", firm)
		b.serves("/contacts/"+user+"/segments", `"list"`)
		b.serves("/contacts/"+user+"/subscriptions", `"list"`)
	}
}

// writesContent writes content of every kind, and gives what must hold after the next run; it then takes it away again.
func (b *bed) writesContent() (holds func()) {
	b.t.Helper()
	type m = map[string]any
	const body = `<p>x <span class="service-dynamic-content" data-service-dynamic-content-key="price"></span></p>`
	folder := b.written("POST", "/folders", m{"name": "written", "parent_folder_id": "660"})
	empty := b.written("POST", "/folders", m{"name": "empty"})
	price := b.written("POST", "/dynamic_contents", m{"name": "price", "key": "price", "content_type": "inline", "variations": []m{{"locale": "en", "value": "5 €"}}})
	article := b.written("POST", "/articles", m{"title": "written", "author_id": 5, "folder_id": folder, "body": body, "translated_content": m{"fr": m{"title": "écrit", "body": body}}})
	b.written("PUT", "/articles/"+b.space.Oracle("articles")[0]["id"].(string), m{"title": "written too", "folder_id": folder})
	internal := b.written("POST", "/internal_articles", m{"title": "written", "author_id": 5, "owner_id": 5, "folder_id": folder})
	news := b.written("POST", "/news/news_items", m{"title": "written", "sender_id": 5, "newsfeed_assignments": []m{{"newsfeed_id": 480, "published_at": 1718000000}}})
	version := b.space.Oracle("data_connector_versions")[0]
	b.written("PATCH", "/data_connectors/"+version["data_connector_id"].(string)+"/versions/"+version["entity_version_id"].(string), m{"note": "written"})
	return func() {
		b.t.Helper()
		contentHolds(b.t, b, "articles", "internal_articles", "news_items", "folders", "dynamic_contents", "data_connectors")
		oracletest.Same(b.t, "references", b.rows("SELECT locale, dynamic_content_key FROM article_dynamic_contents WHERE article_id = '"+article+"' ORDER BY ALL"), []string{"en|price", "fr|price"})
		oracletest.Same(b.t, "what was written", b.rows("SELECT title FROM articles WHERE folder_id = '"+folder+"' UNION ALL SELECT title FROM internal_articles WHERE folder_id = '"+folder+
			"' UNION ALL SELECT title FROM news_items WHERE id = '"+news+"' UNION ALL SELECT note FROM data_connector_versions WHERE note = 'written'"),
			[]string{"written", "written", "written", "written", "written too"})
		b.written("PUT", "/internal_articles/"+internal, m{"title": "written again"})
		b.written("PUT", "/news/news_items/"+news, m{"title": "written again"})
		b.written("PUT", "/dynamic_contents/"+price, m{"name": "written again"})
		b.serves("/articles/"+article, `"title":"written"`)
		b.serves("/internal_articles/"+internal, "written again")
		b.serves("/internal_articles/search?phrase=written+again", internal)
		b.serves("/news/news_items/"+news, "written again")
		b.serves("/news/newsfeeds/480", "480")
		b.serves("/news/newsfeeds/480/items", "written again")
		b.serves("/dynamic_contents/"+price, "written again")
		b.serves("/folders/"+folder, `"name":"written"`)
		b.serves("/data_connectors/"+version["data_connector_id"].(string), version["data_connector_id"].(string))
		b.serves("/data_connectors/"+version["data_connector_id"].(string)+"/versions/"+version["entity_version_id"].(string), `"note":"written"`)
		collection := b.space.Oracle("collections")[0]["id"].(string)
		b.serves("/help_center/collections/"+collection, collection)
		b.written("DELETE", "/folders/"+empty, nil)
		b.written("DELETE", "/articles/"+article, nil)
		b.written("DELETE", "/internal_articles/"+internal, nil)
		b.written("DELETE", "/news/news_items/"+news, nil)
		b.written("DELETE", "/dynamic_contents/"+price, nil)
		b.written("PUT", "/folders/"+folder, m{"name": "renamed", "parent_folder_id": nil})
	}
}

// writesConversations writes assignments, replies, tables, messages and tickets, one of which comes later than it was asked for.
func (b *bed) writesConversations() (holds func()) {
	b.t.Helper()
	type m = map[string]any
	who, talk, ticket := b.space.IDs("active")[0], "/conversations/"+b.space.ConversationIDs()[5], "/tickets/"+b.space.TicketIDs()[3]
	b.written("POST", talk+"/parts", m{"message_type": "close", "admin_id": "5"})
	b.written("POST", talk+"/parts", m{"message_type": "assignment", "admin_id": "5", "assignee_id": "814866", "skip_reopen": true})
	b.written("POST", talk+"/reply", m{"message_type": "comment", "body": "<table><tr><td>Zoë<td>5 €</table>"})
	b.written("PUT", talk, m{"company_id": b.space.Oracle("companies")[2]["id"], "read": false, "custom_attributes": m{"n": 1.5}})
	b.written("PUT", ticket, m{"ticket_state_id": "3303", "assignee_id": "5"})
	b.written("POST", ticket+"/reply", m{"message_type": "note", "body": "<p>done"})
	ordered := m{"ticket_type_id": "1200", "contacts": []m{{"id": who}}, "ticket_attributes": m{"Größe": "S", "_default_title_": "written"}}
	b.written("POST", "/tickets", ordered)
	job := b.written("POST", "/tickets/enqueue", ordered)
	role := "lead"
	for _, row := range b.space.Oracle("contacts") {
		if row["id"] == who {
			role = row["role"].(string)
		}
	}
	b.written("POST", "/messages", m{"from": m{"type": "admin", "id": "5"}, "to": []m{{"type": role, "id": who}}, "message_type": "email", "subject": "Hi", "body": "written"})
	return func() {
		b.t.Helper()
		oracletest.Conversations(b.t, b.space, b.runner.Dir.Current())
		b.tickets()
		if got := b.rows(`SELECT (SELECT count(*) FROM tickets WHERE (ticket_attributes->>'_default_title_') = 'written'), (SELECT count(*) FROM conversations WHERE source_body = 'written'),
			(SELECT state FROM conversations WHERE company_id IS NOT NULL AND NOT read AND (custom_attributes->>'n') = '1.5')`); got[0] != "2|1|closed" {
			b.t.Errorf("there are %v", got)
		}
		told := b.rows(`SELECT channel, state, user_replied FROM reporting_conversation JOIN conversations ON conversations.id = conversation_id WHERE source_body = 'written'`)
		if len(told) != 1 || told[0] != "email|open|false" {
			b.t.Errorf("the export tells %v of the message", told)
		}
		b.serves("/jobs/status/"+job, `"success"`)
		b.serves(ticket, `"part_type":"note"`)
		b.serves("/conversations?per_page=150", strings.TrimPrefix(talk, "/conversations/"))
	}
}

// asksTheRest asks what no stream reads, or reads only now and then, and nobody writes here.
func (b *bed) asksTheRest() {
	b.t.Helper()
	call := ""
	for _, row := range b.space.Oracle("calls") {
		if row["recording_url"] != nil {
			call = row["id"].(string)
		}
	}
	b.serves("/calls/"+call, call)
	b.serves("/calls/"+call+"/transcript", "[")
	b.answered("GET", "/calls/"+call+"/recording", nil)
	var job struct {
		ID string `json:"job_identifier"`
	}
	order := map[string]any{"dataset_id": "conversation", "attribute_ids": []string{"state"}, "start_time": 1718000000, "end_time": 1718086400}
	b.must(json.Unmarshal([]byte(b.answered("POST", "/export/reporting_data/enqueue", order)), &job))
	b.answered("GET", "/export/reporting_data/"+job.ID, nil)
	b.answered("GET", "/download/reporting_data/"+job.ID, nil)
}
