package emulator_test

import (
	"fmt"
	"math"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
)

func TestAPageFarPastTheEndIsEmpty(t *testing.T) {
	t.Parallel()
	c := start(t, emulator.Config{})
	id := c.w.IDs("active")[0]
	for _, path := range []string{"/contacts/deleted", "/conversations/deleted", "/articles", "/help_center/collections", "/internal_articles", "/news/newsfeeds",
		"/news/news_items", "/folders", "/calls", "/contacts/" + id + "/tags", "/dynamic_contents"} {
		for _, page := range []string{"1000", fmt.Sprint(math.MaxInt64), fmt.Sprint(math.MaxInt64/4 + 1), strings.Repeat("9", 30)} {
			r := c.do("GET", path+"?per_page=4&page="+page, nil)
			if list := r.records(); r.status != 200 || len(list) != 0 || r.next() != nil {
				t.Errorf("%s, page %s: %d with %d records", path, page, r.status, len(list))
			}
		}
	}
	if r := c.do("POST", "/companies/list?per_page=60&page="+fmt.Sprint(math.MaxInt64), nil); r.status != 200 || len(r.data()) != 0 {
		t.Errorf("companies: %d with %d", r.status, len(r.data()))
	}
}

// records are those of a list, whatever it calls them.
func (r reply) records() []any {
	for _, key := range []string{"data", "conversations", "calls", "dynamic_contents"} {
		if list, ok := r.json[key].([]any); ok {
			return list
		}
	}
	return []any{"no list"}
}

func TestOperationsAndKnobsThatMakeNoSenseAreRefused(t *testing.T) {
	t.Parallel()
	c := start(t, emulator.Config{})
	talk, lead, user := c.w.ConversationIDs()[0], c.w.Oracle("contacts")[0]["id"], c.w.IDs("permanently_deleted")[0]
	merged := c.w.IDs("merged")[0]
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
		{"set", m{"SearchRefused": 99}}, {"set", m{"NestedCap": -5}}, {"set", m{"Sort": "bogus"}}, {"set", m{"ListDeletes": "zzz"}}, {"set", m{"NextShape": "absent"}},
		{"set", m{"HitlRedacted": "zz"}}, {"set", m{"RetryAfter": "zz"}}, {"set", m{"Duplicates": 2}}, {"set", m{"LagMax": "-5m"}}, {"set", m{"PartsCap": -1}},
		{"set", m{"Export": m{"File": m{"Form": "rar"}}}}, {"set", m{"Unavailable": []string{"zz"}}}, {"set", m{"IgnoreVersion": "zz"}}, {"set", m{"LagOf": m{"x": m{}}}},
		{"set", m{"ShapesOf": m{"zz": m{}}}},
	} {
		before := len(c.w.Oracle("conversation_parts"))
		if r := c.do("POST", "/_emulator/do/"+test.operation, test.with); r.status != 400 || len(c.w.Oracle("conversation_parts")) != before {
			t.Errorf("%s with %v: %d %s", test.operation, test.with, r.status, r.raw)
		}
	}
	c.does("set", m{"Unavailable": []string{"tags.list"}, "IgnoreVersion": "2.16", "TotalError": -0.5, "DateOffset": "-5m", "EndShape": "empty", "SearchRefused": 422})
	if r := c.do("GET", "/tags", nil); r.status != 403 || r.code() != "api_plan_restricted" {
		t.Errorf("a route by its name: %d %s", r.status, r.code())
	}
}

func TestWhoeverWasErasedStaysErased(t *testing.T) {
	t.Parallel()
	c := start(t, emulator.Config{})
	id, err := c.w.CreateContact("user", emulator.Change{Field: "email", Value: "canary@example.org"})
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []func(string) error{c.w.Archive, c.w.Erase} {
		if err := step(id); err != nil {
			t.Fatal(err)
		}
	}
	if c.w.Unarchive(id, true) == nil || c.w.Erase(id) == nil || c.w.Block(id) == nil {
		t.Error("something more happened to it")
	}
	if r := c.do("GET", "/contacts/"+id, nil); r.status != 404 || strings.Contains(string(r.raw), "canary") {
		t.Errorf("%d %s", r.status, r.raw)
	}
}

func TestAnEscapedSlashIsPartOfAnID(t *testing.T) {
	t.Parallel()
	c := start(t, emulator.Config{})
	id, err := c.w.CreateContact("user", emulator.Change{Field: "external_id", Value: "a/b c%d"})
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
	c := start(t, emulator.Config{})
	for name, body := range map[string]any{"the query": m{"QUERY": since(0)}, "a field": m{"query": m{"Field": "id", "operator": "=", "value": "1"}},
		"no query": m{"query": nil}, "a list": []any{}} {
		if r := c.do("POST", "/contacts/search", body); r.status != 400 || strings.Contains(string(r.raw), "struct") {
			t.Errorf("%s: %d %s", name, r.status, r.raw)
		}
	}
}

func TestT135AChangeOfTheTimeZoneIsInTheActivityLog(t *testing.T) {
	t.Parallel()
	c := start(t, emulator.Config{})
	zone, err := time.LoadLocation("Asia/Kathmandu")
	if err != nil {
		t.Fatal(err)
	}
	before := c.w.Clock().Unix()
	c.w.SetZone(zone)
	c.w.SetZone(zone)
	entries := c.do("GET", fmt.Sprintf("/admins/activity_logs?created_at_after=%d&per_page=250", before), nil).json["activity_logs"].([]any)
	var told []string
	for _, e := range entries {
		if entry := e.(m); entry["activity_type"] == "app_timezone_change" {
			told = append(told, fmt.Sprint(entry["metadata"]))
		}
	}
	if len(told) != 1 || told[0] != "map[after:Asia/Kathmandu before:UTC]" {
		t.Errorf("told: %v", told)
	}
	rows := c.w.Oracle("admin_activity_logs")
	if last := rows[len(rows)-1]; last["activity_type"] != "app_timezone_change" && rows[0]["activity_type"] != "app_timezone_change" {
		t.Errorf("the oracle's newest is %v", last)
	}
}

func TestTheDocsHaveTheTableOfKnobs(t *testing.T) {
	t.Parallel()
	docs, err := os.ReadFile("../../docs/emulator.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(docs), emulator.KnobTable()) {
		t.Errorf("docs/emulator.md must have\n\n%s", emulator.KnobTable())
	}
}
