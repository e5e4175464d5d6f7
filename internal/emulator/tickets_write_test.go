package emulator_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
)

// Sections 4.11, 9: a ticket has what was written, can be assigned from 2.14 on, and is in every read.
func TestContract4_11ATicketIsCreated(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60, Conversations: 30, Knobs: emulator.Knobs{LagMax: 10 * time.Minute}})
	people := c.w.ContactIDs("active")
	one := c.doOK("PUT", "/contacts/"+people[0], m{"external_id": "one-1"})
	two := c.doOK("PUT", "/contacts/"+people[1], m{"email": "two@example.com"})
	ids := func(ticket map[string]any) string {
		var list []any
		for _, who := range itemsAt(ticket, "contacts", "contacts") {
			list = append(list, who["id"])
		}
		return fmt.Sprint(list)
	}
	for _, row := range []struct {
		name, version string
		sent          m
		attrs         m
		who           []any
		admin, team   any
		assigned      int
	}{
		{"by their ids", "2.17", m{"ticket_type_id": "1200", "contacts": []m{{"id": one["id"]}, {"id": two["id"]}}, "ticket_attributes": m{"Größe": "S", "_default_title_": "<b>", "Anzahl #": 7}},
			m{"Größe": "S", "_default_title_": "<b>", "Anzahl #": 7}, []any{one["id"], two["id"]}, "0", "0", 0},
		{"by what they are known by, none twice", "2.14", m{"ticket_type_id": 1201, "contacts": []m{{"external_id": "one-1"}, {"email": "two@example.com"}, {"id": two["id"]}}, "ticket_attributes": m{"Größe": "S"}},
			m{"Größe": "S"}, []any{one["id"], two["id"]}, nil, nil, 0},
		{"assigned to a teammate", "2.14", m{"ticket_type_id": "1202", "contacts": []m{{"id": one["id"]}}, "ticket_attributes": m{"Größe": `"L"`}, "assignment": m{"admin_assignee_id": "9007199254740993"}},
			m{"Größe": `"L"`}, []any{one["id"]}, "9007199254740993", nil, 1},
		{"assigned to a team and a teammate", "2.17", m{"ticket_type_id": "1200", "contacts": []m{{"id": one["id"]}}, "ticket_attributes": m{"Größe": "S"}, "assignment": m{"admin_assignee_id": "5", "team_assignee_id": "814866"}},
			m{"Größe": "S"}, []any{one["id"]}, "5", "814866", 2},
		{"assigned to a team that finds a teammate by round robin", "2.17", m{"ticket_type_id": "1200", "contacts": []m{{"id": one["id"]}}, "ticket_attributes": m{"Größe": "S"}, "assignment": m{"team_assignee_id": "814866"}},
			m{"Größe": "S"}, []any{one["id"]}, "someone", "814866", 1},
		{"assigned to nobody", "2.17", m{"ticket_type_id": "1200", "contacts": []m{{"id": one["id"]}}, "ticket_attributes": m{"Größe": "S"}, "assignment": m{"admin_assignee_id": nil, "team_assignee_id": "0"}},
			m{"Größe": "S"}, []any{one["id"]}, "0", "0", 0},
		{"not assigned before 2.14", "2.13", m{"ticket_type_id": "1200", "contacts": []m{{"id": one["id"]}}, "ticket_attributes": m{"Größe": "S"}, "assignment": m{"admin_assignee_id": "5"}},
			m{"Größe": "S"}, []any{one["id"]}, nil, nil, 0},
	} {
		c.w.Advance(time.Hour)
		c.version = row.version
		ticket := c.doOK("POST", "/tickets", row.sent)
		id := ticket["id"].(string)
		if now := int(c.w.CurrentTime().Unix()); toInt(ticket["created_at"]) != now || toInt(ticket["updated_at"]) != now || ticket["open"] != true {
			t.Errorf("%s: %v", row.name, ticket)
		}
		if fmt.Sprint(ticket["ticket_attributes"]) != fmt.Sprint(row.attrs) || fieldOf(ticket["ticket_type"], "id") != fmt.Sprint(row.sent["ticket_type_id"]) ||
			ids(ticket) != fmt.Sprint(row.who) || len(itemsAt(ticket, "linked_objects", "data")) != 0 {
			t.Errorf("%s: %v", row.name, ticket)
		}
		if row.admin == "someone" && fmt.Sprint(ticket["admin_assignee_id"]) != "0" {
			row.admin = ticket["admin_assignee_id"]
		}
		if fmt.Sprint(ticket["admin_assignee_id"]) != fmt.Sprint(row.admin) || fmt.Sprint(ticket["team_assignee_id"]) != fmt.Sprint(row.team) || len(ticketParts(ticket)) != row.assigned {
			t.Errorf("%s: assigned to %v and %v by %d parts", row.name, ticket["admin_assignee_id"], ticket["team_assignee_id"], len(ticketParts(ticket)))
		}
		if n := len(c.searchTickets(fieldFilter("id", "=", id), 20, "").ticketItems()); n != 0 {
			t.Errorf("%s: search is not late", row.name)
		}
		c.w.Advance(10 * time.Minute)
		if found := c.searchTickets(fieldFilter("id", "=", id), 20, "").ticketItems(); len(found) != 1 || fmt.Sprint(found[0]) != fmt.Sprint(ticket) {
			t.Errorf("%s: search finds %v", row.name, found)
		}
	}
	c.version = "2.17"
	c.sameTickets(t)
}

// newTicket returns a valid body of a ticket.
func newTicket(contact any, more m) m {
	sent := m{"ticket_type_id": "1200", "contacts": []m{{"id": contact}}, "ticket_attributes": m{"Größe": "S", "_default_title_": "later"}}
	for name, v := range more {
		sent[name] = v
	}
	return sent
}

// Sections 3.1, 4.11: a job, and the ticket when it has succeeded: not before, and at the job's own time, whichever request comes first.
func TestContract4_11AnEnqueuedTicketIsThereWhenItsJobHasSucceeded(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60, Conversations: 30, Knobs: emulator.Knobs{NoLag: true}})
	who, began := c.w.ContactIDs("active")[0], c.w.CurrentTime()
	before := len(c.w.TicketIDs())
	job := c.doOK("POST", "/tickets/enqueue", newTicket(who, m{"assignment": m{"team_assignee_id": "814865"}}))
	for _, step := range []struct {
		wait   time.Duration
		status string
	}{{0, "pending"}, {59 * time.Second, "pending"}, {time.Second, "in_progress"}, {239 * time.Second, "in_progress"}, {time.Second, "success"}, {time.Hour, "success"}} {
		c.w.Advance(step.wait)
		if job["id"] == "" || job["type"] != "job" || job["resource_type"] != "ticket" || job["url"] != c.url+"/jobs/status/"+fmt.Sprint(job["id"]) {
			t.Fatalf("the job: %v", job)
		}
		job = c.doOK("GET", "/jobs/status/"+fmt.Sprint(job["id"]), nil)
		over := step.status == "success"
		if job["status"] != step.status || (job["resource_id"] != nil) != over || (job["resource_url"] != nil) != over {
			t.Errorf("%s: %v", step.status, job)
		}
		if made := len(c.w.TicketIDs()) - before; made != 0 != over {
			t.Errorf("%s: %d tickets", step.status, made)
		}
	}
	ticket := c.doOK("GET", strings.TrimPrefix(fmt.Sprint(job["resource_url"]), c.url), nil)
	if ticket["id"] != job["resource_id"] || toInt(ticket["created_at"]) != int(began.Add(5*time.Minute).Unix()) || fieldOf(ticket["ticket_attributes"], "_default_title_") != "later" ||
		fmt.Sprint(ticket["team_assignee_id"]) != "814865" || len(itemsAt(ticket, "contacts", "contacts")) != 1 {
		t.Errorf("the ticket: %v", ticket)
	}
	c.sameTickets(t)
	for at, want := range map[time.Duration]int{5*time.Minute - time.Second: 0, 5 * time.Minute: 1} {
		rows, err := c.w.TruthAt("tickets", began.Add(at))
		failOn(t, err)
		there := 0
		for row := range rows {
			if row["id"] == ticket["id"] {
				there++
			}
		}
		if there != want {
			t.Errorf("the oracle tells of %d after %s", there, at)
		}
	}
}

// The oracle, a search, a simulated hour and another request each run what is due first.
func TestEnqueuedTicketIsThereForTheNextRead(t *testing.T) {
	t.Parallel()
	for name, ask := range map[string]func(c *apiClient) int{
		"the oracle": func(c *apiClient) int { return len(c.w.Oracle("tickets")) },
		"a search":   func(c *apiClient) int { return c.searchTickets(updatedSince(0), 150, "").totalCount() },
		"life":       func(c *apiClient) int { c.w.SimulateHours(1); return len(c.w.Oracle("tickets")) - 1 }, // the hour adds a ticket
		"an operation": func(c *apiClient) int {
			c.doOK("POST", "/_emulator/do/contacts.create", m{"role": "lead"})
			return len(c.w.TicketIDs())
		},
		"another write": func(c *apiClient) int {
			c.doOK("POST", "/tickets", newTicket(c.w.ContactIDs("active")[0], nil))
			return len(c.w.TicketIDs()) - 1
		},
		"the state": func(c *apiClient) int { return toInt(c.doOK("GET", "/_emulator/state", nil)["tickets"]) },
	} {
		c := startWorkspace(t, emulator.Config{Contacts: 60, Conversations: 30, Knobs: emulator.Knobs{NoLag: true}})
		before := len(c.w.TicketIDs())
		c.doOK("POST", "/tickets/enqueue", newTicket(c.w.ContactIDs("active")[0], nil))
		c.w.Advance(5 * time.Minute)
		if got := ask(c); got != before+1 {
			t.Errorf("%s finds %d tickets, want %d", name, got, before+1)
		}
		c.sameTickets(t)
	}
}

// Section 3.1: a job fails when its contact is no longer active by then.
func TestContract3_1AJobFailsWhenItsContactIsInactive(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60, Conversations: 30})
	who, before := c.w.ContactIDs("active")[0], len(c.w.TicketIDs())
	job := c.doOK("POST", "/tickets/enqueue", newTicket(who, nil))
	failOn(t, c.w.ArchiveContact(who))
	c.w.Advance(time.Hour)
	job = c.doOK("GET", "/jobs/status/"+fmt.Sprint(job["id"]), nil)
	if job["status"] != "failed" || job["resource_id"] != nil || job["resource_url"] != nil || len(c.w.TicketIDs()) != before {
		t.Errorf("got %v and %d tickets", job, len(c.w.TicketIDs())-before)
	}
}

// Sections 4.11, 9: both forms of an update by version, and its author.
func TestContract9ATicketIsUpdatedInTheFormOfItsVersion(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, version string
		sent          m
		author        any      // of all added parts
		parts         []string // types of the added parts
		admin, team   any      // assignees after it
	}{
		{"attributes by the AI operator", "2.17", m{"ticket_attributes": m{"Größe": `"L"`, "Anzahl #": nil}}, "7000002", []string{"ticket_attribute_updated_by_admin", "ticket_attribute_updated_by_admin"}, "0", "0"},
		{"by an admin, assigned to another", "2.14", m{"ticket_attributes": m{"Größe": "S"}, "admin_id": 5, "assignee_id": "814861"}, "5", []string{"ticket_attribute_updated_by_admin", "assignment"}, "814861", nil},
		{"only assigned, to a team, by the AI operator", "2.14", m{"assignee_id": "814865"}, "7000002", []string{"assignment"}, nil, "814865"},
		{"assigned by round robin", "2.17", m{"admin_id": 814860, "assignee_id": "814866"}, "814860", []string{"assignment"}, "someone", "814866"},
		{"unassigned", "2.17", m{"admin_id": 814860, "assignee_id": "0"}, "814860", []string{"assignment"}, "0", "0"},
		{"moved to a state", "2.17", m{"admin_id": 5, "ticket_state_id": "3303"}, "5", []string{"ticket_state_updated_by_admin"}, "0", "0"},
		{"all at once", "2.17", m{"ticket_attributes": m{"Größe": "S"}, "ticket_state_id": 3302, "assignee_id": "5"}, "7000002", []string{"ticket_attribute_updated_by_admin", "ticket_state_updated_by_admin", "assignment"}, "5", "0"},
		{"nothing", "2.17", m{"admin_id": 814860}, nil, nil, "0", "0"},
		{"nested before 2.14", "2.13", m{"ticket_attributes": m{"Größe": "S"}, "assignment": m{"admin_id": "5", "assignee_id": "814861"}}, "5", []string{"ticket_attribute_updated_by_admin", "assignment"}, "814861", nil},
		{"nested without an admin", "2.13", m{"assignment": m{"assignee_id": "814865"}}, "7000002", []string{"assignment"}, nil, "814865"},
		{"flat before 2.14 is not known", "2.13", m{"ticket_attributes": m{"Größe": "S"}, "admin_id": 5, "assignee_id": "814861"}, "7000002", []string{"ticket_attribute_updated_by_admin"}, nil, nil},
	} {
		c, id := stillTicket(t, "1200")
		before := len(c.w.TicketPartIDs(id))
		c.version = row.version
		ticket := c.doOK("PUT", "/tickets/"+id, row.sent)
		added := ticketParts(ticket)[before:]
		kinds := []string{}
		for _, part := range added {
			kinds = append(kinds, fmt.Sprint(part["part_type"]))
			if fieldOf(part["author"], "id") != row.author {
				t.Errorf("%s: a part by %v", row.name, part["author"])
			}
		}
		if fmt.Sprint(kinds) != fmt.Sprint(row.parts) || (toInt(ticket["updated_at"]) == int(c.w.CurrentTime().Unix())) != (len(added) > 0) {
			t.Errorf("%s: %v, updated at %v", row.name, kinds, ticket["updated_at"])
		}
		if row.admin == "someone" {
			row.admin = lastPart(added)["admin_assignee_id"]
		}
		if fmt.Sprint(ticket["admin_assignee_id"]) != fmt.Sprint(row.admin) || fmt.Sprint(ticket["team_assignee_id"]) != fmt.Sprint(row.team) {
			t.Errorf("%s: assigned to %v and %v", row.name, ticket["admin_assignee_id"], ticket["team_assignee_id"])
		}
		if id := row.sent["ticket_state_id"]; id != nil && fieldOf(ticket["ticket_state"], "id") != fmt.Sprint(id) || ticket["open"] != (id != "3303") {
			t.Errorf("%s: in state %v, open: %v", row.name, ticket["ticket_state"], ticket["open"])
		}
		set, _ := row.sent["ticket_attributes"].(m)
		for name, want := range set {
			if got := fieldOf(ticket["ticket_attributes"], name); got != want {
				t.Errorf("%s: %s is %v", row.name, name, got)
			}
		}
		c.version = "2.17"
		c.sameTickets(t)
	}
}

// Section 4.11: a back-office ticket accepts comments while it is shared. Other tickets follow their category.
func TestContract4_11ABackOfficeTicketIsSharedByARequest(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60, Conversations: 60, Knobs: emulator.Knobs{NoLag: true}})
	who, comment := c.w.ContactIDs("active")[0], m{"message_type": "comment", "body": "x"}
	for kind, office := range map[string]bool{"1200": false, "1201": true, "1202": false} {
		ticket := c.doOK("POST", "/tickets", newTicket(who, m{"ticket_type_id": kind, "ticket_attributes": m{"Größe": "S"}}))
		path, shared := "/tickets/"+ticket["id"].(string), ticket["is_shared"].(bool)
		c.w.Advance(time.Minute)
		if same := c.doOK("PUT", path, m{"is_shared": shared}); fmt.Sprint(same) != fmt.Sprint(ticket) {
			t.Errorf("%s: nothing was said, and it is %v", kind, same)
		}
		for range 2 {
			shared = !shared
			r := c.do("PUT", path, m{"is_shared": shared, "ticket_attributes": m{"_default_title_": fmt.Sprint(shared)}})
			if !office {
				if r.status != 400 || r.errorCode() != "parameter_invalid" || !strings.Contains(string(r.raw), "is_shared must be left out") {
					t.Errorf("%s: %d %s", kind, r.status, r.raw)
				}
				break
			}
			takes := map[bool]int{true: 200, false: 400}[shared]
			if found := c.searchTickets(filterGroup("AND", fieldFilter("id", "=", ticket["id"]), fieldFilter("is_shared", "=", shared)), 5, ""); r.json["is_shared"] != shared ||
				c.do("POST", path+"/reply", comment).status != takes || found.totalCount() != 1 || fieldOf(r.json["ticket_attributes"], "_default_title_") != fmt.Sprint(shared) {
				t.Errorf("shared %t: %s", shared, r.raw)
			}
		}
	}
	c.sameTickets(t)
}

// Section 4.11: what a tracker, and a back-office ticket that is not shared, accept.
func TestContract4_11RepliesToTickets(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60, Conversations: 60, Knobs: emulator.Knobs{NoLag: true}})
	who := c.w.ContactIDs("active")[0]
	seen := map[string]bool{}
	for _, kind := range []string{"1200", "1201", "1201", "1202"} {
		ticket := c.doOK("POST", "/tickets", newTicket(who, m{"ticket_type_id": kind, "ticket_attributes": m{"Größe": "S"}}))
		name, path := fmt.Sprint(ticket["category"], " shared: ", ticket["is_shared"]), "/tickets/"+ticket["id"].(string)
		seen[name] = true
		for _, sent := range []m{{"message_type": "comment", "body": "<p>a"}, {"message_type": "comment", "body": "b", "type": "user", "contact_id": who}, {"message_type": "note", "body": "<i>c</i>", "admin_id": "5"}} {
			before := len(ticketParts(c.doOK("GET", path, nil)))
			r := c.do("POST", path+"/reply", sent)
			added := len(ticketParts(c.doOK("GET", path, nil))) - before
			if sent["message_type"] == "comment" && ticket["is_shared"] != true {
				if r.status != 400 || r.errorCode() != "parameter_invalid" || added != 0 || !strings.Contains(string(r.raw), `:"message_type must be note: no customer reads`) {
					t.Errorf("%s: a comment: %d %s", name, r.status, r.raw)
				}
				continue
			}
			part := lastPart(ticketParts(c.doOK("GET", path, nil)))
			if r.status != 200 || asText(t, r.json) != asText(t, part) || added != 1 || part["body"] != sent["body"] || part["part_type"] != sent["message_type"] {
				t.Errorf("%s: %v: %d %v", name, sent, r.status, part)
			}
		}
	}
	if len(seen) != 4 {
		t.Errorf("only %v", seen)
	}
	c.sameTickets(t)
}

// Sections 7, 4.11.
func TestContract7TicketsThatAreRefused(t *testing.T) {
	t.Parallel()
	c, id := stillTicket(t, "1200")
	gone, away := c.w.TicketIDs()[2], c.w.ContactIDs("archived")[0]
	failOn(t, c.w.DeleteTicket(gone))
	who, ticket := c.w.ContactIDs("active")[0], "/tickets/"+id
	list := []refusedWrite{
		{"no enqueueing before 2.14", "2.13", "POST", "/tickets/enqueue", newTicket(who, nil), 404, "not_found", ""},
		{"no such ticket", "", "POST", "/tickets/1/reply", m{"message_type": "note", "body": "x"}, 404, "not_found", "Ticket"},
		{"a deleted ticket", "", "POST", "/tickets/" + gone + "/reply", m{"message_type": "note", "body": "x"}, 404, "not_found", "Ticket"},
		{"no such ticket", "", "PUT", "/tickets/1", m{}, 404, "not_found", "Ticket"},
		{"no message_type", "", "POST", ticket + "/reply", m{"body": "x"}, 400, "parameter_not_found", "message_type"},
		{"a contact who takes no part", "", "POST", ticket + "/reply", m{"message_type": "comment", "type": "user", "contact_id": c.w.ContactIDs("active")[1], "body": "x"}, 404, "not_found", "User"},
		{"assignment is no longer supported", "2.14", "PUT", ticket, m{"ticket_attributes": m{"Größe": "S"}, "assignment": m{"admin_id": "5", "assignee_id": "5"}}, 400, "parameter_invalid", "assignment"},
		{"assignment is no longer supported", "", "PUT", ticket, m{"assignment": nil}, 400, "parameter_invalid", "assignment"},
		{"a missing admin", "2.14", "PUT", ticket, m{"ticket_attributes": m{"Größe": "S"}, "admin_id": 1}, 404, "not_found", "Admin"},
		{"an inaccessible admin", "", "PUT", ticket, m{"admin_id": 814801}, 404, "not_found", "Admin"},
		{"an admin who is the AI operator", "", "PUT", ticket, m{"admin_id": 7000002}, 404, "not_found", "Admin"},
		{"a missing admin, nested", "2.13", "PUT", ticket, m{"assignment": m{"admin_id": "1", "assignee_id": "5"}}, 404, "not_found", "Admin"},
		{"an assignment that is no object", "2.13", "PUT", ticket, m{"assignment": "5"}, 400, "parameter_invalid", "assignment"},
		{"a missing assignee", "", "PUT", ticket, m{"ticket_attributes": m{"Größe": "S"}, "assignee_id": "6"}, 404, "not_found", "Assignee"},
		{"no such state", "", "PUT", ticket, m{"ticket_attributes": m{"Größe": "S"}, "ticket_state_id": "1"}, 404, "not_found", "Ticket State"},
		{"a state that is archived", "", "PUT", ticket, m{"ticket_state_id": "3304"}, 400, "parameter_invalid", "ticket_state_id"},
		{"no such attribute", "", "PUT", ticket, m{"ticket_attributes": m{"Größe": "S", "nope": 1}, "assignee_id": "5"}, 400, "parameter_invalid", ":\"ticket_attributes.nope must be left out"},
		{"an attribute of another kind", "", "PUT", ticket, m{"ticket_attributes": m{"Anzahl #": "seven"}}, 400, "parameter_invalid", ":\"ticket_attributes.Anzahl # must be a whole number"},
		{"attributes that are no object", "", "PUT", ticket, m{"ticket_attributes": []int{}}, 400, "parameter_invalid", "ticket_attributes"},
	}
	for _, path := range []string{"/tickets", "/tickets/enqueue"} { // validated before enqueuing
		list = append(list, []refusedWrite{
			{"no type", "", "POST", path, newTicket(who, m{"ticket_type_id": nil}), 400, "parameter_not_found", "ticket_type_id"},
			{"no such type", "", "POST", path, newTicket(who, m{"ticket_type_id": "9"}), 404, "not_found", "Ticket Type"},
			{"a type that is archived", "", "POST", path, newTicket(who, m{"ticket_type_id": "1203"}), 400, "parameter_invalid", "ticket_type_id"},
			{"no contacts", "", "POST", path, newTicket(who, m{"contacts": nil}), 400, "parameter_not_found", "contacts"},
			{"contacts of nobody", "", "POST", path, newTicket(who, m{"contacts": []m{}}), 400, "parameter_invalid", "contacts"},
			{"a contact without a name", "", "POST", path, newTicket(who, m{"contacts": []m{{"id": who}, {}}}), 400, "parameter_not_found", "contacts[1]"},
			{"contacts that are texts", "", "POST", path, newTicket(who, m{"contacts": []any{who}}), 400, "parameter_invalid", "contacts"},
			{"a contact that is missing", "", "POST", path, newTicket("nobody", nil), 404, "not_found", "Contact"},
			{"a contact that is put away", "", "POST", path, newTicket(away, nil), 404, "not_found", "Contact"},
			{"an e-mail that nobody has", "", "POST", path, newTicket(who, m{"contacts": []m{{"email": "nobody@example.com"}}}), 404, "not_found", "Contact"},
			{"no attribute that is required", "", "POST", path, newTicket(who, m{"ticket_attributes": m{"_default_title_": "x"}}), 400, "parameter_not_found", "Größe"},
			{"no attributes at all", "", "POST", path, newTicket(who, m{"ticket_attributes": nil}), 400, "parameter_not_found", "Größe"},
			{"an attribute of another kind", "", "POST", path, newTicket(who, m{"ticket_attributes": m{"Größe": "XL"}}), 400, "parameter_invalid", ":\"ticket_attributes.Größe must be one of S, "},
			{"no such attribute", "", "POST", path, newTicket(who, m{"ticket_attributes": m{"Größe": "S", "due <date>": "x"}}), 400, "parameter_invalid", "due "},
			{"a missing assignee", "", "POST", path, newTicket(who, m{"assignment": m{"admin_assignee_id": "1"}}), 404, "not_found", "Admin"},
			{"a missing team", "", "POST", path, newTicket(who, m{"assignment": m{"admin_assignee_id": "5", "team_assignee_id": "5"}}), 404, "not_found", "Team"},
			{"an assignment that is no object", "", "POST", path, newTicket(who, m{"assignment": "5"}), 400, "parameter_invalid", "assignment"},
		}...)
	}
	c.checkRefused(t, list)
	if r := c.do("GET", "/tickets", nil); r.status != 405 {
		t.Errorf("GET /tickets: %d: only search lists tickets", r.status)
	}
}
