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

// OperationTable describes all operations as a table in Markdown.
func OperationTable() string {
	var b strings.Builder
	b.WriteString("| operation | parameters | what it does |\n|---|---|---|\n")
	for _, o := range allOperations() {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", o.name, o.describeParameters(), o.about)
	}
	return b.String()
}

// allOperations returns all operations, in the order of the documentation.
func allOperations() []operationSpec {
	return slices.Concat(ofWorkspace, ofContacts, ofConversations, ofTickets, ofCompanies, ofContent, ofCalls, ofLogs, ofJobs, ofExports)
}

var ofContacts = []operationSpec{
	{"contacts.create", []operationParam{{name: "role", kind: &textParam, of: []string{"user", "lead"}}, {name: "set", kind: &fieldsParam, optional: true},
		{name: "only", kind: &flagParam, optional: true}},
		"Creates a contact with drawn attributes and the columns that are set; with `only`, without the drawn ones. Answers its id.",
		func(w *Workspace, a operationArgs) (any, error) {
			if !a.flagArg("only", false) {
				return ofID(w.CreateContact(a.textArg("role"), a.changesArg("set")...))
			}
			w.Mu.Lock()
			defer w.Mu.Unlock()
			return ofID(w.CreatePlain(w.UnixNow(), a.textArg("role") == "user", a.changesArg("set")))
		}},
	{"contacts.update", []operationParam{idParam, setParam}, "Sets columns of a contact, its role too.",
		func(w *Workspace, a operationArgs) (any, error) {
			return nil, w.UpdateContact(a.textArg("id"), a.changesArg("set")...)
		}},
	{"contacts.update-quietly", []operationParam{idParam, setParam}, "Sets columns without moving `updated_at`.",
		func(w *Workspace, a operationArgs) (any, error) {
			return nil, w.UpdateQuietly(a.textArg("id"), a.changesArg("set")...)
		}},
	{"contacts.restore", []operationParam{idParam, {name: "back", kind: &spanParam}, setParam}, "Sets columns and moves `updated_at` back, as a backup of the source does that is restored.",
		func(w *Workspace, a operationArgs) (any, error) {
			return nil, w.RestoreContact(a.textArg("id"), a.durationArg("back"), a.changesArg("set")...)
		}},
	{"contacts.promote", []operationParam{idParam}, "Makes a lead a user.", onID((*Workspace).PromoteLead)},
	{"contacts.merge", []operationParam{idParam, intoParam}, "Merges an active lead into an active user, who has its conversations and tickets then.",
		func(w *Workspace, a operationArgs) (any, error) {
			return nil, w.MergeContacts(a.textArg("id"), a.textArg("into"))
		}},
	{"contacts.merge-anyway", []operationParam{idParam, intoParam}, "Merges whatever the roles and states are, also into chains and cycles; conversations and tickets do not move.",
		func(w *Workspace, a operationArgs) (any, error) {
			return nil, w.ForceMerge(a.textArg("id"), a.textArg("into"))
		}},
	{"contacts.fail-merge", []operationParam{idParam, intoParam, {name: "reason", kind: &textParam}}, "Logs a merge that failed; both contacts stay as they are.",
		func(w *Workspace, a operationArgs) (any, error) {
			return nil, w.FailMerge(a.textArg("id"), a.textArg("into"), a.textArg("reason"))
		}},
	{"contacts.archive", []operationParam{idParam}, "Archives a contact.", onID((*Workspace).ArchiveContact)},
	{"contacts.unarchive", []operationParam{idParam, bumpParam}, "Brings it back; with `bump`, the default, its `updated_at` moves.", withBumpFlag((*Workspace).UnarchiveContact)},
	{"contacts.block", []operationParam{idParam}, "Blocks a contact.", onID((*Workspace).BlockContact)},
	{"contacts.unblock", []operationParam{idParam, bumpParam}, "Brings it back, as un-archiving does.", withBumpFlag((*Workspace).UnblockContact)},
	{"contacts.delete", []operationParam{idParam}, "What DELETE does; the knob `ListDeletes` says whether it is then listed as inactive.", onID((*Workspace).DeleteContact)},
	{"contacts.request-deletion", []operationParam{idParam}, "Makes a contact `pending_deletion`.", onID((*Workspace).RequestDeletion)},
	{"contacts.erase", []operationParam{idParam}, "Makes a contact `permanently_deleted`.", onID((*Workspace).EraseContact)},
	{"contacts.tag", []operationParam{idParam, tagParam}, "Puts a tag on a contact.", withTagArg((*Workspace).TagContact)},
	{"contacts.untag", []operationParam{idParam, tagParam}, "Takes a tag off; the knob `QuietUntag` says whether `updated_at` moves.", withTagArg((*Workspace).UntagContact)},
	{"contacts.note", []operationParam{idParam, bodyParam, actorParam}, "Writes a note about a contact; `by` is the admin who does. Answers its id.", noteOnContact},
	{"notes.delete", []operationParam{idParam}, "Deletes a note of a contact, or of a company.", onID((*Workspace).DeleteNote)},
	{"contacts.subscribe", []operationParam{idParam, {name: "subscription", kind: &textParam}}, "Puts a contact into a subscription.",
		func(w *Workspace, a operationArgs) (any, error) {
			return nil, w.Subscribe(a.textArg("id"), a.textArg("subscription"))
		}},
	{"contacts.unsubscribe", []operationParam{idParam, {name: "subscription", kind: &textParam}}, "Takes a contact out of a subscription.",
		func(w *Workspace, a operationArgs) (any, error) {
			return nil, w.Unsubscribe(a.textArg("id"), a.textArg("subscription"))
		}},
	{"contacts.attach", []operationParam{idParam, companyParam}, "Attaches a company.", withCompany((*Workspace).AddCompany)},
	{"contacts.detach", []operationParam{idParam, companyParam}, "Detaches a company.", withCompany((*Workspace).RemoveCompany)},
}

var ofConversations = []operationSpec{
	{"conversations.open", []operationParam{{name: "contact", kind: &textParam}, {name: "parts", kind: &wholeParam, optional: true}, {name: "body", kind: &wordParam, optional: true}},
		"A contact begins a conversation: drawn, with so many parts at once, or with the words of `body` and nothing drawn. Answers its id.",
		func(w *Workspace, a operationArgs) (any, error) {
			if body := a.textArg("body"); body != "" && a.intArg("parts", 0) == 0 {
				return ofID(w.BeginConversation(a.textArg("contact"), body))
			} else if body != "" {
				return nil, errors.New("parts are drawn, and nothing is beside a body: leave out one of them")
			}
			return ofID(w.OpenConversation(a.textArg("contact"), a.intArg("parts", 0)))
		}},
	{"messages.send", []operationParam{{name: "from", kind: &wordParam}, {name: "to", kind: &wordParam}, {name: "cc", kind: &textParam, optional: true},
		{name: "bcc", kind: &textParam, optional: true}, {name: "type", kind: &wordParam}, {name: "subject", kind: &textParam, optional: true}, bodyParam},
		"An admin writes to contacts, whose ids have spaces between them; who is in `bcc` is seen by nobody. Answers the id of the conversation that it begins.",
		func(w *Workspace, a operationArgs) (any, error) {
			return ofID(w.SendMessage(conversations.Message{From: a.textArg("from"), To: a.listArg("to"), Cc: a.listArg("cc"), Bcc: a.listArg("bcc"),
				Type: a.textArg("type"), Subject: a.textArg("subject"), Body: a.textArg("body")}))
		}},
	{"conversations.reply", replyParams, "Adds a comment, or a teammate's note; with `author`, the id of whoever it is, nothing but the words. Answers the part's id.",
		addsPart(replyByNameOrDrawn((*Workspace).ReplyAs, (*Workspace).ReplyConversation))},
	{"conversations.add-part", []operationParam{idParam, {name: "type", kind: &wordParam}}, "Adds a part of any type without words. Answers its id.",
		addsPart(func(w *Workspace, id string, a operationArgs) error { return w.AddPart(id, a.textArg("type")) })},
	{"conversations.assign", append([]operationParam{idParam, asParam, {name: "skip_reopen", kind: &flagParam, optional: true}}, namingParams...),
		"Assigns as one row of the API document's table says, by and to those named; a closed conversation is opened again, but not with `skip_reopen`. Answers the part's id.",
		addsPart(func(w *Workspace, id string, a operationArgs) error {
			return w.AssignAs(id, a.assignmentArg("as"), a.flagArg("skip_reopen", false), a.namingArg())
		})},
	{"conversations.close", []operationParam{idParam, actorParam, {name: "body", kind: &textParam, optional: true}}, "Closes a conversation; with `by` that admin does, with the words of `body` or without any.",
		func(w *Workspace, a operationArgs) (any, error) {
			return nil, w.ChangeState(a.textArg("id"), a.textArg("by"), a.textArg("body"), (*population.Conversations).FillClose)
		}},
	{"conversations.reopen", []operationParam{idParam, actorParam}, "Opens it again.",
		func(w *Workspace, a operationArgs) (any, error) {
			return nil, w.ChangeState(a.textArg("id"), a.textArg("by"), "", (*population.Conversations).FillReopen)
		}},
	{"conversations.snooze", []operationParam{idParam, {name: "until", kind: &timeParam}, actorParam}, "Snoozes it until a time.",
		func(w *Workspace, a operationArgs) (any, error) {
			return nil, w.SnoozeUntil(a.textArg("id"), a.textArg("by"), a.timeArg("until"))
		}},
	{"conversations.summarise-call", []operationParam{idParam}, "A call ends, and its summary comes as a part without a body. Answers `part` and `call`.",
		func(w *Workspace, a operationArgs) (any, error) {
			part, call, err := w.SummariseCall(a.textArg("id"))
			return api.MadeIDs{"part": part, "call": call}, err
		}},
	{"conversations.fill-summary", []operationParam{idParam, partParam, bodyParam}, "Writes the body of a summary; the conversation's `updated_at` does not move.",
		func(w *Workspace, a operationArgs) (any, error) {
			return nil, w.FillCallSummary(a.textArg("id"), a.textArg("part"), a.textArg("body"))
		}},
	{"conversations.mutate-part", []operationParam{idParam, partParam, asParam}, "Changes the assignment in a part; no `updated_at` moves.",
		func(w *Workspace, a operationArgs) (any, error) {
			return nil, w.MutatePartSilently(a.textArg("id"), a.textArg("part"), a.assignmentArg("as"))
		}},
	{"conversations.redact", []operationParam{idParam, {name: "part", kind: &textParam, optional: true}, bumpParam},
		"Redacts a part, or the source; with `bump`, the default, `updated_at` moves.",
		func(w *Workspace, a operationArgs) (any, error) {
			return nil, w.RedactPart(a.textArg("id"), a.textArg("part"), a.flagArg("bump", true))
		}},
	{"conversations.rate", []operationParam{idParam, {name: "stars", kind: &wholeParam}, {name: "remark", kind: &textParam, optional: true}, bumpParam},
		"The contact gives one to five stars, or changes the rating.",
		func(w *Workspace, a operationArgs) (any, error) {
			return nil, w.RateConversation(a.textArg("id"), a.intArg("stars", 0), a.textArg("remark"), a.flagArg("bump", true))
		}},
	{"conversations.review", []operationParam{idParam, {name: "card", kind: &wholeParam}, {name: "status", kind: &textParam, optional: true, of: population.ReviewStatuses}, bumpParam},
		"Fills in a scorecard, numbered from 0; without a status there is no review.",
		func(w *Workspace, a operationArgs) (any, error) {
			return nil, w.ReviewConversation(a.textArg("id"), a.intArg("card", 0), a.textArg("status"), a.flagArg("bump", true))
		}},
	{"conversations.monitor", []operationParam{idParam, {name: "monitor", kind: &wholeParam}, bumpParam}, "A monitor, numbered from 0, judges a conversation.",
		func(w *Workspace, a operationArgs) (any, error) {
			return nil, w.EvaluateConversation(a.textArg("id"), a.intArg("monitor", 0), a.flagArg("bump", true))
		}},
	{"conversations.tag", []operationParam{idParam, tagParam}, "Puts a tag on a conversation.", withTagArg((*Workspace).TagConversation)},
	{"conversations.untag", []operationParam{idParam, tagParam}, "Takes a tag off, as with contacts.", withTagArg((*Workspace).UntagConversation)},
	{"conversations.link", []operationParam{idParam}, "Links a ticket or a conversation.", onID((*Workspace).LinkObject)},
	{"conversations.update", []operationParam{idParam, setParam}, "Sets `title`, `priority` (priority or not_priority), `read`, `company_id` or `custom_attributes.<name>`.",
		func(w *Workspace, a operationArgs) (any, error) {
			return nil, w.UpdateConversation(a.textArg("id"), a.changesArg("set")...)
		}},
	{"conversations.consult", []operationParam{idParam, outcomeParam, {name: "rounds", kind: &wholeParam, optional: true}, {name: "takes", kind: &spanParam}},
		"The AI agent consults the teammates, which takes so long and so many rounds of feedback; one that is outstanding is superseded.",
		func(w *Workspace, a operationArgs) (any, error) {
			return nil, w.StartConsultation(a.textArg("id"), a.textArg("outcome"), a.intArg("rounds", 0), a.durationArg("takes"))
		}},
	{"conversations.finish-consultation", []operationParam{idParam, outcomeParam}, "Ends the outstanding consultation now.",
		func(w *Workspace, a operationArgs) (any, error) {
			return nil, w.FinishConsultation(a.textArg("id"), a.textArg("outcome"))
		}},
	{"conversations.delete", []operationParam{idParam}, "Deletes a conversation.", onID((*Workspace).DeleteConversation)},
}

// ofWorkspace are the operations on the whole workspace. They have paths of their own beside /_emulator/do.
var ofWorkspace = []operationSpec{
	{"live", []operationParam{{name: "hours", kind: &wholeParam}}, "Hours of life pass, with events in each. Answers the state.",
		func(w *Workspace, a operationArgs) (any, error) {
			hours := a.intArg("hours", 0)
			if w.Setup.Now != nil { // with an outside clock, nothing else moves it
				w.Advance(time.Duration(hours) * time.Hour)
			}
			w.SimulateHours(hours)
			return w.CurrentState(), nil
		}},
	{"advance", []operationParam{{name: "by", kind: &spanParam}}, "Time passes and nothing else happens. Answers the state.",
		func(w *Workspace, a operationArgs) (any, error) {
			w.Advance(a.durationArg("by"))
			return w.CurrentState(), nil
		}},
	{"set", []operationParam{{name: "knobs", kind: &anything}}, "Turns knobs: `{\"LagMax\": \"4m\", \"Export\": {\"Fail\": 1}}`; what is not named stays. Answers all knobs.",
		func(w *Workspace, a operationArgs) (any, error) { return w.setKnobFields(a.fieldsArg("knobs")) }},
	{"chaos", []operationParam{{name: "set", kind: &textParam}}, "Sets other faults, as `--chaos` takes them. Answers the state.",
		func(w *Workspace, a operationArgs) (any, error) {
			if err := w.SetChaos(a.textArg("set")); err != nil {
				return nil, err
			}
			return w.CurrentState(), nil
		}},
	{"expire-cursors", nil, "Every cursor handed out expires. Answers the state.",
		func(w *Workspace, _ operationArgs) (any, error) {
			w.ExpireCursors()
			return w.CurrentState(), nil
		}},
	{"rotate", []operationParam{{name: "token", kind: &wordParam}}, "Replaces the token.",
		func(w *Workspace, a operationArgs) (any, error) {
			w.RotateToken(a.textArg("token"))
			return nil, nil
		}},
	{"add-token", []operationParam{{name: "token", kind: &wordParam}, {name: "scopes", kind: &textParam, optional: true}},
		"Accepts one more token, for requests that need no scope or one of these; `scopes` has spaces between them.",
		func(w *Workspace, a operationArgs) (any, error) {
			return nil, w.AddToken(a.textArg("token"), strings.Fields(a.textArg("scopes"))...)
		}},
	{"zone", []operationParam{{name: "name", kind: &textParam}}, "The workspace moves to another time zone, as Europe/Berlin.",
		func(w *Workspace, a operationArgs) (any, error) {
			zone, err := time.LoadLocation(a.textArg("name"))
			if err != nil {
				return nil, err
			}
			w.SetZone(zone)
			return nil, nil
		}},
	{"workspace-id", []operationParam{{name: "id", kind: &wordParam}}, "Records have another workspace's id, as with a wrong token.",
		func(w *Workspace, a operationArgs) (any, error) {
			w.SetWorkspaceID(a.textArg("id"))
			return nil, nil
		}},
}

var ofCompanies = []operationSpec{
	{"companies.create", []operationParam{{name: "set", kind: &fieldsParam, optional: true}, {name: "company_id", kind: &wordParam, optional: true}},
		"Creates a company without users, drawn, or with that `company_id` and nothing besides `set`. Answers its id.",
		func(w *Workspace, a operationArgs) (any, error) {
			if external := a.textArg("company_id"); external != "" {
				return ofID(w.CreatePlainCompany(external, a.changesArg("set")...))
			}
			return ofID(w.CreateCompany(a.changesArg("set")...))
		}},
	{"companies.update", []operationParam{idParam, setParam}, "Sets columns of a company.",
		func(w *Workspace, a operationArgs) (any, error) {
			return nil, w.UpdateCompany(a.textArg("id"), a.changesArg("set")...)
		}},
	{"companies.tag", []operationParam{idParam, tagParam}, "Puts a tag on a company.", withTagArg((*Workspace).TagCompany)},
	{"companies.untag", []operationParam{idParam, tagParam}, "Takes a tag off.", withTagArg((*Workspace).UntagCompany)},
	{"companies.note", []operationParam{idParam, bodyParam}, "Writes a note about a company; its `updated_at` does not move. Answers the note's id.",
		func(w *Workspace, a operationArgs) (any, error) {
			return ofID(w.AddCompanyNote(a.textArg("id"), a.textArg("body")))
		}},
}

var ofContent = []operationSpec{
	{"content.create", []operationParam{kindParam, saysParam}, "A teammate writes content: drawn, or with only what `set` says, as a body of the API. Answers its id.",
		func(w *Workspace, a operationArgs) (any, error) {
			return ofID(w.CreateContentWith(a.textArg("kind"), a.fieldsArg("set")))
		}},
	{"content.edit", []operationParam{kindParam, idParam, saysParam}, "Changes content to what `set` says, or to drawn values; a data connector gets another version.",
		func(w *Workspace, a operationArgs) (any, error) {
			return nil, w.EditContentWith(a.textArg("kind"), a.textArg("id"), a.fieldsArg("set"))
		}},
	{"content.remove", []operationParam{kindParam, idParam}, "Deletes content; collections, newsfeeds, folders that are not empty and dynamic content in use stay.",
		func(w *Workspace, a operationArgs) (any, error) {
			return nil, w.RemoveContent(a.textArg("kind"), a.textArg("id"))
		}},
	{"content.note", []operationParam{idParam, {name: "version", kind: &textParam}, {name: "note", kind: &textParam}}, "A version of a data connector, by its `entity_version_id`, has another note.",
		func(w *Workspace, a operationArgs) (any, error) {
			return nil, w.SetVersionNote(a.textArg("id"), a.textArg("version"), a.textArg("note"))
		}},
}

var ofCalls = []operationSpec{
	{"calls.start", []operationParam{{name: "conversation", kind: &textParam}, {name: "outbound", kind: &flagParam, optional: true}},
		"A call of a conversation rings from now on. Answers its id.",
		func(w *Workspace, a operationArgs) (any, error) {
			return ofID(w.StartCall(a.textArg("conversation"), a.flagArg("outbound", false)))
		}},
	{"calls.answer", []operationParam{idParam}, "An admin answers it.", onID((*Workspace).AnswerCall)},
	{"calls.end", []operationParam{idParam}, "It ends.", onID((*Workspace).EndCall)},
	{"calls.record", []operationParam{idParam}, "The recording of an answered call that has ended is there.", onID((*Workspace).RecordCall)},
	{"calls.transcribe", []operationParam{idParam, {name: "failed", kind: &flagParam, optional: true}}, "Its transcript is final, or has failed for good.",
		func(w *Workspace, a operationArgs) (any, error) {
			return nil, w.TranscribeCall(a.textArg("id"), a.flagArg("failed", false))
		}},
	{"calls.remove", []operationParam{idParam}, "It is no longer listed.", onID((*Workspace).RemoveCall)},
}

var ofLogs = []operationSpec{
	{"logs.add", []operationParam{{name: "n", kind: &wholeParam}, {name: "within", kind: &spanParam}},
		"Adds so many entries to the activity log, within a span of time that ends now.",
		func(w *Workspace, a operationArgs) (any, error) {
			if n := a.intArg("n", 0); n < 0 || n > 1_000_000 {
				return nil, fmt.Errorf("n is from 0 to 1,000,000")
			}
			w.AddRandomActions(a.intArg("n", 0), a.durationArg("within"))
			return nil, nil
		}},
}

var ofJobs = []operationSpec{
	{"jobs.start", []operationParam{{name: "kind", kind: &textParam, of: []string{string(jobs.TicketsEnqueue), string(jobs.ContactsCreate), string(jobs.ContactsUpdate), string(jobs.ContactsDelete)}},
		{name: "pending", kind: &spanParam, optional: true}, {name: "working", kind: &spanParam, optional: true},
		{name: "fails", kind: &flagParam, optional: true}, {name: "resource", kind: &textParam, optional: true},
		{name: "contacts", kind: &objectsParam, optional: true}},
		"A job is pending for a time and works for a time, by default one minute and four. Then it has made the ticket `resource`, or changed `contacts` as its kind says, or failed. Answers its id.",
		func(w *Workspace, a operationArgs) (any, error) {
			return ofID(w.StartJob(jobs.JobKind(a.textArg("kind")), jobs.JobPlan{Pending: a.durationArg("pending"), Working: a.durationArg("working"),
				Fails: a.flagArg("fails", false), Resource: a.textArg("resource"), Contacts: a.jobContacts("contacts")}))
		}},
}

var ofExports = []operationSpec{
	{"exports.row", []operationParam{datasetParam, {name: "key", kind: &textParam}, {name: "created", kind: &timeParam}, {name: "values", kind: &fieldsParam}},
		"Adds a row to a reporting dataset: key, time and values as texts; the rest is null.",
		func(w *Workspace, a operationArgs) (any, error) {
			for name, v := range a.fieldsArg("values") {
				if _, isText := v.(string); !isText && v != nil {
					return nil, fmt.Errorf("%s is no text", name)
				}
			}
			return nil, w.ReportRow(a.textArg("dataset"), a.textArg("key"), a.timeArg("created").Unix(), a.fieldsArg("values"))
		}},
	{"exports.change", []operationParam{datasetParam, {name: "key", kind: &textParam}, {name: "attribute", kind: &textParam}, {name: "value", kind: &textParam}},
		"Changes a value of a row of a dataset.",
		func(w *Workspace, a operationArgs) (any, error) {
			return nil, w.ReportChange(a.textArg("dataset"), a.textArg("key"), a.textArg("attribute"), a.textArg("value"))
		}},
	{"exports.occupy", []operationParam{{name: "jobs", kind: &wholeParam}}, "Another client has so many exports under way.",
		func(w *Workspace, a operationArgs) (any, error) {
			if jobs := a.intArg("jobs", 0); jobs < 0 || jobs > exports.Slots {
				return nil, fmt.Errorf("jobs is from 0 to %d", exports.Slots)
			}
			w.OccupyExports(a.intArg("jobs", 0))
			return nil, nil
		}},
}

var ofTickets = []operationSpec{
	{"tickets.create", newTicketParams,
		"A ticket of a type is opened, about contacts, whose ids have spaces between them, or about nobody; `set` names attributes of the type, " +
			"with `exactly` it has no others. It is assigned to those named. Answers its id.",
		func(w *Workspace, a operationArgs) (any, error) { return ofID(w.WriteTicket(a.newTicket())) }},
	{"tickets.enqueue", append(newTicketParams, operationParam{name: "pending", kind: &spanParam, optional: true}, operationParam{name: "working", kind: &spanParam, optional: true}),
		"A job is pending for a time and works for a time, by default one minute and four. Then it opens the ticket, or fails. Answers the job's id.",
		func(w *Workspace, a operationArgs) (any, error) {
			return ofID(w.EnqueueTicket(a.newTicket(), a.durationArg("pending"), a.durationArg("working")))
		}},
	{"tickets.reply", replyParams, "Adds a comment, or a teammate's note, as in conversations; where no customer reads only a note is accepted. Answers the part's id.",
		addsTicketPart(replyByNameOrDrawn((*Workspace).ReplyTicketAs, (*Workspace).ReplyTicket))},
	{"tickets.state", []operationParam{idParam, {name: "state", kind: &textParam}}, "Moves it to a state, by the state's id; what is resolved is closed. Answers the part's id.",
		addsTicketPart(func(w *Workspace, id string, a operationArgs) error { return w.SetTicketState(id, a.textArg("state")) })},
	{"tickets.close", []operationParam{idParam}, "Resolves it.", onID((*Workspace).CloseTicket)},
	{"tickets.set", append([]operationParam{idParam, setParam, {name: "state", kind: &wordParam, optional: true}, {name: "as", kind: &textParam, optional: true, of: event.AssignmentNames[:]},
		{name: "share", kind: &flagParam, optional: true}}, namingParams...),
		"Sets attributes of its type, moves it to a state and assigns it, each by a separate part. `share` says whether the customer sees a back-office ticket; null removes a value. All of it happens, or nothing.",
		func(w *Workspace, a operationArgs) (any, error) {
			return nil, w.UpdateTicket(a.textArg("id"), tickets.TicketUpdate{Set: a.changesArg("set"), State: a.textArg("state"), Assign: a.assignmentArg("as"), Who: a.namingArg(), Share: a.optionalFlagArg("share")})
		}},
	{"tickets.assign", []operationParam{idParam, asParam}, "Assigns it as one row of the API document's table says. Answers the part's id.",
		addsTicketPart(func(w *Workspace, id string, a operationArgs) error { return w.AssignTicket(id, a.assignmentArg("as")) })},
	{"tickets.snooze", []operationParam{idParam, {name: "until", kind: &timeParam}}, "Snoozes it until a time.",
		func(w *Workspace, a operationArgs) (any, error) {
			return nil, w.SnoozeTicket(a.textArg("id"), a.timeArg("until"))
		}},
	{"tickets.link", []operationParam{idParam, {name: "object", kind: &textParam}}, "Links a conversation or another ticket, by its id.",
		func(w *Workspace, a operationArgs) (any, error) {
			return nil, w.LinkTicket(a.textArg("id"), a.textArg("object"))
		}},
	{"tickets.redact", []operationParam{idParam, partParam, bumpParam}, "Redacts a part; with `bump`, the default, `updated_at` moves.",
		func(w *Workspace, a operationArgs) (any, error) {
			return nil, w.RedactTicketPart(a.textArg("id"), a.textArg("part"), a.flagArg("bump", true))
		}},
	{"tickets.mutate-part", []operationParam{idParam, partParam, asParam}, "Changes the assignment in a part; no `updated_at` moves.",
		func(w *Workspace, a operationArgs) (any, error) {
			return nil, w.MutateTicketPart(a.textArg("id"), a.textArg("part"), a.assignmentArg("as"))
		}},
	{"tickets.delete", []operationParam{idParam}, "Deletes a ticket.", onID((*Workspace).DeleteTicket)},
}
