package emulator

import (
	"encoding/json"
	"net/http"
	"slices"
)

// previewMerge is POST /contacts/merge/preview (workspace-api 2.10, 4.11): what merging a lead into a user would do, or why
// it is not possible. Nothing changes.
func (w *Workspace) previewMerge(q *request) answer {
	w.mu.Lock()
	defer w.mu.Unlock()
	var sent struct{ From, Into string }
	if err := json.Unmarshal(q.body, &sent); err != nil || sent.From == "" || sent.Into == "" {
		return failure(http.StatusBadRequest, "parameter_invalid", "from and into must be ids of contacts")
	}
	from, into := w.activeContact(sent.From), w.activeContact(sent.Into)
	if from == nil || into == nil {
		return notFound("Contact")
	}
	p := &pen{}
	p.open("")
	p.text("type", "contact_merge_preview")
	if from.User || !into.User {
		p.flag("allowed", false)
		p.reasons(from, into)
	} else {
		p.flag("allowed", true)
		p.inherited(from, into)
		w.previewCounts(p, from, into)
	}
	p.close()
	return ok(p.b)
}

// activeContact is one by its id; nil when it is not there or not active.
func (w *Workspace) activeContact(id string) *doc {
	num, known := w.byID[id]
	if !known || w.contacts[num].status != active {
		return nil
	}
	return w.contacts[num].doc
}

// reasons writes why one may not be merged into the other.
func (p *pen) reasons(from, into *doc) {
	p.list("reasons")
	for _, r := range []struct {
		holds         bool
		code, message string
	}{
		{from.ID == into.ID, "same_contact", "A contact cannot be merged into itself"},
		{from.User, "from_not_a_lead", "Only a lead can be merged"},
		{!into.User, "into_not_a_user", "A lead can only be merged into a user"},
	} {
		if r.holds {
			p.item()
			p.text("code", r.code)
			p.text("message", r.message)
			p.close()
		}
	}
	p.end()
}

// inherited writes what the user lacks and gets from the lead (workspace-api 3.2).
func (p *pen) inherited(from, into *doc) {
	after := *into
	p.list("attribute_changes")
	for _, name := range after.inherit(from) {
		p.item()
		p.string("attribute", name)
		p.raw("from", from.raw(name))
		p.raw("into", into.raw(name))
		p.raw("result", after.raw(name))
		p.close()
	}
	p.end()
}

// previewCounts writes how much would move and how much is there already. Calls are told for leads that are only a phone number.
func (w *Workspace) previewCounts(p *pen, from, into *doc) {
	p.open("counts")
	count := func(name string, of func(d *doc) int) {
		p.open(name)
		p.int("from", int64(of(from)))
		p.int("into", int64(of(into)))
		p.close()
	}
	count("conversations", func(d *doc) int { return takingPart(w.said, w.threads, d.ID) })
	count("tickets", func(d *doc) int { return takingPart(w.tickets.log, w.tickets.list, d.ID) })
	if from.Phone != "" && from.Email == "" {
		now := w.now()
		count("phone_calls", func(d *doc) (n int) {
			for i := range w.calls {
				if c := &w.calls[i]; c.Contact == d.ID && c.listed(now) {
					n++
				}
			}
			return n
		})
	}
	count("notes", func(d *doc) int { return len(d.Notes) })
	count("tags", func(d *doc) int { return len(d.Tags) })
	p.close()
}

// takingPart counts the threads that are there and have a contact in them.
func takingPart(log []convEvent, list []thread, id string) (n int) {
	for i := range list {
		if !list[i].deleted && slices.ContainsFunc(log[list[i].now.born].Who, func(d *doc) bool { return d.ID == id }) {
			n++
		}
	}
	return n
}

// mergeHistory tells by contact who was merged into it. The lock is held.
func (w *Workspace) mergeHistory() map[string][]string {
	list := map[string][]string{}
	for i := range w.contacts {
		if c := &w.contacts[i]; c.status == merged {
			into := w.contacts[c.into].doc.ID
			list[into] = append(list[into], c.doc.ID)
		}
	}
	return list
}

// merges writes fields that the document does not show (trap T23).
func (r *renderer) merges(b []byte, d *doc) []byte {
	p := &pen{b: append(b, `,"merge_history":{"type":"merge_history","merged_contacts":[`...)}
	for _, id := range r.history[d.ID] {
		p.item()
		p.text("type", "contact")
		p.text("id", id)
		p.close()
	}
	p.done()
	return p.b
}
