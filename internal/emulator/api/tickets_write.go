package api

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"aqueduck/internal/emulator/api/answer"
	"aqueduck/internal/emulator/apiversion"
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/input"
	"aqueduck/internal/emulator/state/conversations"
	"aqueduck/internal/emulator/state/core"
	"aqueduck/internal/emulator/state/tickets"
)

// createTicket serves POST /tickets (workspace-api 4.11).
func createTicket(w *Handlers, q *Request, b *input.Body) answer.Answer {
	return newTicket(w, q, b, "tickets.create", oneTicket)
}

// enqueueTicket serves POST /tickets/enqueue. A wrong request is refused at once, and the ticket exists when the job has succeeded (workspace-
// api 4.11).
func enqueueTicket(w *Handlers, q *Request, b *input.Body) answer.Answer {
	return newTicket(w, q, b, "tickets.enqueue", jobStatusOf)
}

// newTicket carries out an operation that creates a ticket, now or by a job. then builds the answer.
func newTicket(w *Handlers, q *Request, b *input.Body, operation string, then func(w *Handlers, q *Request) answer.Answer) answer.Answer {
	b.RequireFields("ticket_type_id", "contacts")
	kind, err := tickets.FindTicketType(w.Setup.Cast, b.ReadID("ticket_type_id"))
	if b.IsRefused() {
		return refusedBody(b)
	}
	if err != nil {
		return answer.NotFound("Ticket Type")
	}
	with := map[string]any{"type": w.Setup.Cast.TicketTypes[kind].ID, "set": newTicketAttributes(w.Setup.Cast, b, kind), "exactly": true}
	people := peopleOf(b, "contacts")
	if len(people) == 0 {
		b.RefuseField("contacts", "a list of at least one")
	}
	charge := conversations.Naming{}
	if in := b.ReadObject("assignment"); q.Version.AtLeast(apiversion.V214) {
		charge = conversations.Naming{Teammate: assigneeOf(in, "admin_assignee_id"), Team: assigneeOf(in, "team_assignee_id")}
	}
	if b.IsRefused() {
		return refusedBody(b)
	}
	who, missing := w.resolveContacts(people, charge)
	if missing != "" {
		return answer.NotFound(missing)
	}
	with["contact"] = strings.Join(who, " ")
	addTextParam(with, "teammate", charge.Teammate)
	addTextParam(with, "team", charge.Team)
	made, refused := w.performOperation(operation, with)
	if refused != nil {
		return *refused
	}
	q.ID = made["id"]
	return then(w, q)
}

// addTextParam adds a text to the parameters of an operation unless it is empty.
func addTextParam(with map[string]any, name, text string) {
	if text != "" {
		with[name] = text
	}
}

// newTicketAttributes reads the attributes of a new ticket. Those that its type requires must be there.
func newTicketAttributes(cast *event.Cast, b *input.Body, kind int) map[string]any {
	if cast.TicketTypes[kind].Archived {
		b.RefuseField("ticket_type_id", "of a type that is not archived")
	}
	in := b.ReadObject("ticket_attributes")
	for _, a := range cast.TicketTypes[kind].Attributes {
		if a.Required {
			in.RequireFields(a.Name)
		}
	}
	return ticketAttributesOf(cast, b, kind)
}

// ticketAttributesOf reads the values of a ticket's attributes.
func ticketAttributesOf(cast *event.Cast, b *input.Body, kind int) map[string]any {
	set, in := b.ReadValues("ticket_attributes"), b.ReadObject("ticket_attributes")
	for _, name := range slices.Sorted(maps.Keys(set)) {
		a, known := tickets.FindTicketAttribute(cast, kind, name)
		if !known {
			in.RefuseField(name, "left out: tickets of the type have no such attribute")
			continue
		}
		var value any
		dec := json.NewDecoder(bytes.NewReader(in.Fields[name]))
		dec.UseNumber()
		if dec.Decode(&value) != nil {
			in.RefuseField(name, tickets.TicketAttributeWanted(&a))
		} else if _, err := tickets.TicketAttributeRaw(&a, core.NumberOrValue(value)); err != nil {
			in.RefuseField(name, tickets.TicketAttributeWanted(&a))
		}
	}
	return set
}

// assigneeOf returns the id of the assignee in a field; "" is nobody.
func assigneeOf(b *input.Body, name string) string {
	if id := b.ReadID(name); id != core.Nobody {
		return id
	}
	return ""
}

// contactReference names a contact by id, external id or e-mail.
type contactReference struct{ id, external, email string }

// peopleOf reads a list of contact references.
func peopleOf(b *input.Body, name string) (list []contactReference) {
	for _, one := range b.ReadObjects(name) {
		one.RequireOneOf("id", "external_id", "email")
		list = append(list, contactReference{one.ReadID("id"), one.ReadText("external_id"), one.ReadText("email")})
	}
	return list
}

// resolveContacts returns the ids of active contacts without duplicates. missing names a contact or an assignee that does not exist.
func (w *Handlers) resolveContacts(people []contactReference, charge conversations.Naming) (ids []string, missing string) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	for _, one := range people {
		id := one.id
		if id == "" {
			id = w.FindByIdentity(one.external, one.email, func(*event.Contact) bool { return true })
		}
		if w.ActiveContact(id) == nil {
			return nil, "Contact"
		}
		ids = append(core.WithoutElement(ids, id), id)
	}
	if _, err := w.FindAdmin(charge.Teammate); charge.Teammate != "" && err != nil {
		return nil, "Admin"
	}
	if _, err := w.FindTeam(charge.Team); charge.Team != "" && err != nil {
		return nil, "Team"
	}
	return ids, ""
}

// replyToTicket serves POST /tickets/{id}/reply. Tickets that no customer reads accept only notes (workspace-api 4.11).
func replyToTicket(w *Handlers, q *Request, b *input.Body) answer.Answer {
	t := w.Tickets.LoadTicket(q.ID)
	if t == nil {
		return answer.NotFound("Ticket")
	}
	if b.ReadText("message_type") == "comment" && !t.TakesComments() {
		b.RefuseField("message_type", "note: no customer reads this ticket")
	}
	if refused := w.performReply(q, b, t.Conversation, "tickets.reply"); refused != nil {
		return *refused
	}
	t = w.Tickets.LoadTicket(q.ID)
	w.Mu.Lock()
	defer w.Mu.Unlock()
	render := w.ticketRenderer(q)
	return answer.OK(render.AppendLastPart(nil, t))
}

// changeTicket serves PUT /tickets/{id}: attributes, a state and an assignment, by an admin or by the AI operator. From 2.14 on the assignment
// stands in the body itself, before in an object inside it (workspace-api 4.11, 9).
func changeTicket(w *Handlers, q *Request, b *input.Body) answer.Answer {
	t := w.Tickets.LoadTicket(q.ID)
	if t == nil {
		return answer.NotFound("Ticket")
	}
	from := b
	if !q.Version.AtLeast(apiversion.V214) {
		from = b.ReadObject("assignment")
	} else if b.WasSent("assignment") {
		b.RefuseField("assignment", "left out: admin_id and assignee_id are fields of the body itself")
	}
	with := map[string]any{"id": q.ID, "set": ticketAttributesOf(w.Setup.Cast, b, t.Kind), "by": event.AIAgent.ID}
	if shared := b.ReadBool("is_shared"); b.HasValue("is_shared") && shared != t.Shared() {
		if with["share"] = shared; t.Category() != event.BackOfficeTicket {
			b.RefuseField("is_shared", "left out: only back-office tickets can be shared, or not")
		}
	}
	by, to, state := from.ReadID("admin_id"), from.ReadID("assignee_id"), b.ReadID("ticket_state_id")
	stage, noState := tickets.FindTicketState(w.Setup.Cast, state)
	if noState == nil && w.Setup.Cast.TicketStates[stage].Archived {
		b.RefuseField("ticket_state_id", "of a state that is not archived")
	}
	switch _, noAdmin := w.FindAdmin(by); {
	case b.IsRefused():
		return refusedBody(b)
	case by != "" && noAdmin != nil:
		return answer.NotFound("Admin")
	case state != "" && noState != nil:
		return answer.NotFound("Ticket State")
	}
	addTextParam(with, "by", by)
	addTextParam(with, "state", state)
	if to != "" {
		if refused := w.setAssignmentParams(with, "", to); refused != nil {
			return *refused
		}
	}
	if to == "" && state == "" && with["share"] == nil && len(with["set"].(map[string]any)) == 0 {
		return oneTicket(w, q)
	}
	if _, refused := w.performOperation("tickets.set", with); refused != nil {
		return *refused
	}
	return oneTicket(w, q)
}
