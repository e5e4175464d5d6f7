package emulator_test

import (
	"encoding/json"
	"strings"
	"testing"

	"aqueduck/internal/emulator"
)

// plainRows converts small records as they are sent to the rows of the oracle: objects and lists as JSON text, ids as text.
func plainRows(list []map[string]any) []map[string]any {
	for _, row := range list {
		delete(row, "type")
		for name, v := range row {
			switch v.(type) {
			case map[string]any, []any:
				row[name] = jsonText(v)
			}
		}
		if number, ok := row["id"].(json.Number); ok {
			row["id"] = number.String()
		}
	}
	return list
}

// sameJSON makes the JSON texts of the oracle's rows comparable.
func sameJSON(list []map[string]any) []map[string]any {
	for _, row := range list {
		for name, v := range row {
			if text, ok := v.(string); ok && text != "" && (text[0] == '{' || text[0] == '[') {
				var value any
				dec := json.NewDecoder(strings.NewReader(text))
				dec.UseNumber()
				if dec.Decode(&value) == nil {
					row[name] = jsonText(value)
				}
			}
		}
	}
	return list
}

// The lists that are not paged: 2.3, 2.4, 4.7, and those that the document uses without describing them.
func TestSmallListsAreServedAsTheOracleSays(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Seed: 7, Contacts: 200, Knobs: emulator.Knobs{ChangeShare: 0.1}})
	for range 7 {
		for _, list := range []struct{ section, stream, path, kind, key string }{
			{"4.7", "segments", "/segments?include_count=true", "segment.list", "segments"},
			{"none", "tags", "/tags", "list", "data"},
			{"none", "admins", "/admins", "admin.list", "admins"},
			{"none", "teams", "/teams", "team.list", "teams"},
			{"2.4", "subscription_types", "/subscription_types", "list", "data"},
			{"4.11, 9", "data_attributes", "/data_attributes?include_archived=true", "list", "data"},
			{"none", "ticket_types", "/ticket_types", "list", "data"},
			{"none", "ticket_states", "/ticket_states", "list", "data"},
			{"9, version 2.14", "away_status_reasons", "/away_status_reasons", "list", "data"},
		} {
			r := c.do("GET", list.path, nil)
			if r.status != 200 || r.json["type"] != list.kind {
				t.Fatalf("%s (%s): %d %v", list.path, list.section, r.status, r.json["type"])
			}
			var served []map[string]any
			for _, item := range asList(r.json[list.key]) {
				served = append(served, dropNulls(item.(map[string]any)))
			}
			var want []map[string]any
			for _, row := range c.w.Oracle(list.stream) {
				want = append(want, dropNulls(row))
			}
			sameRows(t, list.stream, plainRows(served), sameJSON(want))
		}
		c.w.SimulateHours(1)
	}
}

// workspace-api 9 and trap T51.
func TestT51StandardTimesAreDatesOrDatetimesByVersion(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 100})
	for version, want := range map[string]string{"2.16": "date", "2.17": "datetime"} {
		c.version = version
		kinds := map[any]any{}
		for _, a := range c.do("GET", "/data_attributes?model=contact", nil).dataItems() {
			if kinds[a["full_name"]] = a["data_type"]; a["model"] != "contact" || a["archived"] != false || (a["id"] == nil) == (a["custom"] == true) {
				t.Errorf("%s: %v", version, a)
			}
		}
		if kinds["updated_at"] != want || kinds["custom_attributes.renewal_date"] != "date" {
			t.Errorf("9: in %s times are %v, dates %v", version, kinds["updated_at"], kinds["custom_attributes.renewal_date"])
		}
	}
	if _, counted := c.do("GET", "/segments", nil).json["segments"].([]any)[0].(map[string]any)["count"]; counted {
		t.Error("4.7: contacts are counted without include_count")
	}
	c.w.SetKnobs(func(k *emulator.Knobs) { k.Unavailable = []string{"away_status_reasons.list"} })
	if r := c.do("GET", "/away_status_reasons", nil); r.status != 403 || r.errorCode() != "api_plan_restricted" {
		t.Errorf("5.5: %d %s", r.status, r.errorCode())
	}
}
