package emulator_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
)

// conversationItems returns the conversations of a reply, under either key.
func (r apiReply) conversationItems() []map[string]any {
	r.json["data"] = slices.Concat(asList(r.json["conversations"]), asList(r.json["data"]))
	return r.dataItems()
}

func asList(v any) []any {
	list, _ := v.([]any)
	return list
}

// itemsAt returns the items of a list inside a conversation or a part: {type, <key>: […]}, a bare list, or null.
func itemsAt(record map[string]any, path ...string) []map[string]any {
	var v any = record
	for _, key := range path {
		object, _ := v.(map[string]any)
		v = object[key]
	}
	var items []map[string]any
	for _, item := range asList(v) {
		items = append(items, item.(map[string]any))
	}
	return items
}

func (c *apiClient) searchTalks(query any, per int, after string) apiReply {
	c.t.Helper()
	page := m{"per_page": per}
	if after != "" {
		page["starting_after"] = after
	}
	return c.do("POST", "/conversations/search", m{"query": query, "pagination": page, "sort": m{"field": "updated_at", "order": "ascending"}})
}

// allConversations walks a search to its end and reads every conversation by itself, with its QA data.
func (c *apiClient) allConversations() []map[string]any {
	c.t.Helper()
	var all []map[string]any
	for after := ""; ; {
		r := c.searchTalks(updatedSince(0), 150, after)
		if r.status != 200 {
			c.t.Fatalf("search: %d %s", r.status, r.raw)
		}
		for _, talk := range r.conversationItems() {
			all = append(all, c.fetchConversation(talk["id"].(string)))
		}
		if after, _ = r.nextPage()["starting_after"].(string); after == "" {
			return all
		}
	}
}

func (c *apiClient) fetchConversation(id string) map[string]any {
	c.t.Helper()
	r := c.do("GET", "/conversations/"+id+"?include_scorecards=true&include_monitors=true", nil)
	if r.status != 200 {
		c.t.Fatalf("GET %s: %d %s", id, r.status, r.raw)
	}
	return r.json
}

func partsOf(talk map[string]any) []map[string]any {
	return itemsAt(talk, "conversation_parts", "conversation_parts")
}

func TestT54SearchSendsNoPartsUnderOneOfTwoNames(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"", "data"} {
		c := startWorkspace(t, emulator.Config{Knobs: emulator.Knobs{ConversationsKey: key}})
		r := c.searchTalks(updatedSince(0), 7, "")
		if len(r.conversationItems()) != 7 || r.totalCount() != 90 || r.json["type"] != "conversation.list" {
			t.Fatalf("%d of %d: %s", len(r.conversationItems()), r.totalCount(), r.raw[:80])
		}
		if _, named := r.json["conversations"]; named == (key == "data") {
			t.Errorf("key %q: conversations is there: %t", key, named)
		}
		for _, talk := range r.conversationItems() {
			for _, name := range []string{"conversation_parts", "scorecards", "monitor_evaluations"} {
				if _, there := talk[name]; there {
					t.Errorf("a result of search has %s", name)
				}
			}
		}
	}
}

func TestT57AnAnswerHasTheNewestPartsAndTheTrueNumber(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60, Conversations: 810})
	sizes := map[int]int{}
	for _, talk := range c.allConversations() {
		total := toInt(talk["conversation_parts"].(map[string]any)["total_count"])
		sizes[total]++
		sent := partsOf(talk)
		if len(sent) != min(total, 500) {
			t.Fatalf("%d of %d parts sent", len(sent), total)
		}
		seen := map[any]bool{}
		for i, part := range sent {
			if seen[part["id"]] {
				t.Errorf("part %v twice in %v", part["id"], talk["id"])
			}
			seen[part["id"]] = true
			if i > 0 && toInt(part["created_at"]) < toInt(sent[i-1]["created_at"]) {
				t.Errorf("part %d of %v is older than the one before", i, talk["id"])
			}
		}
		if total > 0 && toInt(sent[len(sent)-1]["created_at"]) != toInt(talk["updated_at"]) {
			t.Errorf("the newest part of %v is missing", talk["id"])
		}
	}
	for _, n := range []int{0, 499, 500, 501} {
		if sizes[n] == 0 {
			t.Errorf("no conversation has %d parts", n)
		}
	}
	if largest := slices.Max(mapKeys(sizes)); largest <= 1000 {
		t.Errorf("the largest has %d parts", largest)
	}
}

func mapKeys(of map[int]int) (list []int) {
	for n := range of {
		list = append(list, n)
	}
	return list
}

// describeAssignment describes the assignment of a part, with null, absent and 0 as different values.
func describeAssignment(part map[string]any) string {
	field := func(name string) string {
		v, there := part[name]
		switch id := fmt.Sprint(v); {
		case !there:
			return "absent"
		case v == nil:
			return "null"
		case id == "0":
			return "0"
		case strings.Trim(id, "0123456789") == "":
			return "id"
		}
		return fmt.Sprint(v)
	}
	kind := field("assigned_to")
	if to, ok := part["assigned_to"].(map[string]any); ok {
		kind = fmt.Sprint(to["type"])
		if _, text := to["id"].(string); text == (kind == "nobody_admin") {
			kind += " with a wrong id"
		}
	}
	return kind + " " + field("admin_assignee_id") + " " + field("team_assignee_id")
}

func TestT61EveryRowOfTheAssignmentTableIsThere(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		omit    bool
		version string
		rows    []string
	}{
		{"nulls are sent", false, "2.17", []string{"admin id id", "admin id null", "team null id", "bot id null",
			"nobody_admin null 0", "nobody_admin 0 null", "nobody_admin null null", "null null null"}},
		{"nulls are left out", true, "2.17", []string{"admin id id", "admin id absent", "team absent id", "bot id absent",
			"nobody_admin absent 0", "nobody_admin 0 absent", "nobody_admin absent absent", "absent absent absent"}},
		{"before the later version", false, "2.16", []string{"admin absent absent", "team absent absent", "bot absent absent",
			"nobody_admin absent absent", "null absent absent"}},
	} {
		c := startWorkspace(t, emulator.Config{Knobs: emulator.Knobs{OmitEmpty: test.omit}})
		c.version = test.version
		seen := map[string]bool{}
		for _, talk := range c.allConversations() {
			for _, part := range partsOf(talk) {
				seen[describeAssignment(part)] = true
			}
		}
		for _, want := range test.rows {
			if !seen[want] {
				t.Errorf("%s: no part has %s", test.name, want)
			}
			delete(seen, want)
		}
		if len(seen) > 0 {
			t.Errorf("%s: also %v", test.name, seen)
		}
	}
}

func TestT65QualityDataIsSentOnlyOnRequest(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{})
	id := c.searchTalks(updatedSince(0), 1, "").conversationItems()[0]["id"].(string)
	for query, want := range map[string][2]bool{"": {}, "?include_scorecards=true": {true, false}, "?include_monitors=true": {false, true},
		"?include_scorecards=false": {}} {
		answer := c.do("GET", "/conversations/"+id+query, nil).json
		_, cards := answer["scorecards"]
		_, monitors := answer["monitor_evaluations"]
		if got := [2]bool{cards, monitors}; got != want {
			t.Errorf("%q gives %v, want %v", query, got, want)
		}
	}
}

// Search knows the statistics and teammates of conversations that do not send them.
func TestConversationsAreSearchedByFieldsThatSomeDoNotSend(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{})
	all := len(c.w.ConversationIDs())
	for _, query := range []m{fieldFilter("statistics.count_conversation_parts", ">", 20), fieldFilter("statistics.count_reopens", "!=", 0),
		fieldFilter("statistics.count_assignments", "IN", []int{1, 2}), fieldFilter("statistics.last_close_at", ">", 1600000000),
		fieldFilter("teammate_ids", "=", c.w.Oracle("conversation_teammates")[0]["admin_id"]),
		fieldFilter("statistics.last_contact_reply_at", "<", c.w.CurrentTime().Unix()-300*86400)} {
		if r := c.searchTalks(query, 150, ""); r.status != 200 || r.totalCount() == 0 || r.totalCount() == all {
			t.Errorf("%v: %d with %d of %d", query, r.status, r.totalCount(), all)
		}
	}
}

func TestT1ConversationsAreSearchedByDayUpTo216AndBySecondLater(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("UTC+14", 14*3600)
	c := startWorkspace(t, emulator.Config{Zone: zone})
	one := c.allConversations()[40]
	at := toInt(one["updated_at"])
	first := time.Unix(int64(at), 0).In(zone).Truncate(time.Second)
	day := time.Date(first.Year(), first.Month(), first.Day(), 0, 0, 0, 0, zone).Unix()
	for _, test := range []struct {
		version string
		query   m
		want    bool
	}{
		{"2.17", fieldFilter("updated_at", "=", at), true}, {"2.17", fieldFilter("updated_at", "=", at+1), false}, {"2.17", fieldFilter("updated_at", ">", at), false},
		{"2.17", fieldFilter("updated_at", ">", at-1), true}, {"2.16", fieldFilter("updated_at", "=", day), true}, {"2.16", fieldFilter("updated_at", ">", day), false},
		{"2.16", fieldFilter("updated_at", ">", day-1), true}, {"2.16", fieldFilter("updated_at", "<", day+3600), false},
	} {
		c.version = test.version
		r := c.searchTalks(filterGroup("AND", test.query, fieldFilter("id", "=", one["id"])), 20, "")
		if found := len(r.conversationItems()) == 1; found != test.want {
			t.Errorf("%s %v: found %t", test.version, test.query, found)
		}
	}
}

func TestT13ContactCursorIsRefusedForConversations(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{})
	body := m{"query": updatedSince(0), "pagination": m{"per_page": 10}, "sort": m{"field": "updated_at", "order": "ascending"}}
	token := c.do("POST", "/contacts/search", body).nextPage()["starting_after"].(string)
	if r := c.searchTalks(updatedSince(0), 10, token); r.status != 400 || r.errorCode() != "client_error" {
		t.Errorf("got %d %s", r.status, r.errorCode())
	}
	token = c.searchTalks(updatedSince(0), 10, "").nextPage()["starting_after"].(string)
	if r := c.searchTalks(updatedSince(0), 10, token); r.status != 200 || len(r.conversationItems()) != 10 {
		t.Errorf("its own: %d %s", r.status, r.raw)
	}
}

func TestTheDemoHasConversationsOfEverySize(t *testing.T) {
	t.Parallel()
	w := emulator.New(emulator.Config{})
	if n := w.CurrentState().Conversations; n != 3000 {
		t.Errorf("%d conversations", n)
	}
	if n := emulator.New(emulator.Config{Contacts: 50, Conversations: -1}).CurrentState().Conversations; n != 0 {
		t.Errorf("%d conversations where none are wanted", n)
	}
}

func TestAnUnknownConversationIsNotFound(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{})
	for _, id := range []string{"215470000000001", "215470009000000", "x", "-7", "0215470000000007"} {
		if r := c.do("GET", "/conversations/"+id, nil); r.status != 404 || r.errorCode() != "not_found" {
			t.Errorf("%s: %d %s", id, r.status, r.errorCode())
		}
	}
}
