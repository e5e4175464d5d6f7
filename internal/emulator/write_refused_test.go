package emulator_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"aqueduck/internal/emulator"
	"aqueduck/internal/emulator/api/fault"
)

// writeRequest is a valid writing request.
type writeRequest struct {
	route, method, path string
	body                any
	late                bool // added by the later version
}

// writeRequests returns one request for each writing endpoint of contacts and what belongs to them, of content, conversations and tickets.
// Operations create the records that they need, so a journal has those.
func (c *apiClient) writeRequests() []writeRequest {
	c.t.Helper()
	user, lead := c.createByOperation("user"), c.createByOperation("lead")
	c.doOperation("contacts.note", m{"id": user, "body": "<p>hello</p>"})
	away := c.createByOperation("user")
	c.doOperation("contacts.archive", m{"id": away})
	firm, sub := c.w.Oracle("companies")[0]["id"].(string), c.w.Oracle("contact_subscriptions")[0]
	c.doOperation("contacts.attach", m{"id": user, "company": firm})
	note := c.do("GET", "/contacts/"+user+"/notes", nil).itemIDs()[0]
	return slices.Concat(c.contentRequests(), c.conversationRequests(), []writeRequest{
		{"contacts.create", "POST", "/contacts", m{"role": "lead"}, false},
		{"contacts.update", "PUT", "/contacts/" + user, m{"name": "N"}, false},
		{"contacts.delete", "DELETE", "/contacts/" + user, nil, false},
		{"contacts.merge", "POST", "/contacts/merge", m{"from": lead, "into": user}, false},
		{"contacts.bulk_create", "POST", "/contacts/bulk", m{"contacts": []m{{"external_id": "b"}}}, true},
		{"contacts.bulk_update", "PUT", "/contacts/bulk", m{"contacts": []m{{"id": user, "name": "N"}}}, true},
		{"contacts.bulk_delete", "POST", "/contacts/bulk/delete", m{"contacts": []m{{"id": user}}}, true},
		{"contacts.archive", "POST", "/contacts/" + user + "/archive", nil, false},
		{"contacts.unarchive", "POST", "/contacts/" + away + "/unarchive", nil, false},
		{"contacts.block", "POST", "/contacts/" + user + "/block", nil, false},
		{"notes.create", "POST", "/contacts/" + user + "/notes", m{"body": "x"}, false},
		{"companies.save", "POST", "/companies", m{"company_id": "written"}, false},
		{"contacts.attach", "POST", "/contacts/" + lead + "/companies", m{"id": firm}, false},
		{"contacts.detach", "DELETE", "/contacts/" + user + "/companies/" + firm, nil, false},
		{"contacts.unsubscribe", "DELETE", "/contacts/" + sub["contact_id"].(string) + "/subscriptions/" + sub["subscription_id"].(string), nil, false},
		{"visitors.convert", "POST", "/visitors/convert", m{"type": "lead", "visitor": m{"id": "v"}}, false},
		{"notes.delete", "DELETE", "/notes/" + note, nil, true},
	})
}

// createByOperation creates a contact by an operation.
func (c *apiClient) createByOperation(role string) string {
	c.t.Helper()
	return c.doOperation("contacts.create", m{"role": role}).json["id"].(string)
}

// conversationRequests returns the writing requests of conversations, tickets and messages.
func (c *apiClient) conversationRequests() []writeRequest {
	c.t.Helper()
	user, talk, ticket := c.createByOperation("user"), "/conversations/"+c.w.ConversationIDs()[0], "/tickets/"+c.w.TicketIDs()[0]
	note := m{"message_type": "note", "body": "x"}
	return []writeRequest{
		{"conversations.create", "POST", "/conversations", m{"from": m{"type": "user", "id": user}, "body": "x"}, false},
		{"conversations.part", "POST", talk + "/parts", assignmentBody("5", nil), false},
		{"conversations.reply", "POST", talk + "/reply", note, false},
		{"conversations.update", "PUT", talk, m{"title": "x"}, false},
		{"messages.create", "POST", "/messages", messageBody([]m{{"type": "user", "id": user}}, nil), false},
		{"tickets.create", "POST", "/tickets", newTicket(user, nil), false},
		{"tickets.enqueue", "POST", "/tickets/enqueue", newTicket(user, nil), false},
		{"tickets.reply", "POST", ticket + "/reply", note, false},
		{"tickets.update", "PUT", ticket, m{"assignee_id": "5"}, false},
	}
}

// Sections 5, 7, 9: requests without access and invalid ones change nothing and are in no journal.
func TestContract7RefusedWritesChangeNothing(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60, Conversations: 5})
	all := c.writeRequests()
	journal := 0
	c.w.SetJournal(func(emulator.JournalEntry) error { journal++; return nil })
	before := snapshotOracle(c.w)
	for _, row := range []struct {
		rule    string
		knobs   func(k *emulator.Knobs, a writeRequest)
		change  func(c *apiClient, a *writeRequest)
		applies func(a writeRequest) bool
		status  int
		code    string
	}{
		{rule: "5.1 no token", change: func(c *apiClient, _ *writeRequest) { c.auth = "-" }, status: 401, code: "unauthorized"},
		{rule: "5.1 another token", change: func(c *apiClient, _ *writeRequest) { c.auth = "Bearer other" }, status: 401, code: "unauthorized"},
		{rule: "5.5 the plan", knobs: func(k *emulator.Knobs, a writeRequest) { k.Unavailable = []string{a.route} }, status: 403, code: "api_plan_restricted"},
		{rule: "5.3 a scope", knobs: func(k *emulator.Knobs, a writeRequest) { k.Forbidden = []string{a.route} }, status: 403, code: "token_unauthorized"},
		{rule: "9 a version before it", knobs: func(k *emulator.Knobs, _ writeRequest) { k.LaterOnly = true }, change: func(c *apiClient, _ *writeRequest) { c.version = "2.16" },
			applies: func(a writeRequest) bool { return a.late }, status: 404, code: "not_found"},
		{rule: "9 no version", change: func(c *apiClient, _ *writeRequest) { c.version = "soon" }, status: 400, code: "parameter_invalid"},
		{rule: "7 no JSON", change: func(_ *apiClient, a *writeRequest) { a.body = json.RawMessage(`[1]`) }, status: 400, code: "parameter_invalid"},
		{rule: "7 no parameters", change: func(_ *apiClient, a *writeRequest) { a.body = m{} }, applies: func(a writeRequest) bool { return a.body != nil && !strings.HasSuffix(a.route, ".update") },
			status: 400, code: "parameter_not_found"},
		{rule: "7 another method", change: func(_ *apiClient, a *writeRequest) { a.method = "OPTIONS" }, status: 405, code: "method_not_allowed"},
		{rule: "7 another path", change: func(_ *apiClient, a *writeRequest) { a.path += "/more/than/that" }, status: 404, code: "not_found"},
	} {
		for _, a := range all {
			if row.applies != nil && !row.applies(a) {
				continue
			}
			asker, what := *c, a
			if row.change != nil {
				row.change(&asker, &what)
			}
			c.w.SetKnobs(func(k *emulator.Knobs) {
				*k = emulator.Knobs{}
				if row.knobs != nil {
					row.knobs(k, a)
				}
			})
			r := asker.do(what.method, what.path, what.body)
			if r.status != row.status || r.errorCode() != row.code {
				t.Errorf("%s: %s %s: %d %s, want %d %s", row.rule, what.method, what.path, r.status, r.raw, row.status, row.code)
				continue
			}
			v := newShapeCheck(errorShapes)
			v.checkObject(t, "error", r.json)
			v.checkFilled(t, "one")
		}
	}
	if now := snapshotOracle(c.w); journal != 0 || fmt.Sprint(now.rows) != fmt.Sprint(before.rows) {
		t.Errorf("something has happened: the journal has %d lines", journal)
	}
	for i := range all {
		a := c.writeRequests()[i]
		if r := c.do(a.method, a.path, a.body); r.status != 200 && r.status != 202 {
			t.Errorf("what may be asked: %s %s: %d %s", a.method, a.path, r.status, r.raw)
		}
	}
}

// A cache answers reading requests, and never one that writes.
func TestT121NoCacheAnswersAWrite(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60})
	c.w.InjectFaults(func(int, *http.Request) *fault.Fault { return nil })
	first := c.createRecord("POST", "/contacts", m{"role": "lead"})
	c.w.InjectFaults(func(int, *http.Request) *fault.Fault { return &fault.Fault{Replay: true} })
	if second := c.createRecord("POST", "/contacts", m{"role": "lead"}); second == first {
		t.Error("a second contact is answered with the first")
	}
}

// A cut answer says nothing about the write, which happened. A request that a fault refuses was not carried out.
func TestAWriteWithACutAnswerHasHappened(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60})
	for external, want := range map[string]struct {
		fault  fault.Fault
		status int
	}{"cut": {fault.Fault{Truncate: true}, 200}, "garbled": {fault.Fault{Garbage: true}, 200}, "reset": {fault.Fault{Reset: true}, 404},
		"down": {fault.Fault{Status: 503}, 404}, "limited": {fault.Fault{Status: 429}, 404}} {
		next := c.w.RequestCount() + 1
		c.w.InjectFaults(func(n int, _ *http.Request) *fault.Fault {
			if n == next {
				return &want.fault
			}
			return nil
		})
		_, err := c.tryRequest("POST", "/contacts", m{"external_id": external})
		if (err != nil) != (want.fault.Truncate || want.fault.Reset) {
			t.Errorf("%s: %v", external, err)
		}
		if r := c.do("GET", "/contacts/find_by_external_id/"+external, nil); r.status != want.status {
			t.Errorf("%s: it is then answered %d, want %d", external, r.status, want.status)
		}
	}
}
