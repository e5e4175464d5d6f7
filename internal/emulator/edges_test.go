package emulator_test

import (
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
)

func TestAPageFarPastTheEndIsEmpty(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{})
	id := c.w.ContactIDs("active")[0]
	for _, path := range []string{"/contacts/deleted", "/conversations/deleted", "/articles", "/help_center/collections", "/internal_articles", "/news/newsfeeds",
		"/news/news_items", "/folders", "/calls", "/contacts/" + id + "/tags", "/dynamic_contents"} {
		for _, page := range []string{"1000", fmt.Sprint(math.MaxInt64), fmt.Sprint(math.MaxInt64/4 + 1), strings.Repeat("9", 30)} {
			r := c.do("GET", path+"?per_page=4&page="+page, nil)
			if list := r.listRecords(); r.status != 200 || len(list) != 0 || r.nextPage() != nil {
				t.Errorf("%s, page %s: %d with %d records", path, page, r.status, len(list))
			}
		}
	}
	if r := c.do("POST", "/companies/list?per_page=60&page="+fmt.Sprint(math.MaxInt64), nil); r.status != 200 || len(r.dataItems()) != 0 {
		t.Errorf("companies: %d with %d", r.status, len(r.dataItems()))
	}
}

// listRecords returns the records of a list, under whatever key.
func (r apiReply) listRecords() []any {
	for _, key := range []string{"data", "conversations", "calls", "dynamic_contents"} {
		if list, ok := r.json[key].([]any); ok {
			return list
		}
	}
	return []any{"no list"}
}

func TestOperationsAndKnobsThatMakeNoSenseAreRefused(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{})
	talk, lead, user := c.w.ConversationIDs()[0], c.w.Oracle("contacts")[1]["id"], c.w.ContactIDs("permanently_deleted")[0]
	merged, ticket := c.w.ContactIDs("merged")[0], c.w.TicketIDs()[0]
	first := c.w.ContactIDs("active")[0]
	left, err := c.w.OpenConversation(first, 1)
	failOn(t, err)
	failOn(t, c.w.ArchiveContact(first))
	parts := func() int { return len(c.w.Oracle("conversation_parts")) + len(c.w.Oracle("ticket_parts")) }
	for _, test := range []struct {
		operation string
		with      m
	}{
		{"conversations.review", m{"id": talk, "card": -1, "status": "submitted"}},
		{"conversations.rate", m{"id": talk, "stars": 9}},
		{"conversations.rate", m{"id": talk, "stars": 0}},
		{"conversations.snooze", m{"id": talk, "until": 5}},
		{"conversations.add-part", m{"id": talk, "type": ""}},
		{"conversations.monitor", m{"id": talk, "monitor": -1}},
		{"conversations.consult", m{"id": talk, "outcome": "approved", "rounds": -1, "takes": "1h"}},
		{"conversations.consult", m{"id": talk, "outcome": "approved", "rounds": 1, "takes": "-1h"}},
		{"logs.add", m{"n": 3, "within": "-1h"}},
		{"workspace-id", m{"id": ""}},
		{"advance", m{"by": "-1h"}},
		{"contacts.tag", m{"id": user, "tag": "1"}},
		{"contacts.unarchive", m{"id": user}},
		{"contacts.delete", m{"id": user}},
		{"contacts.archive", m{"id": user}},
		{"contacts.archive", m{"id": merged}},
		{"contacts.unarchive", m{"id": merged}},
		{"contacts.unblock", m{"id": lead}},
		{"conversations.reply", m{"id": left, "by": "contact", "author": first, "body": "x"}},
		{"conversations.reply", m{"id": talk, "by": "contact", "author": "nobody", "body": "x"}},
		{"conversations.reply", m{"id": talk, "by": "ai", "author": "5", "body": "x"}},
		{"conversations.assign", m{"id": talk, "as": "teammate", "by": "1"}},
		{"conversations.assign", m{"id": talk, "as": "team", "by": "5", "team": "5"}},
		{"conversations.update", m{"id": talk, "set": m{"company_id": "none"}}},
		{"conversations.update", m{"id": talk, "set": m{"company_id": 5}}},
		{"conversations.update", m{"id": talk, "set": m{"company_id": true}}},
		{"conversations.close", m{"id": talk, "by": "814801"}},
		{"messages.send", m{"from": "5", "to": merged, "type": "email", "body": "x"}},
		{"messages.send", m{"from": "5", "to": " ", "type": "email", "body": "x"}},
		{"messages.send", m{"from": "1", "to": lead, "type": "email", "body": "x"}},
		{"tickets.set", m{"id": ticket, "set": m{}, "state": "3301", "as": "teammate", "teammate": "1"}},
		{"tickets.set", m{"id": ticket, "set": m{}, "state": "1", "as": "teammate", "teammate": "5"}},
		{"tickets.set", m{"id": ticket, "set": m{"nope": 1}, "state": "3301"}},
		{"tickets.create", m{"type": "1200", "contact": "nobody"}},
		{"tickets.create", m{"type": "1200", "team": "1"}},
		{"tickets.enqueue", m{"type": "1200", "contact": "nobody"}},
		{"set", m{"SearchRefused": 99}}, {"set", m{"NestedCap": -5}}, {"set", m{"Sort": "bogus"}}, {"set", m{"ListDeletes": "zzz"}}, {"set", m{"NextShape": "absent"}},
		{"set", m{"HitlRedacted": "zz"}}, {"set", m{"RetryAfter": "zz"}}, {"set", m{"Duplicates": 2}}, {"set", m{"LagMax": "-5m"}}, {"set", m{"PartsCap": -1}},
		{"set", m{"Export": m{"File": m{"Form": "rar"}}}}, {"set", m{"Unavailable": []string{"zz"}}}, {"set", m{"IgnoreVersion": "zz"}}, {"set", m{"LagOf": m{"x": m{}}}},
		{"set", m{"ShapesOf": m{"zz": m{}}}},
	} {
		before := parts()
		if r := c.do("POST", "/_emulator/do/"+test.operation, test.with); r.status != 400 || parts() != before {
			t.Errorf("%s with %v: %d %s", test.operation, test.with, r.status, r.raw)
		}
	}
	c.doOperation("set", m{"Unavailable": []string{"tags.list"}, "IgnoreVersion": "2.16", "TotalError": -0.5, "DateOffset": "-5m", "EndShape": "empty", "SearchRefused": 422})
	if r := c.do("GET", "/tags", nil); r.status != 403 || r.errorCode() != "api_plan_restricted" {
		t.Errorf("a route by its name: %d %s", r.status, r.errorCode())
	}
}

// Parameters of an operation are one JSON object: anything behind it is refused.
func TestParametersOfAnOperationAreOneObject(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60})
	id := c.w.ConversationIDs()[0]
	for _, body := range []string{`{"id": "` + id + `"} and more`, `{"id": "` + id + `"}{}`, `{"id": "` + id + `"}]`} {
		res, err := http.Post(c.url+"/_emulator/do/conversations.delete", "application/json", strings.NewReader(body))
		failOn(t, err)
		if failOn(t, res.Body.Close()); res.StatusCode != 400 {
			t.Errorf("%s: %d", body, res.StatusCode)
		}
	}
}

func TestErasedContactsStayErased(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{})
	id, err := c.w.CreateContact("user", emulator.FieldChange{Field: "email", Value: "canary@example.org"})
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []func(string) error{c.w.ArchiveContact, c.w.EraseContact} {
		if err := step(id); err != nil {
			t.Fatal(err)
		}
	}
	if c.w.UnarchiveContact(id, true) == nil || c.w.EraseContact(id) == nil || c.w.BlockContact(id) == nil {
		t.Error("something more happened to it")
	}
	if r := c.do("GET", "/contacts/"+id, nil); r.status != 404 || strings.Contains(string(r.raw), "canary") {
		t.Errorf("%d %s", r.status, r.raw)
	}
}

func TestAnEscapedSlashIsPartOfAnID(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{})
	id, err := c.w.CreateContact("user", emulator.FieldChange{Field: "external_id", Value: "a/b c%d"})
	if err != nil {
		t.Fatal(err)
	}
	if r := c.do("GET", "/contacts/find_by_external_id/"+url.PathEscape("a/b c%d"), nil); r.status != 200 || r.json["id"] != id {
		t.Errorf("by its external id: %d %s", r.status, r.raw)
	}
	if r := c.do("GET", "/contacts%2F"+id, nil); r.status != 404 {
		t.Errorf("an escaped slash for a slash: %d", r.status)
	}
}

func TestNamesOfASearchAreReadAsTheyAreWritten(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{})
	for name, body := range map[string]any{"the query": m{"QUERY": updatedSince(0)}, "a field": m{"query": m{"Field": "id", "operator": "=", "value": "1"}},
		"no query": m{"query": nil}, "a list": []any{}} {
		if r := c.do("POST", "/contacts/search", body); r.status != 400 || strings.Contains(string(r.raw), "struct") {
			t.Errorf("%s: %d %s", name, r.status, r.raw)
		}
	}
}

func TestT135AChangeOfTheTimeZoneIsInTheActivityLog(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{})
	zone, err := time.LoadLocation("Asia/Kathmandu")
	if err != nil {
		t.Fatal(err)
	}
	before := c.w.CurrentTime().Unix()
	c.w.SetZone(zone)
	c.w.SetZone(zone)
	entries := c.do("GET", fmt.Sprintf("/admins/activity_logs?created_at_after=%d&per_page=250", before), nil).json["activity_logs"].([]any)
	var metadata []string
	for _, e := range entries {
		if entry := e.(m); entry["activity_type"] == "app_timezone_change" {
			metadata = append(metadata, fmt.Sprint(entry["metadata"]))
		}
	}
	if len(metadata) != 1 || metadata[0] != "map[after:Asia/Kathmandu before:UTC]" {
		t.Errorf("told: %v", metadata)
	}
	rows := c.w.Oracle("admin_activity_logs")
	if last := rows[len(rows)-1]; last["activity_type"] != "app_timezone_change" && rows[0]["activity_type"] != "app_timezone_change" {
		t.Errorf("the oracle's newest is %v", last)
	}
}
