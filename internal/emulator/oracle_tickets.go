package emulator

import (
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/jsontext"
	"aqueduck/internal/emulator/population"
)

// ticketTales tells ticket by ticket, with the type that each was opened with.
func (o *oracle) ticketTales(yield func(t *told, kind int) bool) {
	tellings(o.tickets, func(opened *event.ThreadEvent, since []*event.ThreadEvent) bool {
		return yield(tale(o.ticketing.Begin(opened), event.TicketID(opened.Num), opened, since), int(opened.Place))
	})
}

// ticketRows gives a row for every ticket, as the later version sends it.
func (o *oracle) ticketRows(yield func(map[string]any) bool) {
	states := ticketStates()
	o.ticketTales(func(t *told, kind int) bool {
		stage, attrs := 0, t.Attrs
		for i := range t.parts {
			switch change := t.parts[i].Ticket; {
			case change == nil:
			case change.Moved:
				stage = change.To
			default:
				attrs = population.SetAttribute(attrs, change.Attribute.Name, change.Attribute.Raw)
			}
		}
		standing, state := map[string]any{}, states[stage].row()
		t.standing(standing)
		row := map[string]any{"id": t.ID, "number": event.TicketNumber(t.Num), "category": event.TicketTypes[kind].Category, "ticket_type_id": event.TicketTypes[kind].ID,
			"ticket_type_name": event.TicketTypes[kind].Name, "ticket_state_id": state["id"], "ticket_state_category": state["category"],
			"ticket_state_internal_label": state["internal_label"], "ticket_state_external_label": state["external_label"],
			"created_at": t.created, "updated_at": t.updated, "open": standing["open"], "snoozed_until": orNull(standing["snoozed_until"]),
			"is_shared": kind%3 == 0 || kind%3 == 1 && t.Num%2 == 0, "part_count": int64(len(t.parts))}
		p := &jsontext.Writer{}
		p.Bytes = append(p.Bytes, '{')
		p.Attrs("ticket_attributes", attrs)
		row["ticket_attributes"] = string(p.Bytes[len(`{"ticket_attributes":`):])
		if t.shared != nil {
			row["is_shared"] = *t.shared
		}
		row["admin_assignee_id"], row["team_assignee_id"] = t.incharge()
		return yield(row)
	})
}

// ticketList tells the rows of a list of each ticket.
func ticketList(rows func(o *oracle, t *told) []map[string]any) func(o *oracle, yield func(map[string]any) bool) {
	return func(o *oracle, yield func(map[string]any) bool) {
		o.ticketTales(func(t *told, _ int) bool {
			for _, row := range rows(o, t) {
				if row["ticket_id"] = t.ID; !yield(row) {
					return false
				}
			}
			return true
		})
	}
}

// ticketParts are the parts of a ticket with what each did to it, without what only those of conversations tell.
func (t *told) ticketParts(readable int) []map[string]any {
	rows := t.partRows(readable)
	for i, row := range rows {
		for _, column := range []string{"state", "metadata", "call_id", "event_details", "event_type", "event_data"} {
			delete(row, column)
		}
		for _, column := range []string{"previous_ticket_state", "ticket_state", "updated_attribute_id", "updated_attribute_name", "updated_attribute_value"} {
			row[column] = nil
		}
		switch change := t.parts[i].Ticket; {
		case change == nil:
		case change.Moved:
			row["previous_ticket_state"], row["ticket_state"] = event.TicketStates[change.From].Category, event.TicketStates[change.To].Category
		default:
			row["updated_attribute_id"], row["updated_attribute_name"] = change.AttributeID, change.Attribute.Name
			row["updated_attribute_value"] = orNull(change.Attribute.Raw)
		}
	}
	return rows
}
