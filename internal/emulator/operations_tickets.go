package emulator

import "aqueduck/internal/emulator/event"

var ofTickets = []operation{
	{"tickets.create", newTicketParams,
		"A ticket of a type is opened, about contacts, whose ids have spaces between them, or about nobody; `set` names attributes of the type, " +
			"with `exactly` it has no others. It is assigned to those named. Answers its id.",
		func(w *Workspace, a args) (any, error) { return ofID(w.WriteTicket(a.newTicket())) }},
	{"tickets.enqueue", append(newTicketParams, param{name: "pending", kind: &spanParam, optional: true}, param{name: "working", kind: &spanParam, optional: true}),
		"A job is pending so long, works so long, a minute and four unless told otherwise, and then the ticket is opened, or fails when it cannot be. Answers the job's id.",
		func(w *Workspace, a args) (any, error) {
			return ofID(w.EnqueueTicket(a.newTicket(), a.span("pending"), a.span("working")))
		}},
	{"tickets.reply", replyParams, "Adds a comment, or a teammate's note, as in conversations; where no customer reads only a note is accepted. Answers the part's id.",
		addsTicketPart(replies((*Workspace).ReplyTicketAs, (*Workspace).ReplyTicket))},
	{"tickets.state", []param{idParam, {name: "state", kind: &textParam}}, "Moves it to a state, by the state's id; what is resolved is closed. Answers the part's id.",
		addsTicketPart(func(w *Workspace, id string, a args) error { return w.SetTicketState(id, a.text("state")) })},
	{"tickets.close", []param{idParam}, "Resolves it.", onID((*Workspace).CloseTicket)},
	{"tickets.set", append([]param{idParam, setParam, {name: "state", kind: &wordParam, optional: true}, {name: "as", kind: &textParam, optional: true, of: event.AssignmentNames[:]},
		{name: "share", kind: &flagParam, optional: true}}, namingParams...),
		"Sets attributes of its type, moves it to a state and assigns it, each by a part of its own; `share` says whether the customer sees one of the back office; null takes a value away. What cannot be done has not been done in part.",
		func(w *Workspace, a args) (any, error) {
			return nil, w.UpdateTicket(a.text("id"), TicketUpdate{Set: a.changes("set"), State: a.text("state"), Assign: a.assignment("as"), Who: a.naming(), Share: a.maybe("share")})
		}},
	{"tickets.assign", []param{idParam, asParam}, "Assigns it as one row of the API document's table says. Answers the part's id.",
		addsTicketPart(func(w *Workspace, id string, a args) error { return w.AssignTicket(id, a.assignment("as")) })},
	{"tickets.snooze", []param{idParam, {name: "until", kind: &timeParam}}, "Puts it away until a time.",
		func(w *Workspace, a args) (any, error) { return nil, w.SnoozeTicket(a.text("id"), a.time("until")) }},
	{"tickets.link", []param{idParam, {name: "object", kind: &textParam}}, "Links a conversation or another ticket, by its id.",
		func(w *Workspace, a args) (any, error) { return nil, w.LinkTicket(a.text("id"), a.text("object")) }},
	{"tickets.redact", []param{idParam, partParam, bumpParam}, "Takes the words of a part out; with `bump`, the usual, `updated_at` moves.",
		func(w *Workspace, a args) (any, error) {
			return nil, w.RedactTicketPart(a.text("id"), a.text("part"), a.flag("bump", true))
		}},
	{"tickets.mutate-part", []param{idParam, partParam, asParam}, "A part tells another assignment; no `updated_at` moves.",
		func(w *Workspace, a args) (any, error) {
			return nil, w.MutateTicketPart(a.text("id"), a.text("part"), a.assignment("as"))
		}},
	{"tickets.delete", []param{idParam}, "Takes a ticket away for good.", onID((*Workspace).DeleteTicket)},
}

var newTicketParams = []param{{name: "type", kind: &textParam}, {name: "contact", kind: &textParam, optional: true},
	{name: "set", kind: &fieldsParam, optional: true}, {name: "exactly", kind: &flagParam, optional: true},
	{name: "teammate", kind: &wordParam, optional: true}, {name: "team", kind: &wordParam, optional: true}}

func (a args) newTicket() NewTicket {
	return NewTicket{Type: a.text("type"), Contacts: a.list("contact"), Set: a.changes("set"), Exactly: a.flag("exactly", false),
		Teammate: a.text("teammate"), Team: a.text("team")}
}

// addsTicketPart answers the id of the part that was added.
func addsTicketPart(do func(w *Workspace, id string, a args) error) func(w *Workspace, a args) (any, error) {
	return addsPartTo((*Workspace).TicketPartIDs, do)
}
