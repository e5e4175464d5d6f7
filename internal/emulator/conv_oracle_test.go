package emulator_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"aqueduck/internal/emulator"
)

// putFields writes fields of an object under a prefix; a null object gives nulls.
func putFields(row map[string]any, prefix string, object any, names ...string) {
	fields, _ := object.(map[string]any)
	for _, name := range names {
		row[prefix+name] = fields[name]
	}
}

func fieldOf(object any, name string) any {
	fields, _ := object.(map[string]any)
	return fields[name]
}

// unsignedURL is the URL of a file without its signature.
func unsignedURL(v any) any {
	text, ok := v.(string)
	if !ok {
		return nil
	}
	text, _, _ = strings.Cut(text, "?")
	return text
}

var statisticNames = []string{"time_to_assignment", "time_to_admin_reply", "time_to_first_close", "time_to_last_close", "median_time_to_reply",
	"first_contact_reply_at", "first_assignment_at", "first_admin_reply_at", "first_close_at", "last_assignment_at", "last_assignment_admin_reply_at",
	"last_contact_reply_at", "last_admin_reply_at", "last_close_at", "last_closed_by_id", "count_reopens", "count_assignments",
	"count_conversation_parts", "handling_time"}

// flatConversation converts a conversation as it is sent to the columns of the oracle.
func flatConversation(talk map[string]any) map[string]any {
	row := map[string]any{}
	putFields(row, "", talk, "id", "title", "created_at", "updated_at", "waiting_since", "snoozed_until", "open", "state", "read", "priority",
		"admin_assignee_id", "team_assignee_id", "custom_attributes", "ai_agent_participated")
	row["company_id"] = fieldOf(talk["company"], "id")
	putFields(row, "source_", talk["source"], "type", "id", "delivered_as", "subject", "body", "url", "redacted")
	putFields(row, "source_author_", fieldOf(talk["source"], "author"), "type", "id", "name", "email", "from_ai_agent", "is_ai_answer")
	putFields(row, "first_contact_reply_", talk["first_contact_reply"], "created_at", "type", "url")
	putFields(row, "", talk["sla_applied"], "sla_name", "sla_status")
	putFields(row, "statistics_", talk["statistics"], statisticNames...)
	putFields(row, "ai_agent_", talk["ai_agent"], "source_type", "source_title", "last_answer_type", "resolution_state", "rating", "rating_remark",
		"created_at", "updated_at")
	putFields(row, "", talk["conversation_rating"], "rating")
	putFields(row, "rating_", talk["conversation_rating"], "remark", "created_at", "updated_at")
	putFields(row, "rating_contact_", fieldOf(talk["conversation_rating"], "contact"), "id")
	putFields(row, "rating_teammate_", fieldOf(talk["conversation_rating"], "teammate"), "type", "id")
	return row
}

func flatPart(part map[string]any) map[string]any {
	row := map[string]any{}
	putFields(row, "", part, "id", "part_type", "body", "created_at", "updated_at", "notified_at", "admin_assignee_id", "team_assignee_id",
		"external_id", "redacted", "state", "event_type", "app_package_code")
	putFields(row, "assigned_to_", part["assigned_to"], "type", "id")
	putFields(row, "author_", part["author"], "type", "id", "name", "email")
	putFields(row, "", part["author"], "from_ai_agent", "is_ai_answer")
	row["call_id"] = fieldOf(part["event_details"], "call_id")
	row["metadata"], row["event_details"], row["event_data"] = jsonText(part["metadata"]), jsonText(part["event_details"]), jsonText(part["data"])
	row["readable"] = true
	return row
}

func jsonText(v any) any {
	if v == nil {
		return nil
	}
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func flatFile(file map[string]any, position int) map[string]any {
	row := map[string]any{"position": position}
	putFields(row, "", file, "name", "url", "content_type", "filesize", "width", "height")
	row["url"] = unsignedURL(row["url"])
	return row
}

func flatCritic(row map[string]any, object any, name string) {
	row[name+"_type"], row[name+"_id"] = fieldOf(object, "type"), nil
	if id := fieldOf(object, "admin_id"); id != nil {
		row[name+"_id"] = fmt.Sprint(id)
	}
}

func flatCard(card map[string]any) map[string]any {
	row := map[string]any{}
	putFields(row, "", card, "scorecard_id", "name", "passed", "score", "review_status")
	for _, who := range []string{"reviewed_teammate", "reviewer", "submitted_by", "revised_by"} {
		flatCritic(row, card[who], who)
	}
	return row
}

// conversationTables returns the rows of every table of conversations as they are served.
func conversationTables(talks []map[string]any) map[string][]map[string]any {
	rows := map[string][]map[string]any{}
	for _, talk := range talks {
		add := func(table string, row map[string]any) {
			row["conversation_id"] = talk["id"]
			rows[table] = append(rows[table], row)
		}
		rows["conversations"] = append(rows["conversations"], flatConversation(talk))
		for _, item := range itemsAt(talk, "contacts", "contacts") {
			add("conversation_contacts", m{"contact_id": item["id"], "external_id": item["external_id"]})
		}
		for _, item := range itemsAt(talk, "tags", "tags") {
			by, _ := item["applied_by"].(m)
			add("conversation_tags", m{"tag_id": item["id"], "name": item["name"], "applied_at": item["applied_at"], "applied_by_id": by["id"]})
		}
		for _, item := range itemsAt(talk, "teammates", "teammates") {
			add("conversation_teammates", m{"admin_id": item["id"]})
		}
		for _, item := range itemsAt(talk, "linked_objects", "data") {
			add("conversation_linked_objects", m{"object_type": item["type"], "object_id": item["id"], "category": item["category"]})
		}
		for i, item := range itemsAt(talk, "ai_agent", "content_sources", "content_sources") {
			add("conversation_content_sources", m{"position": i, "content_type": item["content_type"], "title": item["title"],
				"locale": item["locale"], "url": item["url"]})
		}
		for i, item := range itemsAt(talk, "source", "attachments") {
			add("conversation_source_attachments", flatFile(item, i))
		}
		partTables(talk, add)
		reviewTables(talk, add)
	}
	return rows
}

func partTables(talk map[string]any, add func(table string, row map[string]any)) {
	for _, part := range partsOf(talk) {
		add("conversation_parts", flatPart(part))
		for i, item := range itemsAt(part, "attachments") {
			row := flatFile(item, i)
			row["part_id"], row["readable"] = part["id"], true
			add("conversation_attachments", row)
		}
		for _, item := range itemsAt(part, "tags") {
			add("conversation_part_tags", m{"part_id": part["id"], "tag_id": item["id"], "name": item["name"], "readable": true})
		}
	}
}

func reviewTables(talk map[string]any, add func(table string, row map[string]any)) {
	for _, card := range itemsAt(talk, "scorecards") {
		add("conversation_scorecards", flatCard(card))
		for _, note := range itemsAt(card, "notes") {
			row := m{"scorecard_id": card["scorecard_id"], "note_id": note["id"]}
			putFields(row, "", note, "body", "created_at", "updated_at")
			flatCritic(row, note["author"], "author")
			add("conversation_scorecard_notes", row)
		}
		for _, e := range itemsAt(card, "evaluators") {
			row := m{"scorecard_id": card["scorecard_id"], "evaluator_id": e["evaluator_id"], "name": e["name"],
				"reasons": jsonText(fieldOf(e["result"], "reasons"))}
			putFields(row, "", e["result"], "value", "value_label", "source", "reasoning")
			add("conversation_scorecard_evaluators", row)
		}
	}
	for _, item := range itemsAt(talk, "monitor_evaluations") {
		row := m{}
		putFields(row, "", item, "monitor_id", "name", "passed", "value", "reasoning", "evaluated_at")
		add("conversation_monitor_evaluations", row)
	}
}

// canonicalRow rewrites the columns of JSON as a decoder would.
func canonicalRow(row map[string]any) map[string]any {
	for _, column := range []string{"metadata", "event_details", "event_data", "reasons"} {
		if text, ok := row[column].(string); ok {
			var v any
			if err := json.Unmarshal([]byte(text), &v); err != nil {
				panic(err)
			}
			row[column] = jsonText(v)
		}
	}
	return row
}

// sameConversations compares everything served of conversations with the oracle.
func (c *apiClient) sameConversations(t *testing.T) {
	t.Helper()
	served := conversationTables(c.allConversations())
	for _, table := range emulator.OracleStreams() {
		if !strings.HasPrefix(table, "conversation") || table == "conversation_data_attributes" { // a list of its own
			continue
		}
		var want []map[string]any
		for _, row := range c.w.Oracle(table) {
			if row["readable"] != false {
				want = append(want, canonicalRow(row))
			}
		}
		sameRows(t, table, served[table], want)
	}
}

func TestConversationsAreServedAsTheOracleSaysAfterEveryHour(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Seed: 7, Contacts: 60, Conversations: 120, Knobs: emulator.Knobs{ChangeShare: 0.3, SilentParts: true,
		DeleteConversations: true, PartsCap: 40}})
	for hour := range 6 {
		c.w.SimulateHours(min(hour, 1))
		if c.sameConversations(t); t.Failed() {
			t.Fatalf("after hour %d", hour)
		}
	}
	for _, table := range emulator.OracleStreams() {
		if len(c.w.Oracle(table)) == 0 {
			t.Errorf("%s has no row", table)
		}
	}
}

func TestTheSameSeedAndHoursGiveTheSameConversations(t *testing.T) {
	t.Parallel()
	rows := func(seed uint64) string {
		w := emulator.New(emulator.Config{Seed: seed, Contacts: 100, Knobs: emulator.Knobs{ChangeShare: 0.2, SilentParts: true, DeleteConversations: true}})
		w.SimulateHours(4)
		return fmt.Sprint(comparableRows(w.Oracle("conversations")), comparableRows(w.Oracle("conversation_parts")), comparableRows(w.Oracle("conversation_scorecards")))
	}
	first := rows(3)
	if rows(3) != first {
		t.Error("two workspaces of one seed differ")
	}
	if rows(4) == first {
		t.Error("another seed gives the same")
	}
}

// Contacts have the same history with conversations and without.
func TestConversationsDoNotChangeTheContacts(t *testing.T) {
	t.Parallel()
	rows := func(conversations int) string {
		w := emulator.New(emulator.Config{Seed: 5, Contacts: 150, Conversations: conversations, Knobs: emulator.Knobs{ChangeShare: 0.1}})
		w.SimulateHours(5)
		return fmt.Sprint(comparableRows(w.Oracle("contacts")), comparableRows(w.Oracle("contact_activities")), comparableRows(w.Oracle("contact_lifecycle")))
	}
	if rows(-1) != rows(400) {
		t.Error("contacts differ")
	}
}

func TestSimulatedHoursDoEverythingToConversations(t *testing.T) {
	t.Parallel()
	w := emulator.New(emulator.Config{Contacts: 60, Conversations: 300, Knobs: emulator.Knobs{ChangeShare: 0.4, DeleteConversations: true}})
	count := func(stream string, has func(row map[string]any) bool) (n int) {
		for _, row := range w.Oracle(stream) {
			if has(row) {
				n++
			}
		}
		return n
	}
	all := func(map[string]any) bool { return true }
	redacted := func(row map[string]any) bool { return row["redacted"] == true }
	is := func(state string) func(map[string]any) bool {
		return func(row map[string]any) bool { return row["state"] == state }
	}
	counts := func() [4]int {
		return [...]int{count("conversation_parts", all), count("conversation_scorecards", all), count("conversations", is("snoozed")),
			count("conversation_parts", redacted)}
	}
	before := counts()
	w.SimulateHours(6)
	after := counts()
	for i := range before {
		if after[i] == before[i] {
			t.Errorf("%v became %v", before, after)
		}
	}
	if after[3] < before[3] || w.CurrentState().Conversations == len(w.Oracle("conversations")) && w.CurrentState().Conversations == 300 {
		t.Error("nothing was redacted, or nothing came and went")
	}
}

func TestT65ReviewsAndRatingsMoveUpdatedAtAsTheKnobSays(t *testing.T) {
	t.Parallel()
	for knob, want := range map[emulator.Occurrence][2]bool{emulator.Always: {true, false}, emulator.Never: {false, true}, emulator.ByTurns: {true, true}} {
		w := emulator.New(emulator.Config{Contacts: 60, Conversations: 300, Knobs: emulator.Knobs{ChangeShare: 0.2, QuietConversations: knob}})
		// reviews of each conversation, and when it was last updated
		read := func() (map[any]string, map[any]any) {
			reviews, updated := map[any]string{}, map[any]any{}
			for _, row := range w.Oracle("conversations") {
				updated[row["id"]] = row["updated_at"]
			}
			for _, row := range w.Oracle("conversation_scorecards") {
				reviews[row["conversation_id"]] += fmt.Sprint(row)
			}
			return reviews, updated
		}
		before, was := read()
		w.SimulateHours(3)
		after, is := read()
		var got [2]bool // changed without moving, changed and moved
		for id, review := range after {
			if was[id] != nil && review != before[id] {
				got[0], got[1] = got[0] || is[id] == was[id], got[1] || is[id] != was[id]
			}
		}
		// Other events of a reviewed conversation move updated_at in any case.
		if got[0] != want[0] || want[1] && !got[1] {
			t.Errorf("%q: unmoved %t, moved %t", knob, got[0], got[1])
		}
	}
}

// T26: conversations name the contact that wrote, also after its merge or deletion.
func TestT26ConversationsNameMergedAndDeletedContacts(t *testing.T) {
	t.Parallel()
	w := emulator.New(emulator.Config{Contacts: 400, Inactive: 200})
	words, seen := map[any]any{}, map[any]int{}
	for _, row := range w.Oracle("contact_lifecycle") {
		words[row["id"]] = row["lifecycle"]
	}
	for _, row := range w.Oracle("conversation_contacts") {
		if words[row["contact_id"]] == nil {
			t.Fatalf("nobody is %v", row["contact_id"])
		}
		seen[words[row["contact_id"]]]++
	}
	if seen["merged"] == 0 || seen["archived"] == 0 || seen["active"] < seen["merged"] {
		t.Errorf("got %v", seen)
	}
}
