package emulator_test

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"aqueduck/internal/emulator"
)

// consultationRows returns the events of a conversation's consultations in the columns of the oracle.
func (c *apiClient) consultationRows(id string) []map[string]any {
	c.t.Helper()
	r := c.do("GET", "/conversations/"+id+"/hitl_events", nil)
	if r.status != 200 || r.json["type"] != "list" {
		c.t.Fatalf("hitl_events of %s: %d %s", id, r.status, r.raw)
	}
	rows, last := r.dataItems(), 0
	for _, row := range rows {
		if toInt(row["created_at"]) < last {
			c.t.Errorf("4.11: %s tells of %d after %d", id, toInt(row["created_at"]), last)
		}
		last = toInt(row["created_at"])
		maps.Copy(row, row["data"].(map[string]any))
		delete(row, "data")
		row["conversation_id"] = id
	}
	return rows
}

// readableRows returns the oracle's rows that an answer contains, without null columns.
func readableRows(rows []map[string]any) (list []map[string]any) {
	for _, row := range rows {
		if row["readable"] != false {
			row = maps.Clone(row)
			delete(row, "readable")
			list = append(list, dropNulls(row))
		}
	}
	return list
}

func dropNulls(row map[string]any) map[string]any {
	maps.DeleteFunc(row, func(_ string, v any) bool { return v == nil })
	return row
}

// workspace-api 2.10 and 4.11, traps T69 to T74.
func TestConsultationsAreServedAsTheOracleSaysAfterEveryHour(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Seed: 7, Contacts: 60, Conversations: 150, Knobs: emulator.Knobs{ChangeShare: 0.2, DeleteConversations: true}})
	kinds, waiting, hidden := map[any]int{}, 0, 0
	for range 8 {
		var rows []map[string]any
		for _, id := range c.w.ConversationIDs() {
			for _, row := range c.consultationRows(id) {
				kinds[row["event_type"]]++
				if row["outcome"] == "superseded" {
					waiting++
				}
				rows = append(rows, dropNulls(row))
			}
		}
		all := c.w.Oracle("hitl_events")
		sameRows(t, "hitl_events", rows, readableRows(all))
		hidden += len(all) - len(rows)
		c.w.SimulateHours(1)
	}
	if len(kinds) != 5 || waiting == 0 || hidden == 0 || kinds["ai_consultation_started"] != kinds["ai_consultation_finished"] {
		t.Errorf("events %v, %d superseded, %d out of reach", kinds, waiting, hidden)
	}
}

func TestT69ConsultationsAreServedWhenTheyHaveEnded(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60, Conversations: 30})
	contact := c.createContact("user")
	id, err := c.w.OpenConversation(contact, 0)
	failOn(t, err)
	failOn(t, c.w.StartConsultation(id, "approved", 12, time.Hour))
	if rows := c.consultationRows(id); len(rows) != 0 {
		t.Fatalf("4.11: an outstanding consultation has %d events", len(rows))
	}
	c.w.Advance(10 * time.Minute)
	failOn(t, c.w.StartConsultation(id, "timed_out_escalated", 0, time.Hour)) // 3.2: supersedes the first
	c.w.Advance(time.Minute)
	rounds, ends := map[string]bool{}, map[any]bool{}
	for _, row := range c.consultationRows(id) {
		if n := toInt(row["round_index"]); n > 0 {
			rounds[fmt.Sprint(n)] = true
		}
		if row["event_type"] == "ai_consultation_finished" {
			ends[row["outcome"]] = true
			if toInt(row["rounds_count"]) != 12 {
				t.Errorf("T70: rounds_count %v", row["rounds_count"])
			}
		}
	}
	if len(rounds) != 10 || rounds["1"] || rounds["2"] || len(ends) != 1 || !ends["superseded"] {
		t.Errorf("8: rounds %v served, ends %v", rounds, ends)
	}
	c.w.Advance(time.Hour)
	if rows := c.consultationRows(id); rows[len(rows)-1]["outcome"] != "timed_out_escalated" || rows[len(rows)-1]["conversation_part_id"] != nil {
		t.Errorf("T74: the last event is %v", rows[len(rows)-1])
	}
}

func TestT72ARedactedConversationSendsNoTextsOfItsConsultations(t *testing.T) {
	t.Parallel()
	for _, hide := range []emulator.Occurrence{emulator.Always, emulator.Never} {
		c := startWorkspace(t, emulator.Config{Contacts: 60, Conversations: 30, Knobs: emulator.Knobs{HitlRedacted: hide}})
		id, err := c.w.OpenConversation(c.createContact("user"), 1)
		failOn(t, err)
		failOn(t, c.w.StartConsultation(id, "approved", 1, time.Minute))
		c.w.Advance(time.Hour)
		before := c.consultationRows(id)
		failOn(t, c.w.RedactPart(id, "", true))
		rows := c.consultationRows(id)
		if hide == emulator.Always && len(rows) != 0 || hide == emulator.Never && len(rows) != len(before) {
			t.Errorf("4.11: %d events after redaction", len(rows))
		}
		for _, row := range rows {
			for _, name := range []string{"sharp_ask", "ask_rationale", "issue_summary", "customer_question", "draft", "teammate_input",
				"revised_draft", "final_draft", "sent_text"} {
				if row[name] != nil {
					t.Errorf("4.11: %s says %v", name, row[name])
				}
			}
		}
		failOn(t, c.w.DeleteConversation(id))
		if r := c.do("GET", "/conversations/"+id+"/hitl_events", nil); r.status != 404 || r.errorCode() != "not_found" {
			t.Errorf("7: of a deleted conversation: %d", r.status)
		}
	}
	c := startWorkspace(t, emulator.Config{Contacts: 60, Knobs: emulator.Knobs{Forbidden: []string{"conversations.hitl"}}})
	if r := c.do("GET", "/conversations/"+c.w.ConversationIDs()[0]+"/hitl_events", nil); r.status != 403 {
		t.Errorf("5.3: without the scope read_conversations: %d", r.status)
	}
}

// Deleted conversations, as public descriptions have them (trap T60).
func TestT60DeletedConversationsAreListedByPageNumber(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60, Conversations: 4000, Knobs: emulator.Knobs{DeleteConversations: true, ChangeShare: 0.05}})
	c.w.SimulateHours(2)
	var rows []map[string]any
	for page := 1; ; page++ {
		r := c.do("GET", fmt.Sprintf("/conversations/deleted?per_page=100&page=%d", page), nil)
		here := r.conversationItems()
		if r.json["type"] != "conversations.list" || len(here) > 60 {
			t.Fatalf("%d on a page of %v", len(here), r.json["type"])
		}
		rows = append(rows, here...)
		if r.nextPage() == nil {
			break
		}
	}
	for i, row := range rows {
		if i > 0 && toInt(row["deleted_at"]) > toInt(rows[i-1]["deleted_at"]) {
			t.Error("not the latest first")
		}
		delete(row, "type")
	}
	want := c.w.Oracle("deleted_conversations")
	sameRows(t, "deleted_conversations", rows, want)
	if len(want) <= 80 {
		t.Errorf("life deleted none: %d", len(want))
	}
	if r := c.do("GET", "/conversations/deleted", nil); len(r.conversationItems()) != 20 {
		t.Errorf("a page of %d", len(r.conversationItems()))
	}
	if r := c.do("GET", "/conversations/deleted?order=asc&per_page=1", nil); r.conversationItems()[0]["id"] != want[0]["id"] {
		t.Errorf("order asc begins with %v", r.conversationItems()[0])
	}
	if r := c.do("GET", "/conversations/deleted?page=500", nil); r.status != 200 || len(r.conversationItems()) != 0 {
		t.Errorf("past the end: %d, %d", r.status, len(r.conversationItems()))
	}
	c.version = "2.16"
	c.w.SetKnobs(func(k *emulator.Knobs) { k.LaterOnly = true })
	if r := c.do("GET", "/conversations/deleted", nil); r.status != 404 {
		t.Errorf("in 2.16: %d", r.status)
	}
}

// workspace-api 4.11: GET /conversations.
func TestConversationsAreListedByCursorWithoutParts(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60, Conversations: 70})
	failOn(t, c.w.DeleteConversation(c.w.ConversationIDs()[5]))
	seen, pages := map[any]bool{}, 0
	for path := "/conversations"; path != ""; pages++ {
		r := c.do("GET", path, nil)
		for _, talk := range r.conversationItems() {
			if seen[talk["id"]] = true; talk["conversation_parts"] != nil {
				t.Error("a list sends parts")
			}
		}
		if path = ""; r.nextPage() != nil {
			path = "/conversations?starting_after=" + r.nextPage()["starting_after"].(string)
		}
	}
	if len(seen) != 69 || pages != 4 {
		t.Errorf("%d conversations on %d pages of 20", len(seen), pages)
	}
	if r := c.do("GET", "/conversations?starting_after=none", nil); r.status != 400 || r.errorCode() != "client_error" {
		t.Errorf("7: a bad cursor: %d", r.status)
	}
}

// TestWhatIsSentWithoutATeammateIsTheLastDraft: a consultation that timed out has nobody who could have changed it.
func TestWhatIsSentWithoutATeammateIsTheLastDraft(t *testing.T) {
	t.Parallel()
	sent := 0
	for _, row := range emulator.New(emulator.Config{Seed: 3, Contacts: 100, Inactive: 10, Conversations: 400, Calls: -1, Logs: 1}).Oracle("hitl_events") {
		if row["outcome"] != "timed_out_sent" {
			continue
		}
		if sent++; row["final_draft"] != row["sent_text"] {
			t.Errorf("the last draft is %v, and %v was sent", row["final_draft"], row["sent_text"])
		}
	}
	if sent == 0 {
		t.Error("no consultation timed out")
	}
}
