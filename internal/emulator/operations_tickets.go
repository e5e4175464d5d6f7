package emulator

import "aqueduck/internal/emulator/state/tickets"

var newTicketParams = []param{{name: "type", kind: &textParam}, {name: "contact", kind: &textParam, optional: true},
	{name: "set", kind: &fieldsParam, optional: true}, {name: "exactly", kind: &flagParam, optional: true},
	{name: "teammate", kind: &wordParam, optional: true}, {name: "team", kind: &wordParam, optional: true}}

func (a args) newTicket() tickets.NewTicket {
	return tickets.NewTicket{Type: a.text("type"), Contacts: a.list("contact"), Set: a.changes("set"), Exactly: a.flag("exactly", false),
		Teammate: a.text("teammate"), Team: a.text("team")}
}

// addsTicketPart answers the id of the part that was added.
func addsTicketPart(do func(w *Workspace, id string, a args) error) func(w *Workspace, a args) (any, error) {
	return addsPartTo((*Workspace).TicketPartIDs, do)
}
