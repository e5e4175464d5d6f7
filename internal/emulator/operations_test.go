package emulator_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
)

// operationStep is one operation over HTTP, and where its effect shows. Words that begin with $ stand for ids of earlier steps.
type operationStep struct {
	do     string
	with   m
	keep   string // name of the id in its answer
	stream string // stream of the oracle that must change; "": neither the oracle nor the API changes yet
	asked  string // a GET, or a POST without a body, with an answer that must change
}

var contactSteps = []operationStep{
	{"contacts.create", m{"role": "user", "set": m{"name": "Zoë", "custom_attributes.big": json.Number("12345678901234567890")}}, "user", "contacts", "/contacts?per_page=150"},
	{"contacts.create", m{"role": "lead", "set": m{"email": nil}}, "lead", "contacts", "/contacts?per_page=150"},
	{"contacts.create", m{"role": "lead"}, "chained", "contacts", "/contacts?per_page=150"},
	{"contacts.create", m{"role": "lead"}, "other", "contacts", "/contacts?per_page=150"},
	{"contacts.update", m{"id": "$user", "set": m{"phone": "+49301", "owner_id": 814860}}, "", "contacts", "/contacts/$user"},
	{"contacts.update-quietly", m{"id": "$user", "set": m{"last_seen_at": 1718000000}}, "", "contacts", "/contacts/$user"},
	{"contacts.restore", m{"id": "$user", "back": "2h", "set": m{"name": "Zoe"}}, "", "contacts", "/contacts/$user"},
	{"contacts.promote", m{"id": "$other"}, "", "contacts", "/contacts/$other"},
	{"contacts.fail-merge", m{"id": "$lead", "into": "$user", "reason": "busy"}, "", "contact_activities", "/contacts/activities?per_page=150"},
	{"contacts.tag", m{"id": "$user", "tag": "$tag"}, "", "contact_tags", "/contacts/$user/tags"},
	{"contacts.untag", m{"id": "$user", "tag": "$tag"}, "", "contact_tags", "/contacts/$user/tags"},
	{"contacts.note", m{"id": "$user", "body": "<p>hello</p>"}, "", "contact_notes", "/contacts/$user/notes"},
	{"contacts.note", m{"id": "$user", "body": "gone soon"}, "note", "contact_notes", "/contacts/$user/notes"},
	{"notes.delete", m{"id": "$note"}, "", "contact_notes", "/contacts/$user/notes"},
	{"contacts.unsubscribe", m{"id": "$subscriber", "subscription": "$subscription"}, "", "contact_subscriptions", "/contacts/$subscriber/subscriptions"},
	{"contacts.subscribe", m{"id": "$subscriber", "subscription": "$subscription"}, "", "contact_subscriptions", "/contacts/$subscriber/subscriptions"},
	{"contacts.attach", m{"id": "$user", "company": "$company"}, "", "contact_companies", "/contacts/$user/companies"},
	{"contacts.detach", m{"id": "$user", "company": "$company"}, "", "contact_companies", "/contacts/$user/companies"},
	{"contacts.archive", m{"id": "$other"}, "", "deleted_contacts", "/contacts/deleted?per_page=150"},
	{"contacts.unarchive", m{"id": "$other", "bump": false}, "", "deleted_contacts", "/contacts/deleted?per_page=150"},
	{"contacts.block", m{"id": "$other"}, "", "deleted_contacts", "/contacts/deleted?per_page=150"},
	{"contacts.unblock", m{"id": "$other"}, "", "deleted_contacts", "/contacts/deleted?per_page=150"},
	{"contacts.request-deletion", m{"id": "$other"}, "", "contact_lifecycle", "/contacts/deleted?per_page=150"},
	{"contacts.erase", m{"id": "$other"}, "", "contact_lifecycle", "/contacts/deleted?per_page=150"},
	{"contacts.merge", m{"id": "$lead", "into": "$user"}, "", "contact_lifecycle", "/contacts/deleted?per_page=150"},
	{"contacts.merge-anyway", m{"id": "$chained", "into": "$lead"}, "", "contact_lifecycle", "/contacts/deleted?per_page=150"},
	{"contacts.delete", m{"id": "$first"}, "", "contact_lifecycle", "/contacts/activities?per_page=150"},
	{"workspace-id", m{"id": "ws-other"}, "", "contacts", "/contacts/$user"},
	{"live", m{"hours": 1}, "", "contact_activities", "/contacts/activities?per_page=150"},
}

const wholeTalk = "/conversations/$talk?include_scorecards=true&include_monitors=true"

var conversationSteps = []operationStep{
	{"conversations.open", m{"contact": "$first", "parts": 2}, "talk", "conversations", "/conversations"},
	{"conversations.reply", m{"id": "$talk", "by": "contact", "body": "where is it?"}, "said", "conversation_parts", wholeTalk},
	{"messages.send", m{"from": "5", "to": "$user", "type": "email", "body": "hello"}, "", "conversations", "/conversations?per_page=150"},
	{"conversations.reply", m{"id": "$talk", "by": "teammate", "author": "5", "body": "on its way"}, "", "conversation_parts", wholeTalk},
	{"conversations.reply", m{"id": "$talk", "by": "ai", "body": "it is here"}, "", "conversation_parts", wholeTalk},
	{"conversations.reply", m{"id": "$talk", "by": "note", "body": "hm"}, "", "conversation_parts", wholeTalk},
	{"conversations.add-part", m{"id": "$talk", "type": "odd_event"}, "odd", "conversation_parts", wholeTalk},
	{"conversations.assign", m{"id": "$talk", "as": "team"}, "assigned", "conversation_parts", wholeTalk},
	{"conversations.mutate-part", m{"id": "$talk", "part": "$assigned", "as": "bot"}, "", "conversation_parts", wholeTalk},
	{"conversations.close", m{"id": "$talk"}, "", "conversations", wholeTalk},
	{"conversations.assign", m{"id": "$talk", "as": "remove_all", "skip_reopen": true}, "", "conversations", wholeTalk},
	{"conversations.reopen", m{"id": "$talk"}, "", "conversations", wholeTalk},
	{"conversations.snooze", m{"id": "$talk", "until": "2034-06-20T08:00:00Z"}, "", "conversations", wholeTalk},
	{"conversations.summarise-call", m{"id": "$talk"}, "summary", "calls", wholeTalk},
	{"conversations.fill-summary", m{"id": "$talk", "part": "$summary", "body": "they spoke"}, "", "conversation_parts", wholeTalk},
	{"conversations.redact", m{"id": "$talk", "part": "$said"}, "", "conversation_parts", wholeTalk},
	{"conversations.redact", m{"id": "$talk", "bump": false}, "", "conversations", wholeTalk},
	{"conversations.rate", m{"id": "$talk", "stars": 4, "remark": "good"}, "", "conversations", wholeTalk},
	{"conversations.review", m{"id": "$talk", "card": 0, "status": "needs_fix"}, "", "conversation_scorecards", wholeTalk},
	{"conversations.monitor", m{"id": "$talk", "monitor": 1}, "", "conversation_monitor_evaluations", wholeTalk},
	{"conversations.tag", m{"id": "$talk", "tag": "$tag"}, "", "conversation_tags", wholeTalk},
	{"conversations.untag", m{"id": "$talk", "tag": "$tag"}, "", "conversation_tags", wholeTalk},
	{"conversations.link", m{"id": "$talk"}, "", "conversation_linked_objects", wholeTalk},
	{"conversations.update", m{"id": "$talk", "set": m{"title": "Lost", "priority": "priority", "custom_attributes.Escalated": true}}, "", "conversations", wholeTalk},
	{"conversations.open", m{"contact": "$user"}, "asked", "conversations", "/conversations"},
	{"conversations.open", m{"contact": "$user", "body": "<p>hello?</p>"}, "begun", "conversations", "/conversations/$begun"},
	{"conversations.consult", m{"id": "$asked", "outcome": "approved", "rounds": 1, "takes": "0s"}, "", "hitl_events", "/conversations/$asked/hitl_events"},
	{"conversations.consult", m{"id": "$asked", "outcome": "approved", "takes": "48h"}, "", "", ""},
	{"conversations.finish-consultation", m{"id": "$asked", "outcome": "taken_over"}, "", "hitl_events", "/conversations/$asked/hitl_events"},
	{"calls.start", m{"conversation": "$talk", "outbound": true}, "call", "calls", "/calls"},
	{"calls.answer", m{"id": "$call"}, "", "calls", "/calls/$call"},
	{"calls.end", m{"id": "$call"}, "", "call_transcripts", "/calls/$call"},
	{"calls.record", m{"id": "$call"}, "", "calls", "/calls/$call"},
	{"calls.transcribe", m{"id": "$call"}, "", "call_transcript_lines", "/calls/$call"},
	{"calls.remove", m{"id": "$call"}, "", "calls", "/calls/$call"},
	{"conversations.delete", m{"id": "$talk"}, "", "deleted_conversations", wholeTalk},
}

const wholeTicket = `POST /tickets/search {"query":{"field":"id","operator":"=","value":"$ticket"}}`

var ticketSteps = []operationStep{
	{"tickets.create", m{"type": "1200", "contact": "$first", "set": m{"_default_title_": "Broken"}}, "ticket", "tickets", wholeTicket},
	{"tickets.reply", m{"id": "$ticket", "by": "contact", "body": "it fell"}, "fell", "ticket_parts", wholeTicket},
	{"tickets.state", m{"id": "$ticket", "state": "3302"}, "", "tickets", wholeTicket},
	{"tickets.close", m{"id": "$ticket"}, "", "tickets", wholeTicket},
	{"tickets.set", m{"id": "$ticket", "set": m{"Größe": "S", "Anzahl #": 77}}, "", "tickets", wholeTicket},
	{"tickets.assign", m{"id": "$ticket", "as": "team"}, "given", "ticket_parts", wholeTicket},
	{"tickets.mutate-part", m{"id": "$ticket", "part": "$given", "as": "bot"}, "", "ticket_parts", wholeTicket},
	{"tickets.snooze", m{"id": "$ticket", "until": "2034-06-20T08:00:00Z"}, "", "tickets", wholeTicket},
	{"tickets.link", m{"id": "$ticket", "object": "$asked"}, "", "ticket_linked_objects", wholeTicket},
	{"tickets.redact", m{"id": "$ticket", "part": "$fell"}, "", "ticket_parts", wholeTicket},
	{"tickets.delete", m{"id": "$ticket"}, "", "tickets", "/tickets/$ticket"},
}

var otherSteps = []operationStep{
	{"companies.create", m{"set": m{"name": "Neu & Co"}}, "firm", "companies", "POST /companies/list?per_page=60"},
	{"companies.update", m{"id": "$firm", "set": m{"monthly_spend": 7000}}, "", "companies", "/companies/$firm"},
	{"companies.tag", m{"id": "$firm", "tag": "$tag"}, "", "company_tags", "/companies/$firm"},
	{"companies.untag", m{"id": "$firm", "tag": "$tag"}, "", "company_tags", "/companies/$firm"},
	{"companies.note", m{"id": "$firm", "body": "big"}, "about", "company_notes", "/companies/$firm/notes"},
	{"content.create", m{"kind": "articles"}, "article", "articles", "/articles"},
	{"content.edit", m{"kind": "articles", "id": "$article"}, "", "articles", "/articles/$article"},
	{"content.edit", m{"kind": "articles", "id": "$article", "set": m{"title": "Neu"}}, "", "articles", "/articles/$article"},
	{"content.remove", m{"kind": "articles", "id": "$article"}, "", "articles", "/articles/$article"},
	{"content.create", m{"kind": "folders", "set": m{"name": "Neu"}}, "folder", "folders", "/folders"},
	{"content.note", m{"id": "5100", "version": "880000", "note": "Neu"}, "", "data_connector_versions", "/data_connectors/5100/versions"},
	{"logs.add", m{"n": 3, "within": "1m"}, "", "admin_activity_logs", "/admins/activity_logs?created_at_after=1"},
	{"exports.row", m{"dataset": "conversation", "key": "x", "created": 1718400000, "values": m{"state": "open"}}, "", "reporting_conversation", "an export"},
	{"exports.change", m{"dataset": "conversation", "key": "x", "attribute": "state", "value": "odd"}, "", "reporting_conversation", "an export"},
}

// testedElsewhere are the operations that change no row; they have their own tests.
var testedElsewhere = []string{"advance", "set", "chaos", "expire-cursors", "rotate", "add-token", "zone", "jobs.start", "tickets.enqueue", "exports.occupy"}

// existingIDs returns the ids that the steps name and that exist before them.
func existingIDs(w *emulator.Workspace) map[string]string {
	subscribed := w.Oracle("contact_subscriptions")[0]
	return map[string]string{"first": w.ContactIDs("active")[0], "tag": fmt.Sprint(w.Oracle("tags")[3]["id"]), "company": fmt.Sprint(w.Oracle("companies")[1]["id"]),
		"subscriber": subscribed["contact_id"].(string), "subscription": subscribed["subscription_id"].(string)}
}

func TestEveryOperationIsSeenByTheAPIAndByTheOracle(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 20, Conversations: 6, Knobs: emulator.Knobs{NoLag: true, ListDeletes: emulator.ListAll, HitlRedacted: emulator.Never}})
	made := existingIDs(c.w)
	done := slices.Clone(testedElsewhere)
	for _, s := range slices.Concat(contactSteps, conversationSteps, ticketSteps, otherSteps) {
		done = append(done, s.do)
		rows, seen := s.oracleRows(c), c.readAnswer(resolveNames(s.asked, made))
		r := c.do("POST", "/_emulator/do/"+s.do, s.resolveBody(made))
		if r.status != 200 {
			t.Fatalf("%s: %d %s", s.do, r.status, r.raw)
		}
		if s.keep != "" {
			id, _ := r.json["id"].(string)
			if s.do == "conversations.summarise-call" {
				id, _ = r.json["part"].(string)
			}
			if made[s.keep] = id; id == "" {
				t.Fatalf("%s answers %s", s.do, r.raw)
			}
		}
		if s.stream == "" {
			continue
		}
		if slices.Equal(rows, s.oracleRows(c)) {
			t.Errorf("%s: the oracle tells the same %s", s.do, s.stream)
		}
		if seen == c.readAnswer(resolveNames(s.asked, made)) {
			t.Errorf("%s: the API answers %s as before: %s", s.do, s.asked, seen)
		}
	}
	for _, name := range operationNames(t, c) {
		if !slices.Contains(done, name) {
			t.Errorf("%s is called by no test", name)
		}
	}
}

func (s operationStep) oracleRows(c *apiClient) []string {
	if s.stream == "" {
		return nil
	}
	return comparableRows(c.w.Oracle(s.stream))
}

func (s operationStep) resolveBody(made map[string]string) m {
	with := m{}
	for name, v := range s.with {
		if text, ok := v.(string); ok {
			v = resolveNames(text, made)
		}
		with[name] = v
	}
	return with
}

func resolveNames(text string, made map[string]string) string {
	return regexp.MustCompile(`\$\w+`).ReplaceAllStringFunc(text, func(name string) string { return made[name[1:]] })
}

var signature = regexp.MustCompile(`\?[^"]*`)

// readAnswer returns an answer of the API without the signatures of its addresses, which always differ.
func (c *apiClient) readAnswer(asked string) string {
	c.t.Helper()
	switch method, path, posts := strings.Cut(asked, " "); {
	case asked == "":
		return ""
	case asked == "an export":
		now := c.w.CurrentTime()
		job := c.enqueueExport(now.AddDate(0, 0, -2), now)
		c.w.Advance(time.Minute)
		id, _ := job.json["job_identifier"].(string)
		return fmt.Sprint(readCSV(c.t, c.do("GET", "/download/reporting_data/"+id, nil).raw))
	case posts:
		path, body, _ := strings.Cut(path, " ")
		return signature.ReplaceAllString(string(c.do(method, path, json.RawMessage(cmp.Or(body, "{}"))).raw), "")
	}
	r := c.do("GET", asked, nil)
	return signature.ReplaceAllString(string(r.raw), "")
}

var firstColumn = regexp.MustCompile("(?m)^\\| `([^`]+)` \\|")

func operationNames(t *testing.T, c *apiClient) (names []string) {
	t.Helper()
	for _, found := range firstColumn.FindAllSubmatch(c.do("GET", "/_emulator/", nil).raw, -1) {
		names = append(names, string(found[1]))
	}
	if len(names) < 50 {
		t.Fatalf("the index tells %d operations", len(names))
	}
	return names
}

func TestTheIndexHasTheTableOfOperations(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 20})
	if r := c.do("GET", "/_emulator/", nil); !strings.Contains(string(r.raw), emulator.OperationTable()) {
		t.Errorf("GET /_emulator/ does not tell it: %s", r.raw)
	}
}

func TestAMisspeltOperationIsAnsweredWithTheList(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 20})
	id := c.w.ContactIDs("active")[0]
	before := comparableRows(c.w.Oracle("contact_activities"))
	for _, row := range []struct {
		name   string
		do     string
		with   any
		status int
		wanted string
	}{
		{"another name", "contacts.archve", m{"id": id}, 404, "`contacts.archive`"},
		{"nothing given", "contacts.archive", nil, 400, "contacts.archive: id is missing; it takes `id`"},
		{"one too many", "contacts.archive", m{"id": id, "bmp": true}, 400, "it has no parameter bmp"},
		{"another kind", "contacts.unarchive", m{"id": id, "bump": 3}, 400, "bump cannot be 3; it takes `id`, [`bump`] (true or false)"},
		{"another word", "contacts.create", m{"role": "boss"}, 400, "role cannot be boss; it takes `role` (user, lead)"},
		{"no number", "live", m{"hours": "two"}, 400, "hours cannot be two; it takes `hours` (whole number)"},
		{"no duration", "advance", m{"by": 90}, 400, "it takes `by` (duration, as 90m)"},
		{"no object", "contacts.update", m{"id": id, "set": 7}, 400, "it takes `id`, `set` (object of columns and their values)"},
		{"no column", "contacts.update", m{"id": id, "set": m{"nam": "x"}}, 400, "set nam: no such text field"},
		{"nobody", "contacts.archive", m{"id": "nobody"}, 400, "no such contact"},
		{"no tag", "contacts.tag", m{"id": id, "tag": "5"}, 400, "no tag 5"},
		{"no company", "contacts.attach", m{"id": id, "company": "5"}, 400, "no such company"},
		{"refused", "contacts.merge", m{"id": id, "into": id}, 400, "only an active lead"},
		{"a list", "contacts.archive", []string{id}, 400, "no JSON object"},
		{"a call that is not there", "calls.end", m{"id": "1"}, 400, "no such call"},
		{"content that stays", "content.remove", m{"kind": "folders", "id": "660"}, 400, "a folder lies in it"},
		{"content of which nothing is written", "content.create", m{"kind": "newsfeeds", "set": m{"name": "x"}}, 400, "nothing of newsfeeds can be written"},
		{"content that the API refuses", "content.create", m{"kind": "folders", "set": m{"nam": "x"}}, 400, "name is missing"},
		{"content that says nothing", "content.edit", m{"kind": "folders", "id": "660", "set": m{"nam": "x"}}, 400, "nothing is said"},
		{"no version", "content.note", m{"id": "5100", "version": "1", "note": "x"}, 400, "version 1: no such content"},
		{"no consultation", "conversations.finish-consultation", m{"id": c.w.ConversationIDs()[0], "outcome": "approved"}, 400, "none is outstanding"},
		{"no row", "exports.change", m{"dataset": "conversation", "key": "k", "attribute": "state", "value": "x"}, 400, `has no row "k"`},
		{"no knob", "set", m{"LagMx": "4m"}, 400, "there is no knob LagMx; there are "},
		{"no inner knob", "set", m{"Export": m{"Fial": 1}}, 400, "there is no knob Export.Fial; there are Expired, Fail, "},
		{"a knob of another kind", "set", m{"TooLarge": "many"}, 400, "the knob TooLarge is no string but int"},
		{"a knob of no duration", "set", m{"LagMax": "long"}, 400, "the knob LagMax: expected a duration such as 20m: time: invalid duration"},
		{"no faults", "set", m{"Chaos": "eror=1"}, 400, "no such fault"},
		{"a ticket's job without its ticket", "jobs.start", m{"kind": "ticket"}, 400, "resource is missing"},
		{"words and parts", "conversations.open", m{"contact": id, "parts": 2, "body": "x"}, 400, "leave out one of them"},
		{"no subscription", "contacts.subscribe", m{"id": id, "subscription": "106"}, 400, "they are 100 to 105"},
		{"no scope", "add-token", m{"token": "x", "scopes": "read_conversations banana"}, 400, `there is no scope "banana"; there are read_conversations, `},
		{"no zone", "zone", m{"name": "Europe/Berln"}, 400, "unknown time zone Europe/Berln"},
	} {
		r := c.do("POST", "/_emulator/do/"+row.do, row.with)
		if r.status != row.status || !strings.Contains(string(r.raw), row.wanted) {
			t.Errorf("%s: %d %.300s", row.name, r.status, r.raw)
		}
	}
	if !slices.Equal(before, comparableRows(c.w.Oracle("contact_activities"))) {
		t.Error("what was refused has happened")
	}
}
