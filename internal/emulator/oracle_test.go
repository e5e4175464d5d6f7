package emulator_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sort"
	"strings"
	"testing"

	"aqueduck/internal/emulator"
)

// flatContact converts a contact as it is sent to the columns of the oracle.
func flatContact(c map[string]any) map[string]any {
	row := map[string]any{}
	for name, v := range c {
		switch name {
		case "type", "social_profiles", "tags", "notes", "companies":
		case "location":
			for _, part := range []string{"country", "region", "city"} {
				row["location_"+part] = v.(map[string]any)[part]
			}
		default:
			row[name] = v
		}
	}
	return row
}

// comparableRows makes rows comparable: numbers as text, attributes as decoded objects.
func comparableRows(rows []map[string]any) []string {
	var out []string
	for _, row := range rows {
		row = maps.Clone(row)
		if text, ok := row["custom_attributes"].(string); ok {
			dec := json.NewDecoder(strings.NewReader(text))
			dec.UseNumber()
			var attrs any
			if err := dec.Decode(&attrs); err != nil {
				panic(err)
			}
			row["custom_attributes"] = attrs
		}
		text, err := json.Marshal(row)
		if err != nil {
			panic(err)
		}
		out = append(out, string(text))
	}
	sort.Strings(out)
	return out
}

func sameRows(t testing.TB, stream string, got, want []map[string]any) {
	t.Helper()
	a, b := comparableRows(got), comparableRows(want)
	if slices.Equal(a, b) {
		return
	}
	t.Errorf("%s: %d rows served, %d in the oracle", stream, len(a), len(b))
	for i := range a {
		if i >= len(b) || a[i] != b[i] {
			t.Fatalf("served  %s\noracle  %s", a[i], b[min(i, len(b)-1)])
		}
	}
}

// childRows returns the rows of a nested list, including the part beyond its cap.
func (c *apiClient) childRows(contacts []map[string]any, list, column string) []map[string]any {
	var rows []map[string]any
	for _, contact := range contacts {
		nested := contact[list].(map[string]any)
		var items []map[string]any
		for _, item := range nested["data"].([]any) {
			items = append(items, item.(map[string]any))
		}
		if toInt(nested["total_count"]) > len(items) {
			items = c.walkPages(nested["url"].(string), 7)
		}
		for _, item := range items {
			row := m{"contact_id": contact["id"], column: item["id"]}
			if list != "companies" { // read separately, companies have no address
				row["url"] = item["url"]
			}
			rows = append(rows, row)
		}
	}
	return rows
}

func TestContactsAreServedAsTheOracleSaysAfterEveryHour(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Seed: 7, Contacts: 250, Knobs: emulator.Knobs{ChangeShare: 0.12}})
	for hour := range 8 {
		if hour > 0 {
			c.w.SimulateHours(1)
		}
		contacts := c.searchAll(updatedSince(0))
		var rows []map[string]any
		for _, contact := range contacts {
			rows = append(rows, flatContact(contact))
		}
		sameRows(t, "contacts", rows, c.w.Oracle("contacts"))
		sameRows(t, "contact_tags", c.childRows(contacts, "tags", "tag_id"), c.w.Oracle("contact_tags"))
		sameRows(t, "contact_notes", c.childRows(contacts, "notes", "note_id"), c.w.Oracle("contact_notes"))
		sameRows(t, "contact_companies", c.childRows(contacts, "companies", "company_id"), c.w.Oracle("contact_companies"))
		c.sameLists(t)
		if t.Failed() {
			t.Fatalf("after hour %d", hour)
		}
	}
}

func (c *apiClient) sameLists(t *testing.T) {
	t.Helper()
	complete := func(rows []map[string]any, columns ...string) []map[string]any {
		for _, row := range rows {
			delete(row, "type")
			for _, column := range columns {
				if _, ok := row[column]; !ok {
					row[column] = nil
				}
			}
		}
		return rows
	}
	sameRows(t, "deleted_contacts", complete(c.walkPages("/contacts/deleted", 150), "merged_into_id"), c.w.Oracle("deleted_contacts"))
	sameRows(t, "contact_activities", complete(c.walkCursors("/contacts/activities"), "external_id", "role", "merge_source_id",
		"merge_target_id", "failure_reason"), c.w.Oracle("contact_activities"))
	if got, want := len(c.walkCursors("/contacts")), len(c.w.Oracle("contacts")); got != want {
		t.Errorf("GET /contacts gives %d contacts, want %d", got, want)
	}
}

func TestTheSameSeedAndHoursGiveTheSameWorkspace(t *testing.T) {
	t.Parallel()
	rows := func() string {
		w := emulator.New(emulator.Config{Seed: 3, Contacts: 200})
		w.SimulateHours(4)
		return fmt.Sprint(comparableRows(w.Oracle("contacts")), comparableRows(w.Oracle("contact_activities")), comparableRows(w.Oracle("contact_lifecycle")))
	}
	first := rows()
	if second := rows(); first != second {
		t.Error("two workspaces of one seed differ")
	}
}

func TestTheDemoHasEverySizeThatIsPromised(t *testing.T) {
	t.Parallel()
	w := emulator.New(emulator.Config{})
	s := w.CurrentState()
	if s.Searchable < 10_000 || s.Active != s.Searchable || s.Inactive < 1_000 || s.Activities < 20_000 {
		t.Errorf("sizes: %+v", s)
	}
	words := map[string]int{}
	for _, row := range w.Oracle("contact_lifecycle") {
		words[row["lifecycle"].(string)]++
	}
	for _, word := range []string{"active", "archived", "blocked", "merged", "deleted", "pending_deletion", "permanently_deleted"} {
		if words[word] == 0 {
			t.Errorf("no contact is %s", word)
		}
	}
	leads, tags, seconds := 0, map[any]int{}, map[any]int{}
	for _, row := range w.Oracle("contacts") {
		if row["role"] == "lead" {
			leads++
		}
		seconds[row["updated_at"]]++
	}
	for _, row := range w.Oracle("contact_tags") {
		tags[row["contact_id"]]++
	}
	capped := 0
	for _, n := range tags {
		if n > 10 {
			capped++
		}
	}
	if share := float64(leads) / float64(s.Active); share < 0.3 || share > 0.4 {
		t.Errorf("%.2f of contacts are leads", share)
	}
	if share := float64(capped) / float64(s.Active); share < 0.01 || share > 0.03 {
		t.Errorf("%.3f of contacts have more than ten tags", share)
	}
	if most := slices.Max(slices.Collect(maps.Values(seconds))); most < 300 {
		t.Errorf("the largest tie of updated_at is %d contacts: less than two pages (trap T11)", most)
	}
	activities := w.Oracle("contact_activities")
	w.SimulateHours(6)
	if more := len(w.Oracle("contact_activities")) - len(activities); more < 10 {
		t.Errorf("six hours gave %d activities", more)
	}
	if !reflect.DeepEqual(activities, w.Oracle("contact_activities")[:len(activities)]) {
		t.Error("the past changed")
	}
}
