package emulator_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
)

func (c *apiClient) searchTickets(query any, per int, after string) apiReply {
	c.t.Helper()
	page := m{"per_page": per}
	if after != "" {
		page["starting_after"] = after
	}
	return c.do("POST", "/tickets/search", m{"query": query, "pagination": page, "sort": m{"field": "updated_at", "order": "ascending"}})
}

// ticketItems returns the tickets of a reply.
func (r apiReply) ticketItems() []map[string]any { return itemsAt(r.json, "tickets") }

// allTickets walks a search to its end.
func (c *apiClient) allTickets() []map[string]any {
	c.t.Helper()
	var all []map[string]any
	for after := ""; ; {
		r := c.searchTickets(updatedSince(0), 150, after)
		if r.status != 200 || r.json["type"] != "ticket.list" {
			c.t.Fatalf("search: %d %s", r.status, r.raw)
		}
		all = append(all, r.ticketItems()...)
		if after, _ = r.nextPage()["starting_after"].(string); after == "" {
			return all
		}
	}
}

// findTicket returns the ticket with an id.
func (c *apiClient) findTicket(id string) map[string]any {
	c.t.Helper()
	found := c.searchTickets(fieldFilter("id", "=", id), 20, "").ticketItems()
	if len(found) != 1 {
		c.t.Fatalf("search finds %d of %s", len(found), id)
	}
	return found[0]
}

func ticketParts(ticket map[string]any) []map[string]any {
	return itemsAt(ticket, "ticket_parts", "ticket_parts")
}

// flatTicket converts a ticket as the later version sends it to the columns of the oracle.
func flatTicket(ticket map[string]any) map[string]any {
	row := m{"number": ticket["ticket_id"], "ticket_attributes": jsonText(ticket["ticket_attributes"]),
		"part_count": fieldOf(ticket["ticket_parts"], "total_count")}
	putFields(row, "", ticket, "id", "category", "admin_assignee_id", "team_assignee_id", "created_at", "updated_at", "open", "snoozed_until", "is_shared")
	putFields(row, "ticket_type_", ticket["ticket_type"], "id", "name")
	putFields(row, "ticket_state_", ticket["ticket_state"], "id", "category", "internal_label", "external_label")
	return row
}

func flatTicketPart(part map[string]any) map[string]any {
	row := flatPart(part)
	for _, column := range []string{"state", "metadata", "call_id", "event_details", "event_type", "event_data"} {
		delete(row, column)
	}
	putFields(row, "", part, "previous_ticket_state", "ticket_state")
	putFields(row, "updated_attribute_", fieldOf(part["updated_attribute_data"], "attribute"), "id")
	row["updated_attribute_name"] = fieldOf(fieldOf(part["updated_attribute_data"], "attribute"), "label")
	row["updated_attribute_value"] = jsonText(fieldOf(fieldOf(part["updated_attribute_data"], "value"), "label"))
	return row
}

// ticketTables returns the rows of every table of tickets as they are served.
func ticketTables(tickets []map[string]any) map[string][]map[string]any {
	rows := map[string][]map[string]any{}
	for _, ticket := range tickets {
		add := func(table string, row map[string]any) {
			row["ticket_id"] = ticket["id"]
			rows[table] = append(rows[table], row)
		}
		rows["tickets"] = append(rows["tickets"], flatTicket(ticket))
		for _, item := range itemsAt(ticket, "contacts", "contacts") {
			add("ticket_contacts", m{"contact_id": item["id"], "external_id": item["external_id"]})
		}
		for _, item := range itemsAt(ticket, "linked_objects", "data") {
			add("ticket_linked_objects", m{"object_type": item["type"], "object_id": item["id"], "category": item["category"]})
		}
		for _, part := range ticketParts(ticket) {
			add("ticket_parts", flatTicketPart(part))
			for i, item := range itemsAt(part, "attachments") {
				row := flatFile(item, i)
				row["part_id"], row["readable"] = part["id"], true
				add("ticket_attachments", row)
			}
		}
	}
	return rows
}

// sameTickets compares everything served of tickets with the oracle.
func (c *apiClient) sameTickets(t *testing.T) {
	t.Helper()
	served := ticketTables(c.allTickets())
	for _, table := range []string{"tickets", "ticket_parts", "ticket_attachments", "ticket_contacts", "ticket_linked_objects"} {
		if len(served[table]) == 0 {
			t.Errorf("%s has no row", table)
		}
		var want []map[string]any
		for _, row := range c.w.Oracle(table) {
			if raw, set := row["updated_attribute_value"].(string); set {
				var escaped bytes.Buffer
				json.HTMLEscape(&escaped, []byte(raw)) // escaped like the served text in jsonText
				row["updated_attribute_value"] = escaped.String()
			}
			if row["readable"] != false {
				want = append(want, row)
			}
		}
		sameRows(t, table, served[table], sameJSON(want))
	}
}

// api-notes (tickets), workspace-api 2.10.
func TestTicketsAreServedAsTheOracleSaysAfterEveryHour(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Seed: 7, Contacts: 60, Conversations: 60, Tickets: 80, Knobs: emulator.Knobs{ChangeShare: 0.4, PartsCap: 12}})
	before := len(c.w.Oracle("tickets"))
	for hour := range 5 {
		c.w.SimulateHours(min(hour, 1))
		if c.sameTickets(t); t.Failed() {
			t.Fatalf("after hour %d", hour)
		}
	}
	redacted := 0
	for _, row := range c.w.Oracle("ticket_parts") {
		if row["redacted"] == true {
			redacted++
		}
	}
	if len(c.w.Oracle("tickets")) == before || redacted == 0 {
		t.Errorf("%d tickets became %d, %d parts were redacted", before, len(c.w.Oracle("tickets")), redacted)
	}
}

// The demo has a third as many tickets as conversations, of every type, category and state, and no number twice among both.
func TestTicketsOfEveryKindShareTheNumbersOfConversations(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 300, Conversations: 300})
	talks, seen := map[any]bool{}, map[any]int{}
	for _, id := range c.w.ConversationIDs() {
		talks[id] = true
	}
	tickets := c.allTickets()
	for _, ticket := range tickets {
		if talks[ticket["id"]] || len(ticket["id"].(string)) != len("215470000000000") || ticket["id"] == ticket["ticket_id"] {
			t.Errorf("id %v, shown as %v", ticket["id"], ticket["ticket_id"])
		}
		kind := ticket["ticket_type"].(map[string]any)
		if kind["category"] != ticket["category"] {
			t.Errorf("a ticket of the category %v has a type of %v", ticket["category"], kind["category"])
		}
		names := map[any]bool{}
		for _, a := range itemsAt(kind, "ticket_type_attributes", "data") {
			names[a["name"]] = true
		}
		for name := range ticket["ticket_attributes"].(map[string]any) {
			if !names[name] {
				t.Errorf("attribute %q is not of type %v", name, kind["name"])
			}
		}
		seen[kind["id"]]++
		seen[ticket["category"]]++
		seen[fieldOf(ticket["ticket_state"], "id")]++
		seen[ticket["open"]]++
		seen[ticket["is_shared"]]++
	}
	for _, want := range []any{"1200", "1201", "1202", "1203", "Customer", "Back-office", "Tracker", "3300", "3301", "3302", "3303", "3304", true, false} {
		if seen[want] == 0 {
			t.Errorf("no ticket has %v", want)
		}
	}
	if len(tickets) != 100 || emulator.New(emulator.Config{Contacts: 50, Tickets: -1}).CurrentState().Tickets != 0 {
		t.Errorf("%d tickets for 300 conversations, or some where none are wanted", len(tickets))
	}
}

// workspace-api 4.1 (operators), api-notes (page sizes).
func TestTicketSearchHasTheGrammarOfContactSearch(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 200, Conversations: 300})
	all := c.allTickets()
	some := all[11]
	for _, query := range []m{
		fieldFilter("id", "=", some["id"]), fieldFilter("ticket_id", "=", some["ticket_id"]), fieldFilter("category", "=", "Tracker"), fieldFilter("ticket_type_id", "IN", []string{"1200", "1203"}),
		fieldFilter("state", "!=", "resolved"), fieldFilter("ticket_state_id", "=", "3301"), fieldFilter("open", "=", true), fieldFilter("is_shared", "=", false),
		fieldFilter("admin_assignee_id", ">=", 1), fieldFilter("team_assignee_id", "=", 814865), fieldFilter("created_at", ">", toInt(some["created_at"])),
		fieldFilter("ticket_attribute.12002", "=", "S"), fieldFilter("ticket_attribute.12001", "~", "a"), fieldFilter("ticket_attribute.12003", "=", 7),
		filterGroup("AND", fieldFilter("category", "=", "Customer"), filterGroup("OR", fieldFilter("state", "^", "res"), fieldFilter("open", "=", true))),
	} {
		if r := c.searchTickets(query, 150, ""); r.status != 200 || len(r.ticketItems()) == len(all) || len(r.ticketItems()) == 0 && query["field"] != "ticket_attribute.12003" {
			t.Errorf("%v: %d with %d of %d", query, r.status, len(r.ticketItems()), len(all))
		}
	}
	for _, query := range []m{fieldFilter("created_at", ">=", 1), fieldFilter("created_at", "IN", []int{1}), fieldFilter("email", "=", "x"), fieldFilter("admin_assignee_id", "=", "5"),
		fieldFilter("custom_attributes.x", "=", "y"), fieldFilter("category", ">", "a"), fieldFilter("open", "=", 1)} {
		if r := c.searchTickets(query, 20, ""); r.status != 400 {
			t.Errorf("%v: %d, want 400", query, r.status)
		}
	}
	if r := c.do("POST", "/tickets/search", m{"query": updatedSince(0)}); len(r.ticketItems()) != 20 || r.totalCount() != len(all) {
		t.Errorf("%d of %d on a page that does not say how many", len(r.ticketItems()), r.totalCount())
	}
	if r := c.searchTickets(updatedSince(0), 151, ""); r.status != 400 {
		t.Errorf("151 a page: %d", r.status)
	}
}

func TestT13ConversationCursorIsRefusedForTickets(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 200, Conversations: 100})
	token := c.searchTalks(updatedSince(0), 10, "").nextPage()["starting_after"].(string)
	if r := c.searchTickets(updatedSince(0), 10, token); r.status != 400 || r.errorCode() != "client_error" {
		t.Errorf("got %d %s", r.status, r.errorCode())
	}
}

// Both readings of each open question about tickets.
func TestTicketsComeInTheFormsThatTheKnobsAskFor(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, version, key string
		state              emulator.Occurrence
		text, changes      bool
	}{
		{"the later version", "2.17", "", emulator.ByTurns, false, true},
		{"2.16: the state is text", "2.16", "", emulator.ByTurns, true, true},
		{"2.13: no updated_attribute_data (2.10)", "2.13", "", emulator.ByTurns, true, false},
		{"text in the later version too", "2.17", "data", emulator.Always, true, true},
		{"an object in older ones too", "2.14", "data", emulator.Never, false, true},
	} {
		c := startWorkspace(t, emulator.Config{Contacts: 100, Conversations: 150, Knobs: emulator.Knobs{TicketsKey: test.key, TicketStateText: test.state}})
		c.version = test.version
		r := c.searchTickets(updatedSince(0), 150, "")
		list := append(r.ticketItems(), r.dataItems()...)
		if _, named := r.json["tickets"]; named == (test.key != "") || len(list) != 50 {
			t.Errorf("%s: %d tickets, under tickets: %t", test.name, len(list), named)
		}
		changes := false
		for _, ticket := range list {
			if _, text := ticket["ticket_state"].(string); text != test.text {
				t.Fatalf("%s: the state is %v", test.name, ticket["ticket_state"])
			}
			for _, part := range ticketParts(ticket) {
				changes = changes || fieldOf(part["updated_attribute_data"], "attribute") != nil
			}
		}
		if changes != test.changes {
			t.Errorf("%s: parts tell changed attributes: %t", test.name, changes)
		}
	}
}

func TestT57SearchGivesTheNewestPartsOfATicketAndTheirTrueNumber(t *testing.T) {
	t.Parallel()
	for knob, most := range map[int]int{0: 500, 7: 7} {
		c := startWorkspace(t, emulator.Config{Contacts: 60, Conversations: 90, Knobs: emulator.Knobs{PartsCap: knob}})
		cut := 0
		for _, ticket := range c.allTickets() {
			sent, total := ticketParts(ticket), toInt(fieldOf(ticket["ticket_parts"], "total_count"))
			if len(sent) != min(total, most) {
				t.Fatalf("%d of %d parts sent", len(sent), total)
			}
			if total > most {
				cut++
			}
			if total > 0 && toInt(sent[len(sent)-1]["created_at"]) != toInt(ticket["updated_at"]) {
				t.Errorf("the newest part of %v is missing", ticket["id"])
			}
		}
		if cut == 0 {
			t.Errorf("no ticket has more than %d parts", most)
		}
	}
}

// workspace-api 2.10: the same table as for conversations.
func TestT61PartsOfTicketsHaveEveryRowOfTheAssignmentTable(t *testing.T) {
	t.Parallel()
	for omit, want := range map[bool]string{false: "null", true: "absent"} {
		c := startWorkspace(t, emulator.Config{Contacts: 100, Conversations: 300, Knobs: emulator.Knobs{OmitEmpty: omit}})
		seen := map[string]bool{}
		for _, ticket := range c.allTickets() {
			for _, part := range ticketParts(ticket) {
				seen[describeAssignment(part)] = true
			}
		}
		for _, row := range []string{"admin id id", "admin id null", "team null id", "bot id null", "nobody_admin null 0", "nobody_admin 0 null",
			"nobody_admin null null", "null null null"} {
			if row = strings.ReplaceAll(row, "null", want); !seen[row] {
				t.Errorf("no part has %s", row)
			}
			delete(seen, row)
		}
		if len(seen) > 0 {
			t.Errorf("also %v", seen)
		}
	}
}

func TestT6LaggingIndexFindsATicketLater(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60, Knobs: emulator.Knobs{LagMax: 30 * time.Minute}})
	id, err := c.w.CreateTicket(c.w.ContactIDs("active")[0], "1200")
	failOn(t, err)
	if n := len(c.searchTickets(fieldFilter("id", "=", id), 20, "").ticketItems()); n != 0 {
		t.Error("search is not late")
	}
	c.w.Advance(time.Hour)
	if c.findTicket(id)["id"] != id {
		t.Error("search never finds it")
	}
}

func TestTheSameSeedAndHoursGiveTheSameTickets(t *testing.T) {
	t.Parallel()
	rows := func(seed uint64, tickets int) (own, others string) {
		w := emulator.New(emulator.Config{Seed: seed, Contacts: 100, Tickets: tickets, Knobs: emulator.Knobs{ChangeShare: 0.2}})
		w.SimulateHours(4)
		return fmt.Sprint(comparableRows(w.Oracle("tickets")), comparableRows(w.Oracle("ticket_parts"))),
			fmt.Sprint(comparableRows(w.Oracle("contacts")), comparableRows(w.Oracle("conversations")), comparableRows(w.Oracle("conversation_parts")))
	}
	first, others := rows(3, 40)
	if again, _ := rows(3, 40); again != first {
		t.Error("two workspaces of one seed differ")
	}
	if other, _ := rows(4, 40); other == first {
		t.Error("another seed gives the same")
	}
	if _, without := rows(3, -1); without != others {
		t.Error("tickets move what happens to contacts and conversations")
	}
}
