package oracle

import "aqueduck/internal/emulator/event"

// eachTicket yields the tickets that are not deleted.
func (o *Oracle) eachTicket(yield func(t *replayedThread) bool) {
	groupByRecord(o.log.Tickets, func(opened *event.ThreadEvent, since []*event.ThreadEvent, gone bool) bool {
		return gone || yield(replayThread(event.TicketID(opened.Num), opened, o.log.Facts.Ticket(opened), since))
	})
}

// ticketRows yields a row for every ticket in the form of the later version.
func ticketRows(o *Oracle, yield func(Row) bool) {
	o.eachTicket(func(t *replayedThread) bool {
		kind, state, attrs := o.log.Cast.TicketTypes[t.Kind], o.log.Cast.TicketStates[event.TicketSubmitted], t.Attrs
		for i := range t.parts {
			switch change := t.parts[i].Ticket; {
			case change == nil:
			case change.Moved:
				state = o.log.Cast.TicketStates[change.To]
			default:
				attrs = setAttribute(attrs, change.Attribute.Name, change.Attribute.Raw)
			}
		}
		standing := Row{}
		t.fillStanding(standing)
		row := Row{"id": t.ID, "number": event.TicketNumber(t.Num), "category": kind.Category, "ticket_type_id": kind.ID, "ticket_type_name": kind.Name,
			"ticket_state_id": state.ID, "ticket_state_category": state.Category, "ticket_state_internal_label": state.Internal,
			"ticket_state_external_label": state.External, "created_at": t.created, "updated_at": t.updated, "open": standing["open"],
			"snoozed_until": orNull(standing["snoozed_until"]), "is_shared": t.isCustomerVisible(kind.Category), "part_count": int64(len(t.parts)),
			"ticket_attributes": jsonAttributes(attrs)}
		row["admin_assignee_id"], row["team_assignee_id"] = t.assigneesNow()
		return yield(row)
	})
}

// isCustomerVisible reports whether the customer sees a ticket: customer tickets always, back-office tickets when they were shared explicitly
// or, if never set, every second one.
func (t *replayedThread) isCustomerVisible(category string) bool {
	switch {
	case t.shared != nil:
		return *t.shared
	case category == event.BackOfficeTicket:
		return t.Num%2 == 0
	}
	return category == event.CustomerTicket
}

// ofTickets yields the child rows of each ticket.
func ofTickets(rows func(t *replayedThread, o *Oracle) []Row) func(o *Oracle, yield func(Row) bool) {
	return func(o *Oracle, yield func(Row) bool) {
		o.eachTicket(func(t *replayedThread) bool {
			for _, row := range rows(t, o) {
				if row["ticket_id"] = t.ID; !yield(row) {
					return false
				}
			}
			return true
		})
	}
}

// ticketPartRows returns the parts of a ticket with the change of each, without the columns that only parts of conversations have.
func ticketPartRows(t *replayedThread, o *Oracle) []Row {
	rows := t.partRows(o)
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
			row["previous_ticket_state"], row["ticket_state"] = o.log.Cast.TicketStates[change.From].Category, o.log.Cast.TicketStates[change.To].Category
		default:
			row["updated_attribute_id"], row["updated_attribute_name"] = change.AttributeID, change.Attribute.Name
			row["updated_attribute_value"] = orNull(change.Attribute.Raw)
		}
	}
	return rows
}
