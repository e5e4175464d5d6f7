package emulator

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"aqueduck/internal/emulator/api"
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
	"aqueduck/internal/emulator/state/conversations"
	"aqueduck/internal/emulator/state/exports"
	"aqueduck/internal/emulator/state/jobs"
	"aqueduck/internal/emulator/state/tickets"
)

// Operations describes all operations as a table in Markdown.
func Operations() string {
	var b strings.Builder
	b.WriteString("| operation | parameters | what it does |\n|---|---|---|\n")
	for _, o := range operations() {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", o.name, o.parameters(), o.about)
	}
	return b.String()
}

// operations are all of them, in the order in which they are listed.
func operations() []operation {
	return slices.Concat(ofWorkspace, ofContacts, ofConversations, ofTickets, ofCompanies, ofContent, ofCalls, ofLogs, ofJobs, ofExports)
}

var ofContacts = []operation{
	{"contacts.create", []param{{name: "role", kind: &textParam, of: []string{"user", "lead"}}, {name: "set", kind: &fieldsParam, optional: true},
		{name: "only", kind: &flagParam, optional: true}},
		"A contact comes, with drawn attributes and the columns that are set; with `only`, with nothing but these. Answers its id.",
		func(w *Workspace, a args) (any, error) {
			if !a.flag("only", false) {
				return ofID(w.CreateContact(a.text("role"), a.changes("set")...))
			}
			w.Mu.Lock()
			defer w.Mu.Unlock()
			return ofID(w.CreatePlain(w.Now(), a.text("role") == "user", a.changes("set")))
		}},
	{"contacts.update", []param{idParam, setParam}, "Sets columns of a contact, its role too.",
		func(w *Workspace, a args) (any, error) {
			return nil, w.UpdateContact(a.text("id"), a.changes("set")...)
		}},
	{"contacts.update-quietly", []param{idParam, setParam}, "Sets columns without moving `updated_at`.",
		func(w *Workspace, a args) (any, error) {
			return nil, w.UpdateQuietly(a.text("id"), a.changes("set")...)
		}},
	{"contacts.promote", []param{idParam}, "Makes a lead a user.", onID((*Workspace).Promote)},
	{"contacts.merge", []param{idParam, intoParam}, "Merges an active lead into an active user, who has its conversations and tickets then.",
		func(w *Workspace, a args) (any, error) { return nil, w.Merge(a.text("id"), a.text("into")) }},
	{"contacts.merge-anyway", []param{idParam, intoParam}, "Merges whatever the roles and states: chains and cycles; conversations and tickets stay as they are.",
		func(w *Workspace, a args) (any, error) { return nil, w.MergeAnyway(a.text("id"), a.text("into")) }},
	{"contacts.fail-merge", []param{idParam, intoParam, {name: "reason", kind: &textParam}}, "Logs a merge that failed; both contacts stay as they are.",
		func(w *Workspace, a args) (any, error) {
			return nil, w.FailMerge(a.text("id"), a.text("into"), a.text("reason"))
		}},
	{"contacts.archive", []param{idParam}, "Puts a contact away.", onID((*Workspace).Archive)},
	{"contacts.unarchive", []param{idParam, bumpParam}, "Brings it back; with `bump`, the usual, its `updated_at` moves.", bumping((*Workspace).Unarchive)},
	{"contacts.block", []param{idParam}, "Blocks a contact.", onID((*Workspace).Block)},
	{"contacts.unblock", []param{idParam, bumpParam}, "Brings it back, as un-archiving does.", bumping((*Workspace).Unblock)},
	{"contacts.delete", []param{idParam}, "What DELETE does; the knob `ListDeletes` says whether it is then listed as inactive.", onID((*Workspace).Delete)},
	{"contacts.request-deletion", []param{idParam}, "Makes a contact `pending_deletion`.", onID((*Workspace).RequestDeletion)},
	{"contacts.erase", []param{idParam}, "Makes a contact `permanently_deleted`.", onID((*Workspace).Erase)},
	{"contacts.tag", []param{idParam, tagParam}, "Puts a tag on a contact.", tagging((*Workspace).Tag)},
	{"contacts.untag", []param{idParam, tagParam}, "Takes a tag off; the knob `QuietUntag` says whether `updated_at` moves.", tagging((*Workspace).Untag)},
	{"contacts.note", []param{idParam, bodyParam}, "Writes a note about a contact. Answers its id.", noteOnContact},
	{"notes.delete", []param{idParam}, "Deletes a note of a contact, or of a company.", onID((*Workspace).DeleteNote)},
	{"contacts.subscribe", []param{idParam, {name: "subscription", kind: &textParam}}, "Puts a contact into a subscription.",
		func(w *Workspace, a args) (any, error) {
			return nil, w.Subscribe(a.text("id"), a.text("subscription"))
		}},
	{"contacts.unsubscribe", []param{idParam, {name: "subscription", kind: &textParam}}, "Takes a contact out of a subscription.",
		func(w *Workspace, a args) (any, error) {
			return nil, w.Unsubscribe(a.text("id"), a.text("subscription"))
		}},
	{"contacts.attach", []param{idParam, companyParam}, "Attaches a company.", withCompany((*Workspace).AddCompany)},
	{"contacts.detach", []param{idParam, companyParam}, "Detaches a company.", withCompany((*Workspace).RemoveCompany)},
}

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
			return ofID(w.SendMessage(conversations.Message{From: a.text("from"), To: a.list("to"), Cc: a.list("cc"), Bcc: a.list("bcc"),
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
			return nil, w.ChangeState(a.text("id"), a.text("by"), a.text("body"), (*population.Conversations).Closes)
		}},
	{"conversations.reopen", []param{idParam, actorParam}, "Opens it again.",
		func(w *Workspace, a args) (any, error) {
			return nil, w.ChangeState(a.text("id"), a.text("by"), "", (*population.Conversations).Opens)
		}},
	{"conversations.snooze", []param{idParam, {name: "until", kind: &timeParam}, actorParam}, "Puts it away until a time.",
		func(w *Workspace, a args) (any, error) {
			return nil, w.Snooze(a.text("id"), a.text("by"), a.time("until"))
		}},
	{"conversations.summarise-call", []param{idParam}, "A call ends, and its summary comes as a part without a body. Answers `part` and `call`.",
		func(w *Workspace, a args) (any, error) {
			part, call, err := w.SummariseCall(a.text("id"))
			return api.MadeIDs{"part": part, "call": call}, err
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

// ofWorkspace are about all of it. They have a path of their own beside /_emulator/do.
var ofWorkspace = []operation{
	{"live", []param{{name: "hours", kind: &wholeParam}}, "Hours of life pass. Answers the state.",
		func(w *Workspace, a args) (any, error) {
			hours := a.whole("hours", 0)
			if w.Setup.Now != nil { // nobody else moves it along
				w.Advance(time.Duration(hours) * time.Hour)
			}
			w.Live(hours)
			return w.State(), nil
		}},
	{"advance", []param{{name: "by", kind: &spanParam}}, "Only time passes. Answers the state.",
		func(w *Workspace, a args) (any, error) {
			w.Advance(a.span("by"))
			return w.State(), nil
		}},
	{"set", []param{{name: "knobs", kind: &anything}}, "Turns knobs: `{\"LagMax\": \"4m\", \"Export\": {\"Fail\": 1}}`; what is not named stays. Answers all knobs.",
		func(w *Workspace, a args) (any, error) { return w.turn(a.fields("knobs")) }},
	{"chaos", []param{{name: "set", kind: &textParam}}, "Other faults by probability, as `--chaos` takes them. Answers the state.",
		func(w *Workspace, a args) (any, error) {
			if err := w.SetChaos(a.text("set")); err != nil {
				return nil, err
			}
			return w.State(), nil
		}},
	{"expire-cursors", nil, "Every cursor handed out dies. Answers the state.",
		func(w *Workspace, _ args) (any, error) {
			w.ExpireCursors()
			return w.State(), nil
		}},
	{"rotate", []param{{name: "token", kind: &wordParam}}, "Another token is the only good one.",
		func(w *Workspace, a args) (any, error) {
			w.Rotate(a.text("token"))
			return nil, nil
		}},
	{"add-token", []param{{name: "token", kind: &wordParam}, {name: "scopes", kind: &textParam, optional: true}},
		"One more token is good, for what needs no scope and for what needs one of these; `scopes` has spaces between them.",
		func(w *Workspace, a args) (any, error) {
			return nil, w.AddToken(a.text("token"), strings.Fields(a.text("scopes"))...)
		}},
	{"zone", []param{{name: "name", kind: &textParam}}, "The workspace moves to another time zone, as Europe/Berlin.",
		func(w *Workspace, a args) (any, error) {
			zone, err := time.LoadLocation(a.text("name"))
			if err != nil {
				return nil, err
			}
			w.SetZone(zone)
			return nil, nil
		}},
	{"workspace-id", []param{{name: "id", kind: &wordParam}}, "Records tell another workspace's id, as those of a wrong token would.",
		func(w *Workspace, a args) (any, error) {
			w.SetWorkspaceID(a.text("id"))
			return nil, nil
		}},
}

var ofCompanies = []operation{
	{"companies.create", []param{{name: "set", kind: &fieldsParam, optional: true}}, "A company without users comes. Answers its id.",
		func(w *Workspace, a args) (any, error) { return ofID(w.CreateCompany(a.changes("set")...)) }},
	{"companies.update", []param{idParam, setParam}, "Sets columns of a company.",
		func(w *Workspace, a args) (any, error) {
			return nil, w.UpdateCompany(a.text("id"), a.changes("set")...)
		}},
	{"companies.tag", []param{idParam, tagParam}, "Puts a tag on a company.", tagging((*Workspace).TagCompany)},
	{"companies.untag", []param{idParam, tagParam}, "Takes a tag off.", tagging((*Workspace).UntagCompany)},
	{"companies.note", []param{idParam, bodyParam}, "Writes a note about a company; its `updated_at` does not move. Answers the note's id.",
		func(w *Workspace, a args) (any, error) {
			return ofID(w.AddCompanyNote(a.text("id"), a.text("body")))
		}},
}

var ofContent = []operation{
	{"content.create", []param{kindParam, saysParam}, "A teammate writes a piece of content, drawn, or with nothing but what `set` says, as a body of the API does. Answers its id.",
		func(w *Workspace, a args) (any, error) {
			return ofID(w.CreateContentWith(a.text("kind"), a.fields("set")))
		}},
	{"content.edit", []param{kindParam, idParam, saysParam}, "It says something else: what `set` says, and without it what is drawn; a data connector gets another version.",
		func(w *Workspace, a args) (any, error) {
			return nil, w.EditContentWith(a.text("kind"), a.text("id"), a.fields("set"))
		}},
	{"content.remove", []param{kindParam, idParam}, "It is gone; collections and newsfeeds stay, and so do folders that are not empty and dynamic content that an article uses.",
		func(w *Workspace, a args) (any, error) { return nil, w.RemoveContent(a.text("kind"), a.text("id")) }},
	{"content.note", []param{idParam, {name: "version", kind: &textParam}, {name: "note", kind: &textParam}}, "A version of a data connector, by its `entity_version_id`, has another note.",
		func(w *Workspace, a args) (any, error) {
			return nil, w.NoteVersion(a.text("id"), a.text("version"), a.text("note"))
		}},
}

var ofCalls = []operation{
	{"calls.start", []param{{name: "conversation", kind: &textParam}, {name: "outbound", kind: &flagParam, optional: true}},
		"A call of a conversation rings from now on. Answers its id.",
		func(w *Workspace, a args) (any, error) {
			return ofID(w.StartCall(a.text("conversation"), a.flag("outbound", false)))
		}},
	{"calls.answer", []param{idParam}, "An admin answers it.", onID((*Workspace).AnswerCall)},
	{"calls.end", []param{idParam}, "It ends.", onID((*Workspace).EndCall)},
	{"calls.record", []param{idParam}, "The recording of an answered call that has ended is there.", onID((*Workspace).RecordCall)},
	{"calls.transcribe", []param{idParam, {name: "failed", kind: &flagParam, optional: true}}, "Its transcript is final, or has failed for good.",
		func(w *Workspace, a args) (any, error) {
			return nil, w.TranscribeCall(a.text("id"), a.flag("failed", false))
		}},
	{"calls.remove", []param{idParam}, "It is no longer listed.", onID((*Workspace).RemoveCall)},
}

var ofLogs = []operation{
	{"logs.add", []param{{name: "n", kind: &wholeParam}, {name: "within", kind: &spanParam}},
		"Admins have done so many things within a span of time that ends now.",
		func(w *Workspace, a args) (any, error) {
			if n := a.whole("n", 0); n < 0 || n > 1_000_000 {
				return nil, fmt.Errorf("n is from 0 to 1,000,000")
			}
			w.AddLogs(a.whole("n", 0), a.span("within"))
			return nil, nil
		}},
}

var ofJobs = []operation{
	{"jobs.start", []param{{name: "kind", kind: &textParam, of: []string{string(jobs.TicketsEnqueue), string(jobs.ContactsCreate), string(jobs.ContactsUpdate), string(jobs.ContactsDelete)}},
		{name: "pending", kind: &spanParam, optional: true}, {name: "working", kind: &spanParam, optional: true},
		{name: "fails", kind: &flagParam, optional: true}, {name: "resource", kind: &textParam, optional: true},
		{name: "contacts", kind: &objectsParam, optional: true}},
		"A job is pending so long, works so long, a minute and four unless told otherwise, and has then made the ticket `resource`, or done to `contacts` what its kind says, or has failed. Answers its id.",
		func(w *Workspace, a args) (any, error) {
			return ofID(w.StartJob(jobs.Kind(a.text("kind")), jobs.Plan{Pending: a.span("pending"), Working: a.span("working"),
				Fails: a.flag("fails", false), Resource: a.text("resource"), Contacts: a.jobContacts("contacts")}))
		}},
}

var ofExports = []operation{
	{"exports.row", []param{datasetParam, {name: "key", kind: &textParam}, {name: "created", kind: &timeParam}, {name: "values", kind: &fieldsParam}},
		"A dataset of the reporting exports gets a row: its key, its time, and what it says in texts; the rest is null.",
		func(w *Workspace, a args) (any, error) {
			for name, v := range a.fields("values") {
				if _, isText := v.(string); !isText && v != nil {
					return nil, fmt.Errorf("%s is no text", name)
				}
			}
			return nil, w.ReportRow(a.text("dataset"), a.text("key"), a.time("created").Unix(), a.fields("values"))
		}},
	{"exports.change", []param{datasetParam, {name: "key", kind: &textParam}, {name: "attribute", kind: &textParam}, {name: "value", kind: &textParam}},
		"A row of a dataset says something else.",
		func(w *Workspace, a args) (any, error) {
			return nil, w.ReportChange(a.text("dataset"), a.text("key"), a.text("attribute"), a.text("value"))
		}},
	{"exports.occupy", []param{{name: "jobs", kind: &wholeParam}}, "So many exports of somebody else are under way.",
		func(w *Workspace, a args) (any, error) {
			if jobs := a.whole("jobs", 0); jobs < 0 || jobs > exports.Slots {
				return nil, fmt.Errorf("jobs is from 0 to %d", exports.Slots)
			}
			w.OccupyExports(a.whole("jobs", 0))
			return nil, nil
		}},
}

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
			return nil, w.UpdateTicket(a.text("id"), tickets.TicketUpdate{Set: a.changes("set"), State: a.text("state"), Assign: a.assignment("as"), Who: a.naming(), Share: a.maybe("share")})
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
