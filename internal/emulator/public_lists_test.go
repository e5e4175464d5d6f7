package emulator_test

import (
	"strconv"
	"testing"

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
