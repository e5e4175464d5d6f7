package emulator

import "aqueduck/internal/emulator/state/tickets"

var newTicketParams = []operationParam{{name: "type", kind: &textParam}, {name: "contact", kind: &textParam, optional: true},
	{name: "set", kind: &fieldsParam, optional: true}, {name: "exactly", kind: &flagParam, optional: true},
	{name: "teammate", kind: &wordParam, optional: true}, {name: "team", kind: &wordParam, optional: true}}

func (a operationArgs) newTicket() tickets.NewTicket {
	return tickets.NewTicket{Type: a.textArg("type"), Contacts: a.listArg("contact"), Set: a.changesArg("set"), Exactly: a.flagArg("exactly", false),
		Teammate: a.textArg("teammate"), Team: a.textArg("team")}
}

// addsTicketPart makes an operation that answers the id of the added part.
func addsTicketPart(do func(w *Workspace, id string, a operationArgs) error) func(w *Workspace, a operationArgs) (any, error) {
	return addsPartTo((*Workspace).TicketPartIDs, do)
}
