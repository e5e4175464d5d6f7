package emulator_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
)

// The lists of public descriptions beyond the document: each can be read to its end in its own way, and changes over time.
func TestListsOfPublicDescriptionsAreServedAndLive(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Seed: 7, Contacts: 60, Conversations: 30})
	whole := func(path, key string) []any {
		t.Helper()
		r := c.do("GET", path, nil)
		if r.status != 200 {
			t.Fatalf("%s: %d", path, r.status)
		}
		return asList(r.json[key])
	}
	macros := func() (all []any) {
		t.Helper()
		for after := ""; ; {
			r := c.do("GET", "/macros?per_page=20"+after, nil)
			all = append(all, asList(r.json["data"])...)
			next, more := r.json["pages"].(map[string]any)["next"].(map[string]any)
			if !more {
				return all
			}
			after = "&starting_after=" + next["starting_after"].(string)
		}
	}
	snippets := func() (all []any) {
		t.Helper()
		for page := 1; ; page++ {
			r := c.do("GET", "/content_snippets?per_page=20&page="+strconv.Itoa(page), nil)
			if len(asList(r.json["data"])) == 0 {
				return all
			}
			if r.json["pages"] != nil || r.json["total_pages"] == nil {
				t.Errorf("its counters are not flat: %v", r.json)
			}
			all = append(all, asList(r.json["data"])...)
		}
	}
	if n, m, l := len(whole("/brands", "data")), len(macros()), len(snippets()); n != 2 || m != 43 || l != 45 || len(whole("/help_center/help_centers", "data")) != 2 {
		t.Errorf("%d brands, %d macros, %d snippets", n, m, l)
	}
	attributes := whole("/conversations/attributes", "data")
	if last := attributes[len(attributes)-1].(map[string]any); last["reference"] == nil || len(attributes) != 4 {
		t.Errorf("attributes of conversations: %v", attributes)
	}
	var events, sides int
	for _, one := range asList(c.do("GET", "/conversations?per_page=50", nil).json["conversations"]) {
		id := one.(map[string]any)["id"].(string)
		events += len(whole("/conversations/"+id+"/handling_events", "handling_events"))
		sides += len(whole("/conversations/"+id+"/side_conversations", "side_conversations"))
	}
	if events == 0 || sides == 0 {
		t.Errorf("%d events of handling, %d side conversations", events, sides)
	}
	for _, path := range []string{"/conversations/0/handling_events", "/conversations/0/side_conversations"} {
		if r := c.do("GET", path, nil); r.status != 404 {
			t.Errorf("%s of none: %d", path, r.status)
		}
	}
	c.w.SimulateHours(6)
	if n, m, l := len(whole("/brands", "data")), len(macros()), len(snippets()); n != 3 || m != 43 || l != 44 {
		t.Errorf("six hours later: %d brands, %d macros, %d snippets", n, m, l)
	}
}

// TestListsOfPublicDescriptionsAreServedAsTheOracleSays compares each of these lists, and what they have of each conversation, after every hour.
func TestListsOfPublicDescriptionsAreServedAsTheOracleSays(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Seed: 7, Contacts: 60, Conversations: 30, Knobs: emulator.Knobs{DeleteConversations: true}})
	for range 7 {
		for stream, path := range map[string]string{"help_centers": "/help_center/help_centers", "brands": "/brands", "macros": "/macros?per_page=50",
			"content_snippets": "/content_snippets?per_page=50", "conversation_data_attributes": "/conversations/attributes"} {
			c.sameAsOracle(stream, asList(c.do("GET", path, nil).json["data"]))
		}
		var events, sides, parts, files []any
		for _, talk := range c.w.Oracle("conversations") {
			id := talk["id"].(string)
			events = append(events, withFields(asList(c.do("GET", "/conversations/"+id+"/handling_events", nil).json["handling_events"]), "conversation_id", id)...)
			for _, side := range withFields(asList(c.do("GET", "/conversations/"+id+"/side_conversations", nil).json["side_conversations"]), "conversation_id", id) {
				row := side.(map[string]any)
				row["id"], row["part_count"] = row["side_conversation_id"], row["total_count"]
				for _, one := range withFields(asList(row["conversation_parts"]), "conversation_id", id, "side_conversation_id", row["id"]) {
					part := one.(map[string]any)
					for place, file := range withFields(asList(part["attachments"]), "conversation_id", id, "side_conversation_id", row["id"], "part_id", part["id"]) {
						file.(map[string]any)["position"] = place
						files = append(files, file)
					}
					delete(part, "attachments")
					parts = append(parts, part)
				}
				for _, name := range []string{"side_conversation_id", "total_count", "conversation_parts"} {
					delete(row, name)
				}
				sides = append(sides, side)
			}
		}
		for stream, list := range map[string][]any{"handling_events": events, "side_conversations": sides, "side_conversation_parts": parts, "side_conversation_attachments": files} {
			c.sameAsOracle(stream, list)
		}
		c.w.SimulateHours(1)
	}
}

// withFields adds fields to records, by names and values in turn.
func withFields(list []any, fields ...any) []any {
	for _, one := range list {
		for i := 0; i < len(fields); i += 2 {
			one.(map[string]any)[fields[i].(string)] = fields[i+1]
		}
	}
	return list
}

// sameAsOracle compares served records with the oracle's rows: with flat objects, Unix times, and addresses without their signature.
func (c *apiClient) sameAsOracle(stream string, list []any) {
	c.t.Helper()
	var served, want []map[string]any
	for _, item := range list {
		row := item.(map[string]any)
		if at, timed := row["timestamp"]; timed {
			row["event_type"], row["happened_at"] = row["type"], at
			delete(row, "timestamp")
		}
		for _, name := range []string{"teammate", "author", "reference"} {
			of, nested := row[name].(map[string]any)
			for field, v := range of {
				row[name+"_"+field] = v
			}
			if nested {
				delete(row, name)
			}
		}
		for name, v := range row {
			text, _ := v.(string)
			if at, err := time.Parse(time.RFC3339, text); err == nil {
				row[name] = at.Unix()
			}
			if address, _, signed := strings.Cut(text, "?expires="); signed {
				row[name] = address
			}
		}
		if id, number := row["teammate_id"].(json.Number); number {
			row["teammate_id"] = id.String()
		}
		served = append(served, dropNulls(row))
	}
	for _, row := range c.w.Oracle(stream) {
		want = append(want, dropNulls(row))
	}
	sameRows(c.t, stream, plainRows(served), sameJSON(want))
}
