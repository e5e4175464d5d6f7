package emulator

import (
	"errors"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
)

var ofConversations = []operation{
	{"conversations.open", []param{{name: "contact", kind: &textParam}, {name: "parts", kind: &wholeParam, optional: true}, {name: "body", kind: &wordParam, optional: true}},
		"A conversation of a contact begins, drawn, with so many parts at once; or with `body`: then the contact begins it with these words, and nothing is drawn. Answers its id.",
		func(w *Workspace, a args) (any, error) {
			if body := a.text("body"); body != "" && a.whole("parts", 0) == 0 {
				return ofID(w.BeginConversation(a.text("contact"), body))
			} else if body != "" {
				return nil, errors.New("parts are drawn, and nothing is beside a body: leave out one of them")
			}
			return ofID(w.OpenConversation(a.text("contact"), a.whole("parts", 0)))
		}},
	{"messages.send", []param{{name: "from", kind: &wordParam}, {name: "to", kind: &wordParam}, {name: "cc", kind: &textParam, optional: true},
		{name: "bcc", kind: &textParam, optional: true}, {name: "type", kind: &wordParam}, {name: "subject", kind: &textParam, optional: true}, bodyParam},
		"An admin writes to contacts, whose ids have spaces between them; who is in `bcc` is seen by nobody. Answers the id of the conversation that it begins.",
		func(w *Workspace, a args) (any, error) {
			return ofID(w.SendMessage(Message{From: a.text("from"), To: a.list("to"), Cc: a.list("cc"), Bcc: a.list("bcc"),
				Type: a.text("type"), Subject: a.text("subject"), Body: a.text("body")}))
		}},
	{"conversations.reply", replyParams, "Adds a comment, or a teammate's note; with `author`, the id of whoever it is, nothing but the words. Answers the part's id.",
		addsPart(replies((*Workspace).ReplyAs, (*Workspace).ReplyConversation))},
	{"conversations.add-part", []param{idParam, {name: "type", kind: &wordParam}}, "Adds a part of any type without words. Answers its id.",
		addsPart(func(w *Workspace, id string, a args) error { return w.AddPart(id, a.text("type")) })},
	{"conversations.assign", append([]param{idParam, asParam, {name: "skip_reopen", kind: &flagParam, optional: true}}, namingParams...),
		"Assigns as one row of the API document's table says, by and to those named; a closed one is opened again, unless told to skip it. Answers the part's id.",
		addsPart(func(w *Workspace, id string, a args) error {
			return w.AssignAs(id, a.assignment("as"), a.flag("skip_reopen", false), a.naming())
		})},
	{"conversations.close", []param{idParam, actorParam, {name: "body", kind: &textParam, optional: true}}, "Closes a conversation; with `by` that admin does, with the words of `body` or without any.",
		func(w *Workspace, a args) (any, error) {
			return nil, w.turnTo(a.text("id"), a.text("by"), a.text("body"), (*population.Conversations).Closes)
		}},
	{"conversations.reopen", []param{idParam, actorParam}, "Opens it again.",
		func(w *Workspace, a args) (any, error) {
			return nil, w.turnTo(a.text("id"), a.text("by"), "", (*population.Conversations).Opens)
		}},
	{"conversations.snooze", []param{idParam, {name: "until", kind: &timeParam}, actorParam}, "Puts it away until a time.",
		func(w *Workspace, a args) (any, error) {
			return nil, w.snooze(a.text("id"), a.text("by"), a.time("until"))
		}},
	{"conversations.summarise-call", []param{idParam}, "A call ends, and its summary comes as a part without a body. Answers `part` and `call`.",
		func(w *Workspace, a args) (any, error) {
			part, call, err := w.SummariseCall(a.text("id"))
			return made{"part": part, "call": call}, err
		}},
	{"conversations.fill-summary", []param{idParam, partParam, bodyParam}, "Writes the body of a summary; the conversation's `updated_at` does not move.",
		func(w *Workspace, a args) (any, error) {
			return nil, w.FillCallSummary(a.text("id"), a.text("part"), a.text("body"))
		}},
	{"conversations.mutate-part", []param{idParam, partParam, asParam}, "A part tells another assignment; no `updated_at` moves.",
		func(w *Workspace, a args) (any, error) {
			return nil, w.MutatePartSilently(a.text("id"), a.text("part"), a.assignment("as"))
		}},
	{"conversations.redact", []param{idParam, {name: "part", kind: &textParam, optional: true}, bumpParam},
		"Takes the words of a part out, or of the source; with `bump`, the usual, `updated_at` moves.",
		func(w *Workspace, a args) (any, error) {
			return nil, w.Redact(a.text("id"), a.text("part"), a.flag("bump", true))
		}},
	{"conversations.rate", []param{idParam, {name: "stars", kind: &wholeParam}, {name: "remark", kind: &textParam, optional: true}, bumpParam},
		"The contact gives one to five stars, or changes the rating.",
		func(w *Workspace, a args) (any, error) {
			return nil, w.Rate(a.text("id"), a.whole("stars", 0), a.text("remark"), a.flag("bump", true))
		}},
	{"conversations.review", []param{idParam, {name: "card", kind: &wholeParam}, {name: "status", kind: &textParam, optional: true, of: population.ReviewStatuses}, bumpParam},
		"Fills in a scorecard, numbered from 0; without a status there is no review.",
		func(w *Workspace, a args) (any, error) {
			return nil, w.Review(a.text("id"), a.whole("card", 0), a.text("status"), a.flag("bump", true))
		}},
	{"conversations.monitor", []param{idParam, {name: "monitor", kind: &wholeParam}, bumpParam}, "A monitor, numbered from 0, judges a conversation.",
		func(w *Workspace, a args) (any, error) {
			return nil, w.Monitor(a.text("id"), a.whole("monitor", 0), a.flag("bump", true))
		}},
	{"conversations.tag", []param{idParam, tagParam}, "Puts a tag on a conversation.", tagging((*Workspace).TagConversation)},
	{"conversations.untag", []param{idParam, tagParam}, "Takes a tag off, as with contacts.", tagging((*Workspace).UntagConversation)},
	{"conversations.link", []param{idParam}, "Links a ticket or a conversation.", onID((*Workspace).LinkObject)},
	{"conversations.update", []param{idParam, setParam}, "Sets `title`, `priority` (priority or not_priority), `read`, `company_id` or `custom_attributes.<name>`.",
		func(w *Workspace, a args) (any, error) {
			return nil, w.UpdateConversation(a.text("id"), a.changes("set")...)
		}},
	{"conversations.consult", []param{idParam, outcomeParam, {name: "rounds", kind: &wholeParam, optional: true}, {name: "takes", kind: &spanParam}},
		"The AI agent consults the teammates, which takes so long and so many rounds of feedback; one that is outstanding is superseded.",
		func(w *Workspace, a args) (any, error) {
			return nil, w.Consult(a.text("id"), a.text("outcome"), a.whole("rounds", 0), a.span("takes"))
		}},
	{"conversations.finish-consultation", []param{idParam, outcomeParam}, "Ends the outstanding consultation now.",
		func(w *Workspace, a args) (any, error) {
			return nil, w.FinishConsultation(a.text("id"), a.text("outcome"))
		}},
	{"conversations.delete", []param{idParam}, "Takes a conversation away for good.", onID((*Workspace).DeleteConversation)},
}

var (
	byParam      = param{name: "by", kind: &textParam, of: []string{"contact", "teammate", "ai", "note"}}
	actorParam   = param{name: "by", kind: &wordParam, optional: true} // an admin, or the AI operator
	namingParams = []param{actorParam, {name: "teammate", kind: &wordParam, optional: true},
		{name: "team", kind: &wordParam, optional: true}}
	asParam      = param{name: "as", kind: &textParam, of: event.AssignmentNames[:]}
	outcomeParam = param{name: "outcome", kind: &textParam, of: population.Outcomes[2:]} // the first ones are the same
)

var replyParams = []param{idParam, byParam, bodyParam, {name: "author", kind: &wordParam, optional: true}}

// replies is a reply by whoever is named, or else by one who is drawn.
func replies(named func(w *Workspace, id string, by Speaker, who, body string) error, drawn func(w *Workspace, id string, by Speaker, body string) error) func(w *Workspace, id string, a args) error {
	return func(w *Workspace, id string, a args) error {
		by, body := Speaker(a.text("by")), a.text("body")
		if who := a.text("author"); who != "" {
			return named(w, id, by, who, body)
		}
		return drawn(w, id, by, body)
	}
}

// addsPart answers the id of the part that was added.
func addsPart(do func(w *Workspace, id string, a args) error) func(w *Workspace, a args) (any, error) {
	return addsPartTo((*Workspace).PartIDs, do)
}

func addsPartTo(list func(w *Workspace, id string) []string, do func(w *Workspace, id string, a args) error) func(w *Workspace, a args) (any, error) {
	return func(w *Workspace, a args) (any, error) {
		id := a.text("id")
		if err := do(w, id, a); err != nil {
			return nil, err
		}
		parts := list(w, id)
		return made{"id": parts[len(parts)-1]}, nil
	}
}

// naming is who acts and who is put in charge.
func (a args) naming() Naming {
	return Naming{By: a.text("by"), Teammate: a.text("teammate"), Team: a.text("team")}
}
