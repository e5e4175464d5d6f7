package emulator

import (
	"fmt"
	"strings"
	"time"
)

// ofWorkspace are about all of it. They have a path of their own beside /_emulator/do.
var ofWorkspace = []operation{
	{"live", []param{{name: "hours", kind: &wholeParam}}, "Hours of life pass. Answers the state.",
		func(w *Workspace, a args) (any, error) {
			hours := a.whole("hours", 0)
			if w.cfg.Now != nil { // nobody else moves it along
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

var (
	kindParam = param{name: "kind", kind: &textParam, of: contentNames[:]}
	saysParam = param{name: "set", kind: &fieldsParam, optional: true}
)

var ofContent = []operation{
	{"content.create", []param{kindParam, saysParam}, "A teammate writes a piece of content, drawn, or with nothing but what `set` says, as a body of the API does. Answers its id.",
		func(w *Workspace, a args) (any, error) { return ofID(w.createContent(a.text("kind"), a.fields("set"))) }},
	{"content.edit", []param{kindParam, idParam, saysParam}, "It says something else: what `set` says, and without it what is drawn; a data connector gets another version.",
		func(w *Workspace, a args) (any, error) {
			return nil, w.editContent(a.text("kind"), a.text("id"), a.fields("set"))
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

var datasetParam = param{name: "dataset", kind: &textParam}

var ofJobs = []operation{
	{"jobs.start", []param{{name: "kind", kind: &textParam, of: []string{string(JobTicket), string(JobContactsCreate), string(JobContactsUpdate), string(JobContactsDelete)}},
		{name: "pending", kind: &spanParam, optional: true}, {name: "working", kind: &spanParam, optional: true},
		{name: "fails", kind: &flagParam, optional: true}, {name: "resource", kind: &textParam, optional: true},
		{name: "contacts", kind: &objectsParam, optional: true}},
		"A job is pending so long, works so long, a minute and four unless told otherwise, and has then made the ticket `resource`, or done to `contacts` what its kind says, or has failed. Answers its id.",
		func(w *Workspace, a args) (any, error) {
			return ofID(w.StartJob(JobKind(a.text("kind")), JobPlan{Pending: a.span("pending"), Working: a.span("working"),
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
			if jobs := a.whole("jobs", 0); jobs < 0 || jobs > exportSlots {
				return nil, fmt.Errorf("jobs is from 0 to %d", exportSlots)
			}
			w.OccupyExports(a.whole("jobs", 0))
			return nil, nil
		}},
}
