package render

import (
	"aqueduck/internal/emulator/apiversion"
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/jsontext"
	"aqueduck/internal/emulator/state/tickets"
)

// ticketPart is the type of the parts of tickets.
const ticketPart = "ticket_part"

// Tickets has the settings that answers about tickets depend on.
type Tickets struct {
	Conversations
	Types  []jsontext.Record
	States []jsontext.Record
	AsText bool // the state is text
}

// AppendTicket writes a ticket with the fields of api-notes.
func (r *Tickets) AppendTicket(b []byte, t *tickets.Ticket) []byte {
	p := &jsontext.Writer{Bytes: b}
	p.Open("")
	p.TextOrNull("type", "ticket")
	p.TextOrNull("id", t.ID)
	p.TextOrNull("ticket_id", event.TicketNumber(t.Num))
	p.TextOrNull("category", t.Category())
	p.WriteAttributes("ticket_attributes", t.Attrs)
	if r.AsText {
		p.TextOrNull("ticket_state", r.Companies.Cast.TicketStates[t.Stage].Category)
	} else {
		p.WriteKey("ticket_state")
		jsontext.WriteRecord(p, r.States[t.Stage][:ticketStateShown])
	}
	p.WriteKey("ticket_type")
	jsontext.WriteRecord(p, r.Types[t.Kind])
	r.writeContacts(p, t.Conversation)
	r.writeAssignee(p, "admin_assignee_id", t.Admin)
	r.writeAssignee(p, "team_assignee_id", t.Team)
	p.TimeOrNull("created_at", t.Created)
	p.TimeOrNull("updated_at", t.Updated)
	p.Bool("open", t.State != "closed")
	p.TimeOrNull("snoozed_until", t.Snoozed)
	r.writeLinkedObjects(p, t.Conversation)
	p.Bool("is_shared", t.Shared())
	r.partList(p, t.Conversation, ticketPart)
	p.Close()
	return p.Bytes
}

// AppendLastPart writes the newest part of a ticket.
func (r *Tickets) AppendLastPart(b []byte, t *tickets.Ticket) []byte {
	p := &jsontext.Writer{Bytes: b}
	r.writePart(p, &t.Parts[len(t.Parts)-1], ticketPart)
	return p.Bytes
}

// ticketStateShown is how many fields of a state a ticket contains. The list of states has the others.
const ticketStateShown = 5

// ticketChange writes the change that a part made to its ticket. The changed attribute came with 2.14 (workspace-api 2.10).
func (r *Conversations) ticketChange(p *jsontext.Writer, c *event.TicketChange) {
	if c != nil && c.Moved {
		p.TextOrNull("previous_ticket_state", r.Companies.Cast.TicketStates[c.From].Category)
		p.TextOrNull("ticket_state", r.Companies.Cast.TicketStates[c.To].Category)
	} else {
		p.Null("previous_ticket_state")
		p.Null("ticket_state")
	}
	switch {
	case !r.Version.AtLeast(apiversion.V214):
	case c == nil || c.Attribute == nil:
		p.Null("updated_attribute_data")
	default:
		p.Open("updated_attribute_data")
		p.Open("attribute")
		p.TextOrNull("type", "attribute")
		p.TextOrNull("id", c.AttributeID)
		p.TextOrNull("label", c.Attribute.Name)
		p.Close()
		p.Open("value")
		p.TextOrNull("type", "value")
		p.RawOrNull("label", c.Attribute.Raw)
		p.Close()
		p.Close()
	}
}
