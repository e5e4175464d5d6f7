package emulator

var ofTickets = []operation{
	{"tickets.create", []param{{name: "type", kind: &textParam}, {name: "contact", kind: &textParam, optional: true}, {name: "set", kind: &fieldsParam, optional: true}},
		"A ticket of a type is opened, about a contact or about nobody; `set` names attributes of the type. Answers its id.",
		func(w *Workspace, a args) (any, error) {
			return ofID(w.CreateTicket(a.text("contact"), a.text("type"), a.changes("set")...))
		}},
	{"tickets.reply", []param{idParam, {name: "by", kind: &textParam, of: []string{"contact", "teammate", "ai", "note"}}, bodyParam},
		"Adds a comment, or a teammate's note; where no customer reads only a note is accepted. Answers the part's id.",
		addsTicketPart(func(w *Workspace, id string, a args) error {
			return w.ReplyTicket(id, Speaker(a.text("by")), a.text("body"))
		})},
	{"tickets.state", []param{idParam, {name: "state", kind: &textParam}}, "Moves it to a state, by the state's id; what is resolved is closed. Answers the part's id.",
		addsTicketPart(func(w *Workspace, id string, a args) error { return w.SetTicketState(id, a.text("state")) })},
	{"tickets.close", []param{idParam}, "Resolves it.", onID((*Workspace).CloseTicket)},
	{"tickets.set", []param{idParam, setParam}, "Sets attributes of its type, each by a part of its own; null takes a value away.",
		func(w *Workspace, a args) (any, error) {
			for _, s := range a.changes("set") {
				if err := w.SetTicketAttribute(a.text("id"), s.Field, s.Value); err != nil {
					return nil, err
				}
			}
			return nil, nil
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

// addsTicketPart answers the id of the part that was added.
func addsTicketPart(do func(w *Workspace, id string, a args) error) func(w *Workspace, a args) (any, error) {
	return addsPartTo((*Workspace).TicketPartIDs, do)
}
