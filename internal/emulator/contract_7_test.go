package emulator_test

import (
	"testing"
	"time"

	"aqueduck/internal/emulator"
)

// errorShapes is the error body: request_id is a string or null.
var errorShapes = shapeSpecs{"error": `type =error.list  request_id string?  errors @one[]`, "one": `code,message string`}

// Section 7, row by row, for reading requests; writing requests have their own tests.
func TestContract7Errors(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 120, Knobs: emulator.Knobs{Unavailable: []string{"logs.list"}}})
	dead := "?starting_after=bm90aGluZw"
	late := m{"query": updatedSince(0), "pagination": m{"starting_after": "bm90aGluZw"}}
	unrecorded := c.callLike(func(row map[string]any) bool { return row["recording_url"] == nil })
	firm := "/companies/" + c.w.Oracle("companies")[0]["id"].(string)
	connector := "/data_connectors/" + c.w.Oracle("data_connectors")[0]["id"].(string)
	for _, row := range []struct {
		rule, method, path string
		body               any
		status             int
		code               string
	}{
		{"404 a contact is missing", "GET", "/contacts/nobody", nil, 404, "not_found"},
		{"404 a contact is missing", "GET", "/contacts/find_by_external_id/nobody", nil, 404, "not_found"},
		{"404 a contact is missing", "GET", "/contacts/nobody/tags", nil, 404, "not_found"},
		{"404 a contact is missing", "GET", "/contacts/nobody/subscriptions", nil, 404, "not_found"},
		{"404 a company is missing", "GET", "/companies/none", nil, 404, "not_found"},
		{"404 a company is missing", "GET", "/companies/none/contacts", nil, 404, "not_found"},
		{"404 a conversation is missing", "GET", "/conversations/1", nil, 404, "not_found"},
		{"404 a conversation is missing", "GET", "/conversations/1/hitl_events", nil, 404, "not_found"},
		{"404 an article is missing", "GET", "/articles/1", nil, 404, "not_found"},
		{"404 another resource is missing", "GET", "/export/reporting_data/none", nil, 404, "not_found"},
		{"404 another resource is missing", "GET", connector + "/versions/1", nil, 404, "not_found"},
		{"404 a call is missing", "GET", "/calls/1", nil, 404, "not_found"},
		{"404 a recording is unavailable", "GET", "/calls/" + unrecorded + "/recording", nil, 404, "not_found"},
		{"404 the transcript of a missing call", "GET", "/calls/1/transcript", nil, 404, "not_found"},
		{"404 no such path", "GET", "/nothing/here", nil, 404, "not_found"},
		{"404 a required parameter is missing (4.10)", "GET", "/admins/activity_logs", nil, 403, "api_plan_restricted"}, // the plan comes first
		{"400 an invalid cursor", "GET", "/contacts" + dead, nil, 400, "client_error"},
		{"400 an invalid cursor", "GET", "/contacts/activities" + dead, nil, 400, "client_error"},
		{"400 an invalid cursor", "POST", "/contacts/search", late, 400, "client_error"},
		{"400 an invalid cursor", "POST", "/companies/search", late, 400, "client_error"},
		{"400 an invalid cursor", "POST", "/conversations/search", late, 400, "client_error"},
		{"400 an invalid cursor", "POST", "/tickets/search", late, 400, "client_error"},
		{"400 an invalid cursor", "GET", "/conversations" + dead, nil, 400, "client_error"},
		{"400 an invalid cursor (4.3)", "GET", firm + "/contacts" + dead, nil, 400, "client_error"},
		{"400 an invalid cursor", "GET", "/data_connectors" + dead, nil, 400, "client_error"},
		{"400 an invalid cursor", "GET", connector + "/versions" + dead, nil, 400, "client_error"},
		{"400 a non-positive page", "GET", "/contacts/deleted?page=0", nil, 400, "parameter_invalid"},
		{"400 a non-positive page", "GET", "/contacts/deleted?page=-1", nil, 400, "parameter_invalid"},
		{"400 a non-positive per_page", "GET", "/contacts/deleted?per_page=0", nil, 400, "parameter_invalid"},
		{"400 a non-positive per_page", "GET", "/contacts/deleted?per_page=-5", nil, 400, "parameter_invalid"},
		{"403 the plan lacks a feature (4.10)", "GET", "/admins/activity_logs?created_at_after=1", nil, 403, "api_plan_restricted"},
	} {
		r := c.do(row.method, row.path, row.body)
		if r.status != row.status || r.errorCode() != row.code {
			t.Errorf("%s: %s %s: %d %s, want %d %s", row.rule, row.method, row.path, r.status, r.errorCode(), row.status, row.code)
			continue
		}
		v := newShapeCheck(errorShapes)
		v.checkObject(t, "error", r.json)
		v.checkFilled(t, "one")
	}
	for _, kind := range []string{"internal_articles", "help_center/collections", "news/newsfeeds", "news/news_items", "folders", "dynamic_contents", "data_connectors"} {
		if r := c.do("GET", "/"+kind+"/1", nil); r.status != 404 || r.errorCode() != "not_found" {
			t.Errorf("404 another resource is missing: one of %s: %d %s", kind, r.status, r.errorCode())
		}
		if r := c.do("GET", "/"+kind+"?per_page=0", nil); r.status != 400 {
			t.Errorf("400 a non-positive per_page of %s: %d", kind, r.status)
		}
	}
	c.w.SetKnobs(func(k *emulator.Knobs) { k.Unavailable, k.NoDynamicContent = nil, true })
	if r := c.do("GET", "/admins/activity_logs", nil); r.status != 404 || r.errorCode() != "parameter_not_found" {
		t.Errorf("404 a required parameter is missing (4.10): %d %s", r.status, r.errorCode())
	}
	if r := c.do("GET", "/dynamic_contents", nil); r.status != 403 {
		t.Errorf("403 dynamic content is disabled: %d", r.status)
	}
}

func (c *apiClient) callLike(fits func(row map[string]any) bool) string {
	c.t.Helper()
	for _, row := range c.w.Oracle("calls") {
		if fits(row) {
			return row["id"].(string)
		}
	}
	c.t.Fatal("no call is like that")
	return ""
}

// Section 7, "Successful codes used": 200, and 302 for a recording.
func TestContract7SuccessfulCodes(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 120})
	id := c.callLike(func(row map[string]any) bool { return row["recording_url"] != nil && row["transcription_url"] != nil })
	if r := c.do("GET", "/calls/"+id+"/recording", nil); r.status != 302 || r.header.Get("Location") == "" {
		t.Errorf("302: %d to %q", r.status, r.header.Get("Location"))
	}
	if r := c.do("GET", "/calls/"+id+"/transcript", nil); r.status != 200 {
		t.Errorf("200: %d", r.status)
	}
}

// Section 8, row by row, but for those of tables in replies (TestContract8TablesOfRepliesHaveLimits). Those of contact search
// are in 4.1.
func TestContract8Limits(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 300, Inactive: 200, Calls: 60, Knobs: emulator.Knobs{Export: emulator.ExportKnobs{Pending: time.Hour}}})
	ids := func(n int) m {
		list := make([]string, n)
		for i := range list {
			list[i] = c.w.ConversationIDs()[i]
		}
		return m{"conversation_ids": list}
	}
	for _, row := range []struct {
		limit, method, path string
		body                any
		status, size        int
	}{
		{"deleted contacts: per_page 10 by default", "GET", "/contacts/deleted", nil, 200, 10},
		{"deleted contacts: per_page at most 150", "GET", "/contacts/deleted?per_page=150", nil, 200, 150},
		{"deleted contacts: more is cut down", "GET", "/contacts/deleted?per_page=151", nil, 200, 150},
		{"calls: per_page 25 by default", "GET", "/calls", nil, 200, 25},
		{"calls: per_page at most 25", "GET", "/calls?per_page=26", nil, 200, 25},
		{"calls: less", "GET", "/calls?per_page=7", nil, 200, 7},
		{"calls search: no conversation_ids", "POST", "/calls/search", ids(0), 400, 0},
		{"calls search: 20 conversation_ids", "POST", "/calls/search", ids(20), 200, -1},
		{"calls search: 21 conversation_ids", "POST", "/calls/search", ids(21), 400, 0},
	} {
		r := c.do(row.method, row.path, row.body)
		if size := len(r.dataItems()); r.status != row.status || row.size >= 0 && size != row.size {
			t.Errorf("8 %s: %d with %d, want %d with %d", row.limit, r.status, size, row.status, row.size)
		}
	}
	export := c.exportOf("conversation")
	for n := range 6 {
		want := 200
		if n == 5 {
			want = 429
		}
		if r := c.do("POST", "/export/reporting_data/enqueue", export); r.status != want || n == 5 && r.errorCode() != "rate_limit_exceeded" {
			t.Errorf("8 pending exports: 5: number %d answers %d %s", n+1, r.status, r.errorCode())
		}
	}
	c.w.Advance(2 * time.Hour)
	if r := c.do("POST", "/export/reporting_data/enqueue", export); r.status != 200 {
		t.Errorf("8 pending exports: after they are done: %d", r.status)
	}
}

// exportOf asks for the first attribute of a dataset.
func (c *apiClient) exportOf(dataset string) m {
	c.t.Helper()
	for _, set := range c.do("GET", "/export/reporting_data/get_datasets", nil).dataItems() {
		if set["id"] != dataset {
			continue
		}
		one := set["attributes"].([]any)[0].(map[string]any)
		id := one["id"]
		if one["qualified_id"] != nil {
			id = one["qualified_id"]
		}
		return m{"dataset_id": dataset, "attribute_ids": []any{id}, "start_time": 1718000000, "end_time": 1718100000}
	}
	c.t.Fatalf("no dataset %s", dataset)
	return nil
}

// Section 8: the ten most recent feedback rounds are returned, while rounds_count counts all (4.11).
func TestContract8TheTenNewestRoundsAreReturned(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60, Conversations: 900})
	most := 0
	for _, id := range c.w.ConversationIDs() {
		rounds := map[any][]int{}
		for _, e := range c.do("GET", "/conversations/"+id+"/hitl_events", nil).dataItems() {
			data, cycle := e["data"].(map[string]any), e["hitl_cycle_id"]
			if e["event_type"] == "ai_teammate_input_received" {
				rounds[cycle] = append(rounds[cycle], toInt(data["round_index"]))
			}
			if e["event_type"] != "ai_consultation_finished" {
				continue
			}
			all, list := toInt(data["rounds_count"]), rounds[cycle]
			most = max(most, all)
			if len(list) != min(all, 10) || len(list) > 0 && list[len(list)-1]-list[0] != len(list)-1 {
				t.Errorf("of %d rounds %v are told", all, list)
			}
		}
	}
	if most <= 10 {
		t.Errorf("no consultation has more than %d rounds", most)
	}
}
