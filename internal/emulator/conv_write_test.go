package emulator_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
)

// doOK sends a request that must be answered 200.
func (c *apiClient) doOK(method, path string, body any) map[string]any {
	c.t.Helper()
	r := c.do(method, path, body)
	if r.status != 200 {
		c.t.Fatalf("%s %s %v: %d %s", method, path, body, r.status, r.raw)
	}
	return r.json
}

// newSmallClient is newStillClient with hardly any other records in the workspace.
func newSmallClient(t *testing.T) (*apiClient, string) {
	t.Helper()
	c := startWorkspace(t, emulator.Config{Contacts: 60, Conversations: 4, Knobs: emulator.Knobs{NoLag: true}})
	id, err := c.w.OpenConversation(c.w.ContactIDs("active")[0], 3)
	failOn(t, err)
	c.w.Advance(time.Hour)
	return c, id
}

func lastPart(parts []map[string]any) map[string]any { return parts[len(parts)-1] }

// assignmentBody returns the body of an assignment (workspace-api 4.11).
func assignmentBody(to string, more m) m {
	sent := m{"message_type": "assignment", "type": "admin", "admin_id": "814860", "assignee_id": to}
	for name, v := range more {
		sent[name] = v
	}
	return sent
}

// Section 2.10, row by row, as far as a request can cause it. A reply is the row "no assignment change".
func TestContract2_10ARequestAssignsByEveryRowOfTheTable(t *testing.T) {
	t.Parallel()
	c, id := newSmallClient(t)
	failOn(t, c.w.ReopenConversation(id))
	for _, row := range []struct {
		name                 string
		sent                 m
		to, admin, team      any
		inCharge, teamCharge any // assignees after it; nil: unchanged
	}{
		{"a teammate", assignmentBody("200963802864963123", nil), m{"type": "admin", "id": "200963802864963123"}, "200963802864963123", nil, "200963802864963123", nil},
		{"a team", assignmentBody("814865", nil), m{"type": "team", "id": "814865"}, nil, "814865", nil, "814865"},
		{"a team, of which a teammate is found by round robin", assignmentBody("814866", nil), m{"type": "admin"}, "someone", "814866", "someone", "814866"},
		{"the bot", assignmentBody("7000001", nil), m{"type": "bot", "id": "7000001"}, "7000001", nil, "7000001", nil},
		{"the team is removed", assignmentBody("0", m{"type": "team"}), m{"type": "nobody_admin", "id": nil}, nil, "0", nil, "0"},
		{"the teammate is removed", assignmentBody("0", nil), m{"type": "nobody_admin", "id": nil}, "0", nil, "0", nil},
		{"a team, by its own kind", assignmentBody("814865", m{"type": "team"}), m{"type": "team", "id": "814865"}, nil, "814865", nil, "814865"},
		{"unassigned without naming a kind", assignmentBody("0", m{"type": nil}), m{"type": "nobody_admin", "id": nil}, nil, nil, "0", "0"},
		{"no assignment change", nil, nil, nil, nil, nil, nil},
	} {
		before, wanted := c.fetchConversation(id), "assignment"
		var talk map[string]any
		if row.sent == nil {
			talk, wanted = c.doOK("POST", "/conversations/"+id+"/reply", m{"message_type": "comment", "body": "hm"}), "comment"
		} else {
			talk = c.doOK("POST", "/conversations/"+id+"/parts", row.sent)
		}
		part := lastPart(partsOf(talk))
		same := func(what string, got, want any) {
			if want == "someone" {
				want = part["admin_assignee_id"]
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s: %s is %v, want %v", row.name, what, got, want)
			}
		}
		if to, _ := row.to.(m); to != nil && to["id"] == nil && row.admin == "someone" {
			to["id"] = part["admin_assignee_id"]
		}
		same("part_type", part["part_type"], wanted)
		same("assigned_to", part["assigned_to"], row.to)
		same("admin_assignee_id", part["admin_assignee_id"], row.admin)
		same("team_assignee_id", part["team_assignee_id"], row.team)
		same("the author", fieldOf(part["author"], "id"), "814860")
		for name, want := range map[string]any{"admin_assignee_id": row.inCharge, "team_assignee_id": row.teamCharge} {
			if want == nil {
				want = before[name]
			}
			same("the conversation's "+name, talk[name], want)
		}
		same("the answer", talk["id"], id)
	}
	turns := map[string]bool{}
	for range 3 {
		turns[fmt.Sprint(lastPart(partsOf(c.doOK("POST", "/conversations/"+id+"/parts", assignmentBody("814866", nil))))["admin_assignee_id"])] = true
	}
	if len(turns) != 3 {
		t.Errorf("round robin puts %v in charge", turns)
	}
	c.sameConversations(t)
}

// Section 3.2: the effect of an assignment on a closed conversation and on others.
func TestContract3_2AnAssignmentReopensUnlessToldNotTo(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, version, state string
		skip                 any
		want                 string
		reopened             int
	}{
		{"closed, skip_reopen", "2.17", "closed", true, "closed", 0},
		{"closed, skip_reopen false", "2.17", "closed", false, "open", 1},
		{"closed, skip_reopen absent", "2.17", "closed", nil, "open", 1},
		{"closed, skip_reopen before the version that added it (9)", "2.16", "closed", true, "open", 1},
		{"open, skip_reopen", "2.17", "open", true, "open", 0},
		{"open", "2.17", "open", nil, "open", 0},
		{"snoozed, skip_reopen", "2.17", "snoozed", true, "snoozed", 0},
		{"snoozed", "2.17", "snoozed", nil, "snoozed", 0},
	} {
		c, id := newSmallClient(t)
		failOn(t, c.w.ReopenConversation(id))
		switch row.state {
		case "closed":
			failOn(t, c.w.CloseConversation(id))
		case "snoozed":
			failOn(t, c.w.SnoozeConversation(id, c.w.CurrentTime().Add(time.Hour)))
		}
		before := c.fetchConversation(id)
		c.w.Advance(time.Minute)
		c.version = row.version
		talk := c.doOK("POST", "/conversations/"+id+"/parts", assignmentBody("5", m{"skip_reopen": row.skip}))
		if talk["state"] != row.want || talkStatistic(talk, "count_reopens") != talkStatistic(before, "count_reopens")+row.reopened {
			t.Errorf("%s: %v, reopened %d times more", row.name, talk["state"], talkStatistic(talk, "count_reopens")-talkStatistic(before, "count_reopens"))
		}
		if kind := lastPart(partsOf(talk))["part_type"]; (kind == "assign_and_reopen") != (row.reopened > 0) {
			t.Errorf("%s: the part is a %v", row.name, kind)
		}
		if talkStatistic(talk, "last_close_at") != talkStatistic(before, "last_close_at") || talkStatistic(talk, "count_assignments") != talkStatistic(before, "count_assignments")+1 {
			t.Errorf("%s: closed at %d, before %d", row.name, talkStatistic(talk, "last_close_at"), talkStatistic(before, "last_close_at"))
		}
		if row.reopened > 0 { // the close timestamp changes when it is closed again
			failOn(t, c.w.CloseConversation(id))
			if talkStatistic(c.fetchConversation(id), "last_close_at") != int(c.w.CurrentTime().Unix()) {
				t.Errorf("%s: the close timestamp does not change", row.name)
			}
		}
		c.version = "2.17"
		c.sameConversations(t)
	}
}

// POST /conversations/{id}/parts beyond the document: closing, opening and snoozing by the named admin.
func TestAConversationIsClosedOpenedAndSnoozedByRequests(t *testing.T) {
	t.Parallel()
	c, id := newSmallClient(t)
	until := c.w.CurrentTime().Add(time.Hour).Unix()
	for _, row := range []struct {
		does, part, state string
		body              any
	}{{"open", "open", "open", nil}, {"close", "close", "closed", nil}, {"open", "open", "open", nil}, {"snoozed", "snoozed", "snoozed", nil}, {"close", "close", "closed", "<p>bye</p>"}} {
		before := c.fetchConversation(id)
		c.w.Advance(time.Minute)
		talk := c.doOK("POST", "/conversations/"+id+"/parts", m{"message_type": row.does, "type": "admin", "admin_id": "5", "snoozed_until": until, "body": row.body})
		part := lastPart(partsOf(talk))
		if part["part_type"] != row.part || talk["state"] != row.state || fieldOf(part["author"], "id") != "5" || part["body"] != row.body {
			t.Errorf("%s: %v, %v", row.does, talk["state"], part)
		}
		if (talk["snoozed_until"] != nil) != (row.state == "snoozed") || (talkStatistic(talk, "last_close_at") == int(c.w.CurrentTime().Unix())) != (row.state == "closed") {
			t.Errorf("%s: snoozed until %v, %v", row.does, talk["snoozed_until"], talk["statistics"])
		}
		reopened := 0
		if before["state"] == "closed" {
			reopened = 1
		}
		if talkStatistic(talk, "count_reopens") != talkStatistic(before, "count_reopens")+reopened {
			t.Errorf("%s: reopened %d times", row.does, talkStatistic(talk, "count_reopens"))
		}
	}
	c.sameConversations(t)
}

func TestAContactBeginsAConversationWithHisWords(t *testing.T) {
	t.Parallel()
	c, _ := newSmallClient(t)
	who := c.doOK("POST", "/contacts", m{"role": "lead", "name": "Ann"})["id"]
	for range 4 { // drawn ones begin in other ways
		id := fmt.Sprint(c.doOperation("conversations.open", m{"contact": who, "body": "<p>hello?"}).json["id"])
		c.w.Advance(time.Minute)
		talk := c.fetchConversation(id)
		source := talk["source"].(map[string]any)
		if source["delivered_as"] != "customer_initiated" || source["body"] != "<p>hello?" || fieldOf(source["author"], "id") != who || fieldOf(source["author"], "name") != "Ann" ||
			talk["conversation_rating"] != nil || len(partsOf(talk)) != 0 || talk["waiting_since"] != talk["created_at"] || talk["state"] != "open" {
			t.Errorf("%v", talk)
		}
		talk = c.doOK("POST", "/conversations/"+id+"/reply", m{"message_type": "comment", "admin_id": "5", "body": "yes?"})
		if talk["waiting_since"] != nil || len(partsOf(talk)) != 1 {
			t.Errorf("answered: %v", talk)
		}
	}
	c.sameConversations(t)
}

// Sections 4.11, 2.10: comments of teammates and of contacts, and their effects.
func TestContract4_11AConversationIsRepliedTo(t *testing.T) {
	t.Parallel()
	c, id := newSmallClient(t)
	who := itemsAt(c.fetchConversation(id), "contacts", "contacts")[0]
	contact := c.doOK("PUT", "/contacts/"+who["id"].(string), m{"email": "now@example.com", "external_id": "now-1"})
	for _, row := range []struct {
		name           string
		sent           m
		kind, as, by   any
		state          string
		read, answered bool
	}{
		{"a comment", m{"message_type": "comment", "body": "<p>zoë &amp; <b>co</b>"}, "comment", "admin", "814860", "closed", true, true},
		{"a note", m{"message_type": "note", "body": "<p>hm</p>"}, "note", "admin", "814860", "closed", true, false},
		{"a comment by another admin", m{"message_type": "comment", "type": "admin", "admin_id": "9007199254740993", "body": "x"}, "comment", "admin", "9007199254740993", "closed", true, true},
		{"a note by another admin, whose id is a number", m{"message_type": "note", "admin_id": 5, "body": "x"}, "note", "admin", "5", "closed", true, false},
		{"a contact", m{"message_type": "comment", "type": "user", "contact_id": who["id"], "body": "still broken"}, "comment", contact["role"], who["id"], "open", false, false},
		{"a contact by the e-mail", m{"message_type": "comment", "type": "user", "email": contact["email"], "body": "hello?"}, "comment", contact["role"], who["id"], "open", false, false},
		{"a contact by the external id", m{"message_type": "comment", "type": "user", "user_id": contact["external_id"], "body": "?"}, "comment", contact["role"], who["id"], "open", false, false},
	} {
		failOn(t, c.w.CloseConversation(id))
		before := c.fetchConversation(id)
		c.w.Advance(time.Minute)
		now := int(c.w.CurrentTime().Unix())
		talk := c.doOK("POST", "/conversations/"+id+"/reply", row.sent)
		part := lastPart(partsOf(talk))
		if part["body"] != row.sent["body"] || part["part_type"] != row.kind || toInt(part["created_at"]) != now || fieldOf(part["author"], "type") != row.as ||
			fieldOf(part["author"], "id") != row.by || len(itemsAt(part, "attachments")) != 0 || part["metadata"] != nil {
			t.Errorf("%s: the part is %v", row.name, part)
		}
		if (part["notified_at"] == nil) != (row.kind == "note") {
			t.Errorf("%s: notified at %v", row.name, part["notified_at"])
		}
		if talk["state"] != row.state || talk["read"] != row.read && row.kind == "comment" || toInt(talk["updated_at"]) != now {
			t.Errorf("%s: %v, read %v, updated at %v", row.name, talk["state"], talk["read"], talk["updated_at"])
		}
		if (talkStatistic(talk, "last_admin_reply_at") == now) != row.answered || talkStatistic(talk, "count_conversation_parts") != talkStatistic(before, "count_conversation_parts")+1 {
			t.Errorf("%s: the statistics are %v", row.name, talk["statistics"])
		}
		if found := c.searchTalks(fieldFilter("updated_at", "=", now), 20, "").conversationItems(); len(found) != 1 || found[0]["id"] != id {
			t.Errorf("%s: search finds %d", row.name, len(found))
		}
		c.sameConversations(t)
	}
}

// Sections 4.11, 9: updates of a conversation. company_id came with 2.14.
func TestContract4_11AConversationIsUpdated(t *testing.T) {
	t.Parallel()
	c, id := newSmallClient(t)
	firm := c.w.Oracle("companies")[7]["id"]
	for _, row := range []struct {
		name, version string
		sent          m
		want          m
		moves         bool
	}{
		{"a title", "2.17", m{"title": "Zoë's <order>"}, m{"title": "Zoë's <order>"}, true},
		{"a company", "2.14", m{"company_id": firm}, m{"company": m{"type": "company", "id": firm}}, true},
		{"a company before 2.14", "2.13", m{"company_id": nil}, m{"company": m{"type": "company", "id": firm}}, false},
		{"nothing", "2.17", m{}, m{"company": m{"type": "company", "id": firm}}, false},
		{"no company", "2.17", m{"company_id": nil}, m{"company": nil}, true},
		{"read", "2.17", m{"read": true}, m{"read": true}, true},
		{"unread", "2.17", m{"read": false}, m{"read": false}, true},
		{"several", "2.17", m{"title": nil, "read": true, "custom_attributes": m{"n": 1.5, "Escalated": true, "text": "é", "Language": nil}}, m{"title": nil, "read": true}, true},
	} {
		c.version = row.version
		before := c.fetchConversation(id)
		c.w.Advance(time.Minute)
		talk := c.doOK("PUT", "/conversations/"+id, row.sent)
		for name, want := range row.want {
			if fmt.Sprint(talk[name]) != fmt.Sprint(want) {
				t.Errorf("%s: %s is %v", row.name, name, talk[name])
			}
		}
		if moved := talk["updated_at"] != before["updated_at"]; moved != row.moves {
			t.Errorf("%s: updated_at moved: %t", row.name, moved)
		}
		c.version = "2.17"
		c.sameConversations(t)
	}
	attrs := c.fetchConversation(id)["custom_attributes"].(map[string]any)
	if fmt.Sprintf("%v %v %v %v", attrs["n"], attrs["Escalated"], attrs["text"], attrs["Language"]) != "1.5 true é <nil>" {
		t.Errorf("custom attributes: %v", attrs)
	}
	for _, next := range []m{{"message_type": "comment", "body": "x"}, {"message_type": "note", "body": "x"}} { // a later comment overrides the flag
		c.doOK("PUT", "/conversations/"+id, m{"read": false})
		read := c.doOK("POST", "/conversations/"+id+"/reply", next)["read"]
		if read != (next["message_type"] == "comment") {
			t.Errorf("after a %v read is %v", next["message_type"], read)
		}
		c.sameConversations(t)
	}
}

// refusedWrite is a request that must be refused, with the expected error.
type refusedWrite struct {
	name, version, method, path string
	sent                        any
	status                      int
	code, says                  string // says: what the message names
}

// checkRefused sends requests that must be refused, and checks that nothing has changed.
func (c *apiClient) checkRefused(t *testing.T, list []refusedWrite) {
	t.Helper()
	var done []emulator.JournalEntry
	c.w.SetJournal(func(d emulator.JournalEntry) error {
		done = append(done, d)
		return nil
	})
	before := snapshotOracle(c.w)
	for _, row := range list {
		c.version = row.version
		if row.version == "" {
			c.version = "2.17"
		}
		r := c.do(row.method, row.path, row.sent)
		if r.status != row.status || r.errorCode() != row.code || !strings.Contains(string(r.raw), row.says) {
			t.Errorf("%s: %s %s: %d %s, want %d %s of %q", row.name, row.method, row.path, r.status, r.raw, row.status, row.code, row.says)
		}
	}
	after := snapshotOracle(c.w)
	for stream, rows := range before.rows {
		if d := firstDifference(after.rows[stream], rows); d != "" {
			t.Errorf("refused, but of %s%s", stream, d)
		}
	}
	if len(done) != 0 {
		t.Errorf("refused, but in the journal: %v", done)
	}
}

// Sections 7, 4.11.
func TestContract7ConversationsThatAreRefused(t *testing.T) {
	t.Parallel()
	c, id := newSmallClient(t)
	deleted := c.w.ConversationIDs()[3]
	failOn(t, c.w.DeleteConversation(deleted))
	talk, stranger := "/conversations/"+id, c.w.ContactIDs("active")[1]
	parts, reply := talk+"/parts", talk+"/reply"
	c.checkRefused(t, []refusedWrite{
		{"no such conversation", "", "POST", "/conversations/1/parts", assignmentBody("5", nil), 404, "not_found", "Conversation"},
		{"a deleted conversation", "", "POST", "/conversations/" + deleted + "/parts", assignmentBody("5", nil), 404, "not_found", "Conversation"},
		{"no such conversation", "", "POST", "/conversations/1/reply", m{"message_type": "note", "body": "x"}, 404, "not_found", "Conversation"},
		{"a deleted conversation", "", "POST", "/conversations/" + deleted + "/reply", m{"message_type": "note", "body": "x"}, 404, "not_found", "Conversation"},
		{"no such conversation", "", "PUT", "/conversations/1", m{"title": "x"}, 404, "not_found", "Conversation"},
		{"a deleted conversation", "", "PUT", "/conversations/" + deleted, m{"title": "x"}, 404, "not_found", "Conversation"},

		{"no message_type", "", "POST", parts, assignmentBody("5", m{"message_type": nil}), 400, "parameter_not_found", "message_type"},
		{"another message_type", "", "POST", parts, assignmentBody("5", m{"message_type": "tea"}), 400, "parameter_invalid", "message_type"},
		{"no admin_id", "", "POST", parts, assignmentBody("5", m{"admin_id": nil}), 400, "parameter_not_found", "admin_id"},
		{"a missing admin", "", "POST", parts, assignmentBody("5", m{"admin_id": "1"}), 404, "not_found", "Admin"},
		{"an admin who was deleted", "", "POST", parts, assignmentBody("5", m{"admin_id": "814801"}), 404, "not_found", "Admin"},
		{"an admin who is a team", "", "POST", parts, assignmentBody("5", m{"admin_id": "814865"}), 404, "not_found", "Admin"},
		{"an admin who is a bot", "", "POST", parts, assignmentBody("5", m{"admin_id": "7000002"}), 404, "not_found", "Admin"},
		{"no assignee", "", "POST", parts, assignmentBody("5", m{"assignee_id": nil}), 400, "parameter_not_found", "assignee_id"},
		{"a missing assignee", "", "POST", parts, assignmentBody("6", nil), 404, "not_found", "Assignee"},
		{"an assignee who was deleted", "", "POST", parts, assignmentBody("814801", nil), 404, "not_found", "Assignee"},
		{"a team that is yet to come", "", "POST", parts, assignmentBody("814867", nil), 404, "not_found", "Assignee"},
		{"a teammate as a team", "", "POST", parts, assignmentBody("5", m{"type": "team"}), 404, "not_found", "Assignee"},
		{"a bot as a team", "", "POST", parts, assignmentBody("7000001", m{"type": "team"}), 404, "not_found", "Assignee"},
		{"another kind", "", "POST", parts, assignmentBody("5", m{"type": "bot"}), 400, "parameter_invalid", "type"},
		{"closed by nobody", "", "POST", parts, m{"message_type": "close"}, 400, "parameter_not_found", "admin_id"},
		{"closed by a missing admin", "", "POST", parts, m{"message_type": "close", "admin_id": "1"}, 404, "not_found", "Admin"},
		{"snoozed until no time", "", "POST", parts, m{"message_type": "snoozed", "admin_id": "5"}, 400, "parameter_not_found", "snoozed_until"},
		{"snoozed until a time that is over", "", "POST", parts, m{"message_type": "snoozed", "admin_id": "5", "snoozed_until": 1}, 400, "parameter_invalid", ":\"snoozed_until must be a later time"},
		{"skip_reopen is no flag", "", "POST", parts, assignmentBody("5", m{"skip_reopen": "yes"}), 400, "parameter_invalid", "skip_reopen"},
		{"no object", "", "POST", parts, []int{1}, 400, "parameter_invalid", "JSON object"},

		{"no message_type", "", "POST", reply, m{"body": "x"}, 400, "parameter_not_found", "message_type"},
		{"another message_type", "", "POST", reply, m{"message_type": "close", "body": "x"}, 400, "parameter_invalid", "message_type"},
		{"no body", "", "POST", reply, m{"message_type": "note"}, 400, "parameter_not_found", "body"},
		{"an empty body", "", "POST", reply, m{"message_type": "note", "body": ""}, 400, "parameter_invalid", "body"},
		{"a body that is no text", "", "POST", reply, m{"message_type": "note", "body": 1}, 400, "parameter_invalid", "body"},
		{"another kind of author", "", "POST", reply, m{"message_type": "note", "type": "bot", "body": "x"}, 400, "parameter_invalid", "type"},
		{"a missing admin", "", "POST", reply, m{"message_type": "note", "admin_id": "1", "body": "x"}, 404, "not_found", "Admin"},
		{"an admin who was deleted", "", "POST", reply, m{"message_type": "comment", "admin_id": 7, "body": "x"}, 404, "not_found", "Admin"},
		{"a contact without a name", "", "POST", reply, m{"message_type": "comment", "type": "user", "body": "x"}, 404, "not_found", "User"},
		{"a contact who takes no part", "", "POST", reply, m{"message_type": "comment", "type": "user", "contact_id": stranger, "body": "x"}, 404, "not_found", "User"},
		{"a contact's note", "", "POST", reply, m{"message_type": "note", "type": "user", "contact_id": stranger, "body": "x"}, 400, "parameter_invalid", "message_type"},

		{"a company that is missing", "", "PUT", talk, m{"company_id": "none", "title": "x"}, 404, "company_not_found", "Company"},
		{"a company that is missing, in 2.14", "2.14", "PUT", talk, m{"company_id": 5}, 404, "company_not_found", "Company"},
		{"a title that is none", "", "PUT", talk, m{"title": 5}, 400, "parameter_invalid", "title"},
		{"read is no flag", "", "PUT", talk, m{"read": "yes"}, 400, "parameter_invalid", "read"},
		{"attributes that are no object", "", "PUT", talk, m{"custom_attributes": "x"}, 400, "parameter_invalid", "custom_attributes"},
		{"an attribute of quality assurance", "", "PUT", talk, m{"custom_attributes": m{"a": 1, "Reviewer": "z"}}, 400, "parameter_invalid", ":\"custom_attributes.Reviewer must be left out"},
		{"an attribute that is a list", "", "PUT", talk, m{"custom_attributes": m{"a": []int{1}}}, 400, "parameter_invalid", "custom_attributes.a"},
	})
}
