package emulator_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/emulator/state/contacts"
	"aqueduck/internal/emulator/state/conversations"
	"aqueduck/internal/emulator/state/tickets"
)

// stillTicket is newStillClient with a ticket of a type that has a part.
func stillTicket(t *testing.T, kind string) (*apiClient, string) {
	t.Helper()
	c := startWorkspace(t, emulator.Config{Contacts: 60, Conversations: 60, Knobs: emulator.Knobs{NoLag: true}})
	id, err := c.w.CreateTicket(c.w.ContactIDs("active")[0], kind, emulator.FieldChange{Field: "_default_title_", Value: "Broken \"thing\""})
	failOn(t, err)
	failOn(t, c.w.ReplyTicket(id, conversations.ByNote, "<p>first</p>"))
	c.w.Advance(time.Hour)
	return c, id
}

// workspace-api 4.11: a job gives the address of its ticket.
func TestATicketIsReadByTheAddressOfItsJobUntilItIsDeleted(t *testing.T) {
	t.Parallel()
	c, id := stillTicket(t, "1200")
	listed, other := c.findTicket(id), c.w.TicketIDs()[0]
	if r := c.do("GET", "/tickets/"+id, nil); r.status != 200 || fmt.Sprint(r.json) != fmt.Sprint(listed) {
		t.Errorf("by its id: %d %s", r.status, r.raw)
	}
	failOn(t, c.w.DeleteTicket(id))
	if r := c.do("GET", "/tickets/"+id, nil); r.status != 404 || r.errorCode() != "not_found" {
		t.Errorf("deleted: %d %s", r.status, r.raw)
	}
	if found := c.searchTickets(fieldFilter("id", "=", id), 20, "").ticketItems(); len(found) != 0 {
		t.Errorf("search finds %v", found)
	}
	if r := c.do("GET", "/tickets/"+other, nil); r.status != 200 {
		t.Errorf("another one: %d", r.status)
	}
	if err := c.w.CloseTicket(id); !errors.Is(err, tickets.ErrNoTicket) {
		t.Errorf("it is closed: %v", err)
	}
	c.sameTickets(t)
}

// T58: each operation changes what is read, and moves updated_at or not as it says.
func TestEveryOperationChangesTheTicketAndMovesItOrNot(t *testing.T) {
	t.Parallel()
	var part string
	for _, test := range []struct {
		name  string
		moves bool
		do    func(w *emulator.Workspace, id string) error
	}{
		{"reply", true, func(w *emulator.Workspace, id string) error {
			return w.ReplyTicket(id, conversations.ByContact, "<p>x</p>")
		}},
		{"state", true, func(w *emulator.Workspace, id string) error { return w.SetTicketState(id, "3302") }},
		{"close", true, (*emulator.Workspace).CloseTicket},
		{"attribute", true, func(w *emulator.Workspace, id string) error { return w.SetTicketAttribute(id, "Anzahl #", 1234567) }},
		{"no attribute", true, func(w *emulator.Workspace, id string) error { return w.SetTicketAttribute(id, "_default_title_", nil) }},
		{"assign", true, func(w *emulator.Workspace, id string) error {
			return w.AssignTicket(id, emulator.AssignTeamAndTeammate)
		}},
		{"snooze", true, func(w *emulator.Workspace, id string) error { return w.SnoozeTicket(id, time.Unix(2_000_000_000, 0)) }},
		{"link", true, func(w *emulator.Workspace, id string) error { return w.LinkTicket(id, w.ConversationIDs()[3]) }},
		{"link to a ticket", true, func(w *emulator.Workspace, id string) error { return w.LinkTicket(id, w.TicketIDs()[3]) }},
		{"redact", true, func(w *emulator.Workspace, id string) error { return w.RedactTicketPart(id, part, true) }},
		{"redact quietly", false, func(w *emulator.Workspace, id string) error { return w.RedactTicketPart(id, part, false) }},
		{"mutate", false, func(w *emulator.Workspace, id string) error { return w.MutateTicketPart(id, part, emulator.RemoveTeam) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, id := stillTicket(t, "1200")
			part = c.w.TicketPartIDs(id)[0]
			before := c.findTicket(id)
			failOn(t, test.do(c.w, id))
			after := c.findTicket(id)
			if moved := fmt.Sprint(after["updated_at"]) != fmt.Sprint(before["updated_at"]); moved != test.moves {
				t.Errorf("updated_at moved: %t", moved)
			}
			if fmt.Sprint(after) == fmt.Sprint(before) {
				t.Error("nothing changed")
			}
			c.sameTickets(t)
		})
	}
}

// api-notes: the state and the open flag; workspace-api 2.10: the parts show their changes.
func TestATicketGoesThroughItsStates(t *testing.T) {
	t.Parallel()
	c, id := stillTicket(t, "1200")
	if one := c.findTicket(id); fieldOf(one["ticket_state"], "category") != "submitted" || fieldOf(one["ticket_attributes"], "_default_title_") != `Broken "thing"` ||
		one["open"] != true || one["category"] != "Customer" {
		t.Errorf("at first %v", one)
	}
	failOn(t, c.w.SetTicketAttribute(id, "Größe", `"L"`))
	failOn(t, c.w.CloseTicket(id))
	one := c.findTicket(id)
	list := ticketParts(one)
	size, done := list[len(list)-2], list[len(list)-1]
	if fieldOf(one["ticket_state"], "category") != "resolved" || one["open"] != false || done["previous_ticket_state"] != "submitted" || done["ticket_state"] != "resolved" {
		t.Errorf("then %v by %v", one["ticket_state"], done)
	}
	if fieldOf(one["ticket_attributes"], "Größe") != `"L"` || fieldOf(fieldOf(size["updated_attribute_data"], "attribute"), "id") != "12002" {
		t.Errorf("2.10: the size is %v, by %v", one["ticket_attributes"], size["updated_attribute_data"])
	}
	failOn(t, c.w.ReplyTicket(id, conversations.ByContact, "<p>not yet</p>"))
	if one = c.findTicket(id); one["open"] != true {
		t.Error("the customer's answer does not open it")
	}
}

// workspace-api 4.11: tickets that no customer reads accept only notes, also in simulated hours.
func TestATrackerAndABackOfficeTicketTakeOnlyNotes(t *testing.T) {
	t.Parallel()
	c, id := stillTicket(t, "1202")
	for _, by := range []conversations.Speaker{conversations.ByContact, conversations.ByTeammate, conversations.ByAI} {
		if c.w.ReplyTicket(id, by, "<p>x</p>") == nil {
			t.Errorf("%s comments on a tracker", by)
		}
	}
	c.w.SetKnobs(func(k *emulator.Knobs) { k.ChangeShare = 0.5 })
	c.w.SimulateHours(4)
	comments := map[any]int{}
	for _, ticket := range c.allTickets() {
		for _, part := range ticketParts(ticket) {
			if part["part_type"] == "comment" {
				comments[ticket["is_shared"]]++
			}
		}
	}
	if comments[false] != 0 || comments[true] == 0 {
		t.Errorf("comments by whether the ticket is shared: %v", comments)
	}
}

func TestATicketRefusesWhatDoesNotFit(t *testing.T) {
	t.Parallel()
	c, id := stillTicket(t, "1200")
	parts := len(c.w.TicketPartIDs(id))
	_, noType := c.w.CreateTicket("", "9", emulator.FieldChange{})
	_, noContact := c.w.CreateTicket("nobody", "1200")
	_, noValue := c.w.CreateTicket("", "1200", emulator.FieldChange{Field: "Anzahl #", Value: "many"})
	if noType == nil || noValue == nil || !errors.Is(noContact, contacts.ErrUnknown) {
		t.Errorf("created: %v, %v, %v", noType, noContact, noValue)
	}
	for name, err := range map[string]error{
		"a list has no such item": c.w.SetTicketAttribute(id, "Größe", "M"), "no such attribute": c.w.SetTicketAttribute(id, "Urgent?", true),
		"no such state": c.w.SetTicketState(id, "1"), "no such assignment": c.w.AssignTicket(id, 99), "no such part": c.w.RedactTicketPart(id, "1", true),
		"links nothing": c.w.LinkTicket(id, "1"), "nobody speaks": c.w.ReplyTicket(id, "wind", "x"), "no such ticket": c.w.CloseTicket(c.w.ConversationIDs()[0]),
	} {
		if err == nil {
			t.Errorf("%s: not refused", name)
		}
	}
	if len(c.w.TicketPartIDs(id)) != parts || c.w.TicketPartIDs("1") != nil {
		t.Error("what was refused added a part")
	}
	if r := c.do("GET", "/conversations/"+id, nil); r.status != 404 {
		t.Errorf("a ticket is read as a conversation: %d", r.status)
	}
}
