package pipeline_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/emulator/api"
	"aqueduck/internal/lane"
	"aqueduck/internal/oracletest"
	"aqueduck/internal/runner"
)

// callAPI returns the answer to another client of the API, which must succeed.
func (b *testBed) callAPI(method, path string, body map[string]any) string {
	b.t.Helper()
	var text []byte
	if body != nil {
		var err error
		text, err = json.Marshal(body)
		b.failOn(err)
	}
	req, err := http.NewRequest(method, b.url+path, bytes.NewReader(text))
	b.failOn(err)
	req.Header.Set("Authorization", "Bearer "+b.space.AccessToken())
	req.Header.Set("Service-Version", "2.17")
	res, err := http.DefaultTransport.RoundTrip(req)
	b.failOn(err)
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	b.failOn(err)
	if res.StatusCode >= 400 {
		b.t.Fatalf("%s %s: %d %s", method, path, res.StatusCode, raw)
	}
	return string(raw)
}

// writeViaAPI sends a writing request and returns the id in its answer.
func (b *testBed) writeViaAPI(method, path string, body map[string]any) string {
	b.t.Helper()
	var made struct{ ID json.RawMessage } // a number for articles
	b.failOn(json.Unmarshal([]byte(b.callAPI(method, path, body)), &made))
	b.space.Advance(time.Second)
	return strings.Trim(string(made.ID), `"`)
}

// checkServes compares a single record, or a list, with what was written.
func (b *testBed) checkServes(path, what string) {
	b.t.Helper()
	if got := b.callAPI("GET", path, nil); !strings.Contains(got, what) {
		b.t.Errorf("GET %s has no %q: %s", path, what, got)
	}
}

// TestEveryWrittenFieldIsServedAndSynced calls every endpoint, the writing ones between runs as other clients do. Written values are in the
// answers of the other endpoints, in the oracle and in the published file, also when they arrived between runs.
func TestEveryWrittenFieldIsServedAndSynced(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	skipInRaceRun(t)
	c := tinyConfig(41)
	c.Conversations, c.Tickets, c.Calls, c.ListDeletes, c.Export = 12, 8, 10, emulator.ListAll, emulator.ExportKnobs{Pending: -1, Working: -1}
	b := newBedWith(t, c, onlyStreams(`"*", reporting_conversation`))
	b.syncOnce(runner.Options{})
	holds := []func(){b.writesContacts(), b.writesContent(), b.writesConversations()}
	b.space.Advance(8 * 24 * time.Hour) // versions of connectors are read again after seven days
	b.syncOnce(runner.Options{})
	for _, h := range holds {
		h()
	}
	b.syncOnce(runner.Options{})
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

// writesContacts writes contacts and what belongs to them, and returns what must be true after the next run.
func (b *testBed) writesContacts() (holds func()) {
	b.t.Helper()
	type m = map[string]any
	ids := b.space.ContactIDs("active")
	user := b.writeViaAPI("POST", "/contacts", m{"external_id": "written", "email": "w@example.com", "email_verified": true, "custom_attributes": m{"n": 1.5}})
	lead := b.writeViaAPI("POST", "/contacts", m{"role": "lead", "name": "Lead", "phone": "+49"})
	b.writeViaAPI("PUT", "/contacts/"+ids[0], m{"name": "Written", "owner_id": nil})
	if got := b.callAPI("POST", "/contacts/merge/preview", m{"from": lead, "into": user}); !strings.Contains(got, `"allowed":true`) {
		b.t.Errorf("the lead may not be merged: %s", got)
	}
	b.writeViaAPI("POST", "/contacts/merge", m{"from": lead, "into": user})
	b.writeViaAPI("DELETE", "/contacts/"+ids[1], nil)
	firm := b.space.Oracle("companies")[0]["id"].(string)
	b.writeViaAPI("POST", "/contacts/"+ids[2]+"/companies", m{"id": firm})
	link := b.space.Oracle("contact_companies")[0]
	b.writeViaAPI("DELETE", "/contacts/"+link["contact_id"].(string)+"/companies/"+link["company_id"].(string), nil)
	b.writeViaAPI("DELETE", "/notes/"+b.space.Oracle("contact_notes")[0]["note_id"].(string), nil)
	subscribed := b.space.Oracle("contact_subscriptions")[0]
	b.writeViaAPI("DELETE", "/contacts/"+subscribed["contact_id"].(string)+"/subscriptions/"+subscribed["subscription_id"].(string), nil)
	away, back := b.writeViaAPI("POST", "/contacts", m{"role": "lead"}), b.writeViaAPI("POST", "/contacts", m{"role": "lead"})
	b.writeViaAPI("POST", "/contacts/"+away+"/block", nil)
	b.writeViaAPI("POST", "/contacts/"+back+"/archive", nil)
	b.writeViaAPI("POST", "/contacts/"+back+"/unarchive", nil)
	note := b.writeViaAPI("POST", "/contacts/"+back+"/notes", m{"body": "<p>written</p>"})
	saved := b.writeViaAPI("POST", "/companies", m{"company_id": "written", "name": "Written & Co", "size": 7})
	b.writeViaAPI("POST", "/contacts/"+back+"/companies", m{"id": saved})
	job := b.writeViaAPI("POST", "/contacts/bulk", m{"contacts": []m{{"external_id": "bulk"}, {"external_id": "written"}}})
	b.writeViaAPI("PUT", "/contacts/bulk", m{"contacts": []m{{"id": ids[3], "role": "user", "name": "Bulk"}}})
	b.writeViaAPI("POST", "/contacts/bulk/delete", m{"contacts": []m{{"id": ids[4]}}})
	b.writeViaAPI("POST", "/visitors/convert", m{"type": "lead", "visitor": m{"id": "v", "email": "v@example.com"}})
	return func() {
		b.t.Helper()
		b.equalsOracle()
		b.checkLifecycle("merged", user, lead)
		b.checkLifecycle("active", "", user, ids[0], ids[3])
		b.checkLifecycle("pending_deletion", "", ids[1], ids[4])
		b.checkLifecycle("blocked", "", away)
		b.checkLifecycle("active", "", back)
		if got := b.queryRows("SELECT (SELECT name FROM companies WHERE id = '" + saved + "' AND size = 7), (SELECT count(*) FROM contact_notes WHERE contact_id = '" + back + "' AND note_id = '" + note + "')"); len(got) != 1 || got[0] != "Written & Co|1" {
			b.t.Errorf("the company and the note are %v", got)
		}
		b.checkServes("/notes/"+note, "<p>written</p>")
		got := b.queryRows("SELECT string_agg(external_id, ' ' ORDER BY external_id) FROM contacts WHERE external_id IN ('bulk', 'written') OR name IN ('Written', 'Bulk') AND external_id IS NULL")
		if len(got) != 1 || got[0] != "bulk written" {
			b.t.Errorf("there are %v", got)
		}
		b.checkServes("/contacts/bulk/"+job, `"success"`)
		b.checkServes("/contacts/"+user, `"phone":"+49"`) // the lead's phone
		b.checkServes("/contacts?per_page=150", `"name":"Written"`)
		b.checkServes("/contacts/find_by_external_id/bulk", `"external_id":"bulk"`)
		b.checkServes("/contacts/"+ids[2]+"/companies", firm)
		b.checkServes("/companies/"+firm+"/contacts", ids[2])
		b.checkServes("/companies/"+firm, firm)
		b.checkServes("/companies/"+firm+"/notes", `"list"`)
		b.checkServes("/companies/"+firm+"/segments", `"list"`)
		b.checkServes("/companies/scroll", firm)
		b.checkServes("/contacts/"+user+"/segments", `"list"`)
		b.checkServes("/contacts/"+user+"/subscriptions", `"list"`)
	}
}

// writesContent writes content of every kind, and returns what must be true after the next run; it then removes it again.
func (b *testBed) writesContent() (holds func()) {
	b.t.Helper()
	type m = map[string]any
	const body = `<p>x <span class="service-dynamic-content" data-service-dynamic-content-key="price"></span></p>`
	folder := b.writeViaAPI("POST", "/folders", m{"name": "written", "parent_folder_id": "660"})
	empty := b.writeViaAPI("POST", "/folders", m{"name": "empty"})
	price := b.writeViaAPI("POST", "/dynamic_contents", m{"name": "price", "key": "price", "content_type": "inline", "variations": []m{{"locale": "en", "value": "5 €"}}})
	article := b.writeViaAPI("POST", "/articles", m{"title": "written", "author_id": 5, "folder_id": folder, "body": body, "translated_content": m{"fr": m{"title": "écrit", "body": body}}})
	b.writeViaAPI("PUT", "/articles/"+b.space.Oracle("articles")[0]["id"].(string), m{"title": "written too", "folder_id": folder})
	internal := b.writeViaAPI("POST", "/internal_articles", m{"title": "written", "author_id": 5, "owner_id": 5, "folder_id": folder})
	news := b.writeViaAPI("POST", "/news/news_items", m{"title": "written", "sender_id": 5, "newsfeed_assignments": []m{{"newsfeed_id": 480, "published_at": 1718000000}}})
	version := b.space.Oracle("data_connector_versions")[0]
	b.writeViaAPI("PATCH", "/data_connectors/"+version["data_connector_id"].(string)+"/versions/"+version["entity_version_id"].(string), m{"note": "written"})
	return func() {
		b.t.Helper()
		contentHolds(b.t, b, "articles", "internal_articles", "news_items", "folders", "dynamic_contents", "data_connectors")
		oracletest.CompareRows(b.t, "references", b.queryRows("SELECT locale, dynamic_content_key FROM article_dynamic_contents WHERE article_id = '"+article+"' ORDER BY ALL"), []string{"en|price", "fr|price"})
		oracletest.CompareRows(b.t, "what was written", b.queryRows("SELECT title FROM articles WHERE folder_id = '"+folder+"' UNION ALL SELECT title FROM internal_articles WHERE folder_id = '"+folder+
			"' UNION ALL SELECT title FROM news_items WHERE id = '"+news+"' UNION ALL SELECT note FROM data_connector_versions WHERE note = 'written'"),
			[]string{"written", "written", "written", "written", "written too"})
		b.writeViaAPI("PUT", "/internal_articles/"+internal, m{"title": "written again"})
		b.writeViaAPI("PUT", "/news/news_items/"+news, m{"title": "written again"})
		b.writeViaAPI("PUT", "/dynamic_contents/"+price, m{"name": "written again"})
		b.checkServes("/articles/"+article, `"title":"written"`)
		b.checkServes("/internal_articles/"+internal, "written again")
		b.checkServes("/internal_articles/search?phrase=written+again", internal)
		b.checkServes("/news/news_items/"+news, "written again")
		b.checkServes("/news/newsfeeds/480", "480")
		b.checkServes("/news/newsfeeds/480/items", "written again")
		b.checkServes("/dynamic_contents/"+price, "written again")
		b.checkServes("/folders/"+folder, `"name":"written"`)
		b.checkServes("/data_connectors/"+version["data_connector_id"].(string), version["data_connector_id"].(string))
		b.checkServes("/data_connectors/"+version["data_connector_id"].(string)+"/versions/"+version["entity_version_id"].(string), `"note":"written"`)
		collection := b.space.Oracle("collections")[0]["id"].(string)
		b.checkServes("/help_center/collections/"+collection, collection)
		b.writeViaAPI("DELETE", "/folders/"+empty, nil)
		b.writeViaAPI("DELETE", "/articles/"+article, nil)
		b.writeViaAPI("DELETE", "/internal_articles/"+internal, nil)
		b.writeViaAPI("DELETE", "/news/news_items/"+news, nil)
		b.writeViaAPI("DELETE", "/dynamic_contents/"+price, nil)
		b.writeViaAPI("PUT", "/folders/"+folder, m{"name": "renamed", "parent_folder_id": nil})
	}
}

// writesConversations writes assignments, replies, tables, messages and tickets, one of which appears later than requested.
func (b *testBed) writesConversations() (holds func()) {
	b.t.Helper()
	type m = map[string]any
	who, talk, ticket := b.space.ContactIDs("active")[0], "/conversations/"+b.space.ConversationIDs()[5], "/tickets/"+b.space.TicketIDs()[3]
	b.writeViaAPI("POST", talk+"/parts", m{"message_type": "close", "admin_id": "5"})
	b.writeViaAPI("POST", talk+"/parts", m{"message_type": "assignment", "admin_id": "5", "assignee_id": "814866", "skip_reopen": true})
	b.writeViaAPI("POST", talk+"/reply", m{"message_type": "comment", "body": "<table><tr><td>Zoë<td>5 €</table>"})
	b.writeViaAPI("PUT", talk, m{"company_id": b.space.Oracle("companies")[2]["id"], "read": false, "custom_attributes": m{"n": 1.5}})
	b.writeViaAPI("PUT", ticket, m{"ticket_state_id": "3303", "assignee_id": "5"})
	b.writeViaAPI("POST", ticket+"/reply", m{"message_type": "note", "body": "<p>done"})
	ordered := m{"ticket_type_id": "1200", "contacts": []m{{"id": who}}, "ticket_attributes": m{"Größe": "S", "_default_title_": "written"}}
	b.writeViaAPI("POST", "/tickets", ordered)
	job := b.writeViaAPI("POST", "/tickets/enqueue", ordered)
	role := "lead"
	for _, row := range b.space.Oracle("contacts") {
		if row["id"] == who {
			role = row["role"].(string)
		}
	}
	b.writeViaAPI("POST", "/conversations", m{"from": m{"type": "contact", "id": who}, "body": "begun"})
	b.writeViaAPI("POST", "/messages", m{"from": m{"type": "admin", "id": "5"}, "to": []m{{"type": role, "id": who}}, "message_type": "email", "subject": "Hi", "body": "written"})
	return func() {
		b.t.Helper()
		oracletest.CompareConversations(b.t, b.space, b.runner.Dir.Current())
		b.equalsTickets()
		if got := b.queryRows(`SELECT (SELECT count(*) FROM tickets WHERE (ticket_attributes->>'_default_title_') = 'written'), (SELECT count(*) FROM conversations WHERE source_body = 'written'),
			(SELECT state FROM conversations WHERE company_id IS NOT NULL AND NOT read AND (custom_attributes->>'n') = '1.5')`); got[0] != "2|1|closed" {
			b.t.Errorf("there are %v", got)
		}
		if got := b.queryRows("SELECT source_author_id FROM conversations WHERE source_body = 'begun'"); len(got) != 1 || got[0] != who {
			b.t.Errorf("the conversation was begun by %v", got)
		}
		told := b.queryRows(`SELECT channel, state, user_replied FROM reporting_conversation JOIN conversations ON conversations.id = conversation_id WHERE source_body = 'written'`)
		if len(told) != 1 || told[0] != "email|open|false" {
			b.t.Errorf("the export tells %v of the message", told)
		}
		b.checkServes("/jobs/status/"+job, `"success"`)
		b.checkServes(ticket, `"part_type":"note"`)
		b.checkServes("/conversations?per_page=150", strings.TrimPrefix(talk, "/conversations/"))
	}
}

// asksTheRest calls the endpoints that no stream reads, or reads only sometimes, and that no test writes to.
func (b *testBed) asksTheRest() {
	b.t.Helper()
	for _, list := range []string{"tags", "segments", "teams", "admins"} {
		id := b.space.Oracle(list)[0]["id"].(string)
		b.checkServes("/"+list+"/"+id, id)
	}
	b.checkServes("/me", b.space.Oracle("admins")[0]["email"].(string))
	b.checkServes("/articles/search?phrase=written+too", "written too")
	call := ""
	for _, row := range b.space.Oracle("calls") {
		if row["recording_url"] != nil {
			call = row["id"].(string)
		}
	}
	b.checkServes("/calls/"+call, call)
	b.checkServes("/calls/"+call+"/transcript", "[")
	b.callAPI("GET", "/calls/"+call+"/recording", nil)
	var job struct {
		ID string `json:"job_identifier"`
	}
	order := map[string]any{"dataset_id": "conversation", "attribute_ids": []string{"state"}, "start_time": 1718000000, "end_time": 1718086400}
	b.failOn(json.Unmarshal([]byte(b.callAPI("POST", "/export/reporting_data/enqueue", order)), &job))
	b.callAPI("GET", "/export/reporting_data/"+job.ID, nil)
	b.callAPI("GET", "/download/reporting_data/"+job.ID, nil)
}

// TestNotesReadFromTheirOwnListHaveTexts gives a contact more notes than its record has. The rest is read from the list of its notes, which sends them
// whole.
func TestNotesReadFromTheirOwnListHaveTexts(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(506))
	who := b.space.Oracle("contacts")[3]["id"].(string)
	for i := range 11 {
		b.writeViaAPI("POST", "/contacts/"+who+"/notes", map[string]any{"body": fmt.Sprintf("<p>note %d</p>", i), "admin_id": "5"})
	}
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	b.equalsOracle()
	var want []string
	for _, note := range b.space.Oracle("contact_note_texts") {
		if note["contact_id"] == who {
			want = append(want, fmt.Sprint(note["note_id"], "|", note["body"], "|", note["author_id"], "|", note["created_at"], "|∅"))
		}
	}
	oracletest.CompareRows(t, "contact_notes", b.queryRows("SELECT note_id, body, author_id, epoch(created_at)::BIGINT, _extra FROM contact_notes WHERE contact_id = '"+who+"'"), want)
	if texts := strings.Join(want, "\n"); !strings.Contains(texts, "<p>note 10</p>|5|") {
		t.Errorf("the source has %s", texts)
	}
}
