package emulator

import (
	"fmt"
	"strconv"

	"aqueduck/internal/emulator/event"
)

var ofContacts = []operation{
	{"contacts.create", []param{{name: "role", kind: &textParam, of: []string{"user", "lead"}}, {name: "set", kind: &fieldsParam, optional: true},
		{name: "only", kind: &flagParam, optional: true}},
		"A contact comes, with drawn attributes and the columns that are set; with `only`, with nothing but these. Answers its id.",
		func(w *Workspace, a args) (any, error) {
			if !a.flag("only", false) {
				return ofID(w.CreateContact(a.text("role"), a.changes("set")...))
			}
			w.mu.Lock()
			defer w.mu.Unlock()
			return ofID(w.createOnly(w.now(), a.text("role") == "user", a.changes("set")))
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

var (
	intoParam    = param{name: "into", kind: &textParam}
	companyParam = param{name: "company", kind: &textParam}
)

func noteOnContact(w *Workspace, a args) (any, error) {
	w.mu.Lock()
	n := w.nextNote()
	w.mu.Unlock()
	return ofID(strconv.FormatInt(event.NoteID(n), 10), w.AddNote(a.text("id"), a.text("body")))
}

// withCompany is an operation that names a company by the id that the API tells.
func withCompany(do func(w *Workspace, id string, company int) error) func(w *Workspace, a args) (any, error) {
	return func(w *Workspace, a args) (any, error) {
		w.mu.Lock()
		n, ok := w.companyNamed(a.text("company"))
		w.mu.Unlock()
		if !ok {
			return nil, fmt.Errorf("company %s: %w", a.text("company"), ErrNoCompany)
		}
		return nil, do(w, a.text("id"), int(n))
	}
}
