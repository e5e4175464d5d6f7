package emulator

import (
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/jsontext"
	"aqueduck/internal/emulator/knobs"
)

// ticketPart is what the parts of tickets are called.
const ticketPart = "ticket_part"

// ticketRenderer is what an answer about tickets depends on beside the tickets.
type ticketRenderer struct {
	convRenderer
	types  []record
	states []record
	asText bool // the state is text
}

func (w *server) ticketRenderer(q *request) ticketRenderer {
	asText := !q.version.later()
	if how := w.k().TicketStateText; how != knobs.ByTurns {
		asText = how == knobs.Always
	}
	return ticketRenderer{w.convRenderer(q), ticketTypes(w.cfg.Start.Unix(), w.workspace), ticketStates(), asText}
}

// searchTickets is POST /tickets/search: as contact search, 20 a page and at most 150, with the newest parts of each ticket
// (api-notes, Lists that the document uses but does not describe).
func searchTickets(w *server, q *request) answer {
	key := w.k().TicketsKey
	if key == "" {
		key = "tickets"
	}
	return w.searchThreads(q, &w.ticketIdx, [2]string{"ticket.list", key}, func() func(b []byte, e *edition) []byte {
		render, from := w.ticketRenderer(q), w.ticketDrawer()
		return func(b []byte, e *edition) []byte { return render.ticket(b, from.draw(e)) }
	})
}

// oneTicket is GET /tickets/{id}, the address that a job gives of the ticket it made (workspace-api 4.11): as search has it.
func oneTicket(w *server, q *request) answer {
	w.mu.Lock()
	num, err := w.ticketNamed(q.id)
	if err != nil {
		w.mu.Unlock()
		return notFound("Ticket")
	}
	e := w.ticketList[num].now
	render, from := w.ticketRenderer(q), w.ticketDrawer()
	w.mu.Unlock()
	return ok(render.ticket(nil, from.draw(e)))
}

// ticket adds one with the fields of api-notes to a list.
func (r *ticketRenderer) ticket(b []byte, t *ticket) []byte {
	p := &jsontext.Writer{Bytes: b}
	p.Open("")
	p.Text("type", "ticket")
	p.Text("id", t.ID)
	p.Text("ticket_id", event.TicketNumber(t.num))
	p.Text("category", t.category())
	p.Attrs("ticket_attributes", t.Attrs)
	if r.asText {
		p.Text("ticket_state", event.TicketStates[t.stage].Category)
	} else {
		p.Key("ticket_state")
		writeRecord(p, r.states[t.stage][:ticketStateShown])
	}
	p.Key("ticket_type")
	writeRecord(p, r.types[t.kind])
	r.contacts(p, t.conversation)
	r.assignee(p, "admin_assignee_id", t.Admin)
	r.assignee(p, "team_assignee_id", t.Team)
	p.Time("created_at", t.Created)
	p.Time("updated_at", t.Updated)
	p.Flag("open", t.State != "closed")
	p.Time("snoozed_until", t.Snoozed)
	r.linked(p, t.conversation)
	p.Flag("is_shared", t.shared())
	r.partList(p, t.conversation, ticketPart)
	p.Close()
	return p.Bytes
}

// ticketStateShown is how many fields of a state a ticket shows: the others are for the list of states.
const ticketStateShown = 5

// ticketChange writes what a part did to its ticket; what was set is of 2.14 (workspace-api 2.10).
func (r *convRenderer) ticketChange(p *jsontext.Writer, c *event.TicketChange) {
	if c != nil && c.Moved {
		p.Text("previous_ticket_state", event.TicketStates[c.From].Category)
		p.Text("ticket_state", event.TicketStates[c.To].Category)
	} else {
		p.Null("previous_ticket_state")
		p.Null("ticket_state")
	}
	switch {
	case !r.version.atLeast(v214):
	case c == nil || c.Attribute == nil:
		p.Null("updated_attribute_data")
	default:
		p.Open("updated_attribute_data")
		p.Open("attribute")
		p.Text("type", "attribute")
		p.Text("id", c.AttributeID)
		p.Text("label", c.Attribute.Name)
		p.Close()
		p.Open("value")
		p.Text("type", "value")
		p.Raw("label", c.Attribute.Raw)
		p.Close()
		p.Close()
	}
}
