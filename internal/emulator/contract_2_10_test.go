package emulator_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"aqueduck/internal/emulator"
)

// Section 2.10: structures of conversations. The document does not show their other fields.
var conversationShapes = shapeSpecs{
	"conversation": `type =conversation  id string  created_at,updated_at time  state =open|snoozed|closed  custom_attributes object  conversation_rating @rating?
		ai_agent @ai_agent?  conversation_parts @parts  scorecards @scorecard[]`,
	"rating":          `rating integer  remark string?  created_at,updated_at time  teammate @teammate?`,
	"teammate":        `type =admin|workflow  id string`,
	"ai_agent":        `rating integer?  created_at,updated_at time  content_sources @content_sources`,
	"content_sources": `content_sources @content_source[]`,
	"content_source":  `content_type string  title,locale,url string?`,
	"parts":           `conversation_parts @part[]  total_count integer`,
	"part": `id,part_type string  body string?  created_at time  assigned_to @assignee?  admin_assignee_id,team_assignee_id integer?  author @author
		event_details @event_details?  metadata object?  ~data @event`,
	"assignee":      `type =admin|team|bot|nobody_admin  id string?`,
	"author":        `type string  id,name,email string?  is_ai_answer,from_ai_agent boolean`,
	"event_details": `call_id string`,
	"event":         `~otp_email_verification_failed @otp`,
	"otp":           `reason string`,
	"scorecard": `scorecard_id,name string  passed boolean?  score number?  reviewed_teammate @who  reviewer @who?
		review_status =unreviewed|submitted|passed_review|needs_fix|wont_fix|fix_complete?  submitted_by,revised_by @who?  notes @note[]  evaluators @evaluator[]`,
	"who":       `type =admin|ai  ~admin_id integer`,
	"note":      `id string  created_at,updated_at time  author @who?  body string`,
	"evaluator": `evaluator_id string  name string?  result @result`,
	"result":    `value string  ~value_label string  source string  reasoning string?  ~reasons @reason[]`,
	"reason":    `name string`,
}

func TestContract2_10AConversationHasEveryField(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 600})
	v := newShapeCheck(conversationShapes)
	for _, talk := range c.allConversations() {
		v.checkObject(t, "conversation", talk)
		for _, part := range partsOf(talk) {
			details, _ := part["event_details"].(map[string]any)
			if sums := part["part_type"] == "call_summary"; sums != (details["call_id"] != nil) {
				t.Errorf("2.10: a %v with call_id %v", part["part_type"], details["call_id"])
			}
			if _, told := part["data"].(map[string]any); told != (part["part_type"] == "ai_agent_event") {
				t.Errorf("2.10: a %v with data %v", part["part_type"], part["data"])
			}
		}
		for _, card := range itemsAt(talk, "scorecards") {
			c.checkScorecard(t, card)
		}
	}
	v.checkFilled(t, slices.Collect(maps.Keys(conversationShapes))...)
}

// checkScorecard checks a scorecard against the sentences of section 2.10 about its people.
func (c *apiClient) checkScorecard(t *testing.T, card map[string]any) {
	t.Helper()
	notes := itemsAt(card, "notes")
	if !slices.IsSortedFunc(notes, func(a, b map[string]any) int { return toInt(a["created_at"]) - toInt(b["created_at"]) }) {
		t.Error("2.10: notes are not the oldest first")
	}
	status := card["review_status"]
	if status == nil && (card["reviewer"] != nil || card["submitted_by"] != nil || card["revised_by"] != nil || len(notes) > 0) {
		t.Errorf("2.10: without a review somebody reviewed: %v", card)
	}
	if status == "unreviewed" && (card["submitted_by"] != nil || card["revised_by"] != nil) {
		t.Errorf("2.10: unreviewed, and submitted by %v", card["submitted_by"])
	}
	people := []any{card["reviewed_teammate"], card["reviewer"], card["submitted_by"], card["revised_by"]}
	for _, note := range notes {
		people = append(people, note["author"])
	}
	for _, one := range people {
		if who, ok := one.(map[string]any); ok && (who["type"] == "admin") != (who["admin_id"] != nil) {
			t.Errorf("2.10: %v", who)
		}
	}
}

// Section 2.10: consultation events, the data by type.
var eventShapes = shapeSpecs{
	"": `hitl_cycle_id,event_type string  conversation_part_id,rule_id,rule_name string?  created_at time  data object`,
	"ai_consultation_started": `channel string  rule_threshold_percent integer?  confidence_percent integer
		sharp_ask,ask_rationale,issue_summary,customer_question string?`,
	"ai_draft_proposed":          `draft string?`,
	"ai_teammate_input_received": `round_index integer  teammate_input string?  reviewer_admin_id string?  regeneration_outcome string?`,
	"ai_draft_revised":           `round_index integer  revised_draft string?  regeneration_outcome string?`,
	"ai_consultation_finished": `outcome =approved|taken_over|timed_out_sent|timed_out_escalated|superseded  approved_draft_type,final_draft,sent_text,reviewer_admin_id string?
		duration_seconds,rounds_count integer  payload_truncated boolean`,
}

func TestContract2_10ConsultationEventsHaveEveryField(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60, Conversations: 600})
	c.w.SimulateHours(4)
	v, outcomes := newShapeCheck(eventShapes), map[any]int{}
	for _, id := range c.w.ConversationIDs() {
		bounds, rules := map[any]int{}, map[any]any{}
		for _, e := range c.do("GET", "/conversations/"+id+"/hitl_events", nil).dataItems() {
			v.checkObject(t, "", e)
			data, cycle := e["data"].(map[string]any), e["hitl_cycle_id"]
			v.checkObject(t, e["event_type"].(string), data)
			switch e["event_type"] {
			case "ai_consultation_started":
				bounds[cycle], rules[cycle] = bounds[cycle]+1, e["rule_id"]
				if (e["rule_id"] == nil) != (data["rule_threshold_percent"] == nil) || (e["rule_id"] == nil) != (e["rule_name"] == nil) {
					t.Errorf("4.11: rule %v, %v, threshold %v", e["rule_id"], e["rule_name"], data["rule_threshold_percent"])
				}
			case "ai_consultation_finished":
				bounds[cycle] += 100
				outcomes[data["outcome"]]++
			}
			if e["rule_id"] != rules[cycle] {
				t.Errorf("4.11: the rule of %v is not fixed", cycle)
			}
		}
		for cycle, n := range bounds {
			if n != 101 {
				t.Errorf("4.11: %v has not one started and one finished event", cycle)
			}
		}
	}
	v.checkFilled(t, slices.Collect(maps.Keys(eventShapes))...)
	if len(outcomes) != 5 {
		t.Errorf("3.1: outcomes %v", outcomes)
	}
}

// Section 2.8: the envelope of each list, its key, its counters; api-notes: the default page and the largest.
func TestContract2_8EnvelopesOfLists(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 300})
	contact := c.w.Oracle("contact_companies")[0]["contact_id"].(string)
	firm := c.w.Oracle("contact_companies")[0]["company_id"].(string)
	connector := c.w.Oracle("data_connectors")[0]["id"].(string)
	query := m{"query": updatedSince(0)}
	v := newShapeCheck(shapeSpecs{"pages": `type =pages  page,per_page,total_pages integer  next @next?`, "next": `page integer  ~starting_after string`})
	for _, list := range []struct {
		section, method, path, kind, key string
		body                             any
		usual, most                      int // 0: not paged
		untold                           bool
	}{
		{"2.8, 4.1", "POST", "/contacts/search", "list", "data", query, 50, 0, false},
		{"4.11", "GET", "/contacts", "list", "data", nil, 10, 150, false},
		{"4.11, 8", "GET", "/contacts/deleted", "list", "data", nil, 10, 150, false},
		{"4.11", "GET", "/contacts/activities", "list", "data", nil, 50, 150, true},
		{"4.3", "GET", "/companies/" + firm + "/contacts", "list", "data", nil, 50, 150, false},
		{"2.1", "GET", "/contacts/" + contact + "/tags", "list", "data", nil, 50, 150, false},
		{"4.11", "POST", "/companies/search", "list", "data", query, 50, 0, false},
		{"none", "POST", "/companies/list", "list", "data", nil, 15, 60, false},
		{"4.11", "POST", "/conversations/search", "conversation.list", "conversations", query, 20, 0, false},
		{"api-notes", "POST", "/tickets/search", "ticket.list", "tickets", query, 20, 0, false},
		{"4.11", "GET", "/conversations", "conversation.list", "conversations", nil, 20, 150, false},
		{"none", "GET", "/conversations/deleted", "conversations.list", "conversations", nil, 20, 60, false},
		{"4.9", "GET", "/news/newsfeeds", "list", "data", nil, 10, 10, false},
		{"4.11", "GET", "/news/news_items", "list", "data", nil, 10, 10, false},
		{"4.11", "GET", "/internal_articles", "list", "data", nil, 50, 250, false},
		{"4.11", "GET", "/internal_articles/search", "list", "data", nil, 50, 250, false},
		{"none", "GET", "/news/newsfeeds/480/items", "list", "data", nil, 10, 10, false},
		{"4.11", "GET", "/folders", "list", "data", nil, 50, 150, false},
		{"none", "GET", "/articles", "list", "data", nil, 25, 250, false},
		{"none", "GET", "/help_center/collections", "list", "data", nil, 20, 250, false},
		{"none", "GET", "/data_connectors", "list", "data", nil, 20, 50, false},
		{"4.11", "GET", "/data_connectors/" + connector + "/versions", "list", "data", nil, 20, 50, false},
		{"4.11, 8", "GET", "/calls", "list", "data", nil, 25, 25, false},
	} {
		r := c.do(list.method, list.path, list.body)
		page, _ := r.json["pages"].(map[string]any)
		_, hasList := r.json[list.key].([]any)
		if found, isObject := r.json[list.key].(m); isObject { // public descriptions put what a search found into an object
			_, hasList = found["internal_articles"].([]any)
		}
		if _, counted := r.json["total_count"]; r.json["type"] != list.kind || !hasList || page == nil || counted == list.untold {
			t.Errorf("%s: %s: type %v, pages %v, a count: %t", list.section, list.path, r.json["type"], page, counted)
			continue
		}
		v.checkObject(t, "pages", page)
		if got := toInt(page["per_page"]); got != list.usual || !list.untold && (page["next"] != nil) != (r.totalCount() > list.usual) ||
			!list.untold && toInt(page["total_pages"]) != (r.totalCount()+list.usual-1)/list.usual {
			t.Errorf("%s: %s: pages %v of %d", list.section, list.path, page, r.totalCount())
		}
		join := map[bool]string{true: "&", false: "?"}[strings.Contains(list.path, "?")]
		if list.most > 0 {
			r = c.do(list.method, list.path+join+"per_page=1000", list.body)
			if got := toInt(r.json["pages"].(map[string]any)["per_page"]); r.status != 200 || got != list.most || len(asList(r.json[list.key])) > list.most {
				t.Errorf("%s: %s: at most %d a page, want %d", list.section, list.path, got, list.most)
			}
		}
	}
	v.checkFilled(t, "pages", "next")
	for path, kind := range map[string][2]string{"/segments": {"segment.list", "segments"}, "/admins/activity_logs?created_at_after=1": {"activity_log.list", "activity_logs"}} {
		if r := c.do("GET", path, nil); r.json["type"] != kind[0] || asList(r.json[kind[1]]) == nil {
			t.Errorf("2.8: %s has type %v", path, r.json["type"])
		}
	}
}
