package emulator_test

import (
	"encoding/json"
	"testing"

	"aqueduck/internal/emulator"
)

// TestFormsGiveAnswersAnotherShape requests the forms in which public sources differ, for all records and for one.
func TestFormsGiveAnswersAnotherShape(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Seed: 7, Contacts: 60, Conversations: 20, Knobs: emulator.Knobs{NoLag: true}})
	list := func() []any { return asList(c.do("GET", "/contacts?per_page=50", nil).json["data"]) }
	conversation := asList(c.do("GET", "/conversations", nil).json["conversations"])[0].(map[string]any)["id"].(string)
	plain := c.do("GET", "/conversations/"+conversation, nil).json
	one := list()[3].(map[string]any)["id"].(string)
	c.w.SetKnobs(func(k *emulator.Knobs) {
		k.Forms = []emulator.Form{
			{Of: "contacts", Path: "name", To: "person.names.first"},
			{Of: "contacts.list", ID: one, Path: "avatar", As: `{"type":"avatar","image_url":"a.png"}`},
			{Of: "contacts.list", Path: "owner_id", As: "string"},
			{Of: "contacts.list", Path: "merge_history[].merged_at", As: "1700000000"},
			{Of: "contacts.list", Path: "location.country", As: "absent"},
			{Of: "contacts.list", Path: "$.total_count", As: "absent"},
			{Of: "contacts.list", Path: "$.data", To: "$.contacts"},
			{Of: "conversations.get", Path: "teammates.teammates", To: "teammates.admins"},
			{Of: "conversations.get", Path: "conversation_parts.conversation_parts[].tags", To: "conversation_parts.conversation_parts[].labels"},
			{Of: "conversations.get", Path: "statistics.{}.x", As: "absent"},
		}
	})
	r := c.do("GET", "/contacts?per_page=50", nil).json
	if r["data"] != nil || r["total_count"] != nil || r["pages"] == nil {
		t.Errorf("around the records: %v", r["total_count"])
	}
	for _, record := range asList(r["contacts"]) {
		contact := record.(map[string]any)
		_, isText := contact["owner_id"].(string)
		names, _ := contact["person"].(map[string]any)["names"].(map[string]any)
		history := asList(contact["merge_history"])[0].(map[string]any)["merged_at"]
		location, _ := contact["location"].(map[string]any)
		_, country := location["country"]
		if contact["name"] != nil || names == nil || !isText || history != json.Number("1700000000") || country {
			t.Errorf("a contact: %v", contact)
		}
		if avatar, _ := contact["avatar"].(map[string]any); (contact["id"] == one) != (avatar != nil) {
			t.Errorf("the avatar of %v: %v", contact["id"], contact["avatar"])
		}
	}
	formed := c.do("GET", "/conversations/"+conversation, nil).json
	before, after := plain["teammates"].(map[string]any), formed["teammates"].(map[string]any)
	if len(asList(after["admins"])) != len(asList(before["teammates"])) || after["teammates"] != nil {
		t.Errorf("teammates were %v, are %v", before, after)
	}
	for _, part := range asList(formed["conversation_parts"].(map[string]any)["conversation_parts"]) {
		if _, moved := part.(m)["labels"].([]any); part.(m)["tags"] != nil || !moved {
			t.Errorf("tags of a part: %v", part)
		}
	}
	if r := c.do("GET", "/contacts/none", nil); r.status != 404 || r.json["type"] != "error.list" {
		t.Errorf("a refusal: %v", r.json)
	}
	for _, wrong := range []string{`[{"Of":"nowhere","Path":"a"}]`, `[{"Of":"contacts"}]`, `[{"Of":"contacts","Path":"a","As":"{"}]`, `[{"Of":"contacts","Path":"a","To":"$.b"}]`} {
		if r := c.do("POST", "/_emulator/set", json.RawMessage(`{"Forms":`+wrong+`}`)); r.status != 400 {
			t.Errorf("%s: %d", wrong, r.status)
		}
	}
	if r := c.do("POST", "/_emulator/set", json.RawMessage(`{"Forms":[{"Of":"contacts","Path":"name","As":"absent"}]}`)); r.status != 200 {
		t.Errorf("a form by an operation: %d %v", r.status, r.json)
	}
	if contact := list()[0].(map[string]any); contact["person"] != nil || contact["owner_id"] == "" {
		t.Errorf("after another set: %v", contact)
	}
}
