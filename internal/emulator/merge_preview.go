package emulator

import (
	"slices"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/input"
	"aqueduck/internal/emulator/jsontext"
)

// previewMerge is POST /contacts/merge/preview (workspace-api 2.10, 4.11): what merging a lead into a user would do, or why
// it is not possible. Nothing changes.
func previewMerge(w *server, q *request) answer {
	w.mu.Lock()
	defer w.mu.Unlock()
	b := input.ReadBody(q.body)
	b.Need("from", "into")
	from, into := w.activeContact(b.ID("from")), w.activeContact(b.ID("into"))
	if b.Refused() {
		return refusedBody(b)
	}
	if from == nil || into == nil {
		return notFound("Contact")
	}
	p := &jsontext.Writer{}
	p.Open("")
	p.Text("type", "contact_merge_preview")
	if from.User || !into.User {
		p.Flag("allowed", false)
		writeReasons(p, from, into)
	} else {
		p.Flag("allowed", true)
		writeInherited(p, from, into)
		w.previewCounts(p, from, into)
	}
	p.Close()
	return ok(p.Bytes)
}

// activeContact is one by its id; nil when it is not there or not active.
func (w *contactBook) activeContact(id string) *event.Contact {
	num, known := w.byID[id]
	if !known || w.contacts[num].status != active {
		return nil
	}
	return w.contacts[num].doc
}

// writeReasons writes why one may not be merged into the other.
func writeReasons(p *jsontext.Writer, from, into *event.Contact) {
	p.List("reasons")
	for _, r := range []struct {
		holds         bool
		code, message string
	}{
		{from.ID == into.ID, "same_contact", "A contact cannot be merged into itself"},
		{from.User, "from_not_a_lead", "Only a lead can be merged"},
		{!into.User, "into_not_a_user", "A lead can only be merged into a user"},
	} {
		if r.holds {
			p.Item()
			p.Text("code", r.code)
			p.Text("message", r.message)
			p.Close()
		}
	}
	p.End()
}

// writeInherited writes what the user lacks and gets from the lead (workspace-api 3.2).
func writeInherited(p *jsontext.Writer, from, into *event.Contact) {
	after := *into
	p.List("attribute_changes")
	for _, name := range inheritFrom(&after, from) {
		p.Item()
		p.String("attribute", name)
		p.Raw("from", rawField(from, name))
		p.Raw("into", rawField(into, name))
		p.Raw("result", rawField(&after, name))
		p.Close()
	}
	p.End()
}

// previewCounts writes how much would move and how much is there already. Calls are told for leads that are only a phone number.
func (w *server) previewCounts(p *jsontext.Writer, from, into *event.Contact) {
	p.Open("counts")
	count := func(name string, of func(d *event.Contact) int) {
		p.Open(name)
		p.Int("from", int64(of(from)))
		p.Int("into", int64(of(into)))
		p.Close()
	}
	all := map[*event.Contact]map[string]bool{from: w.idsOf(from), into: w.idsOf(into)}
	count("conversations", func(d *event.Contact) int { return takingPart(w.said, w.threads, all[d]) })
	count("tickets", func(d *event.Contact) int { return takingPart(w.ticketLog, w.ticketList, all[d]) })
	if from.Phone != "" && from.Email == "" {
		now := w.now()
		count("phone_calls", func(d *event.Contact) (n int) {
			for i := range w.calls {
				if c := &w.calls[i]; all[d][c.Contact] && isListed(c, now) {
					n++
				}
			}
			return n
		})
	}
	count("notes", func(d *event.Contact) int { return len(d.Notes) })
	count("tags", func(d *event.Contact) int { return len(d.Tags) })
	p.Close()
}

// passOn has the survivor of a merge take the place of the lead in the conversations and the tickets of that one, and of those who
// were merged into it (workspace-api 2.10). Authors and ratings stay: nobody rewrites what was said. The lock is held.
func (w *world) passOn(lead, user int32) {
	at, into, ids := w.now(), w.contacts[user].doc, w.idsOf(w.contacts[lead].doc)
	pass := func(log []event.ThreadEvent, list []thread, record func(e event.ThreadEvent)) {
		for i := range list {
			var who []*event.Contact
			had := list[i].contacts(log)
			for _, d := range had {
				if ids[d.ID] || d.ID == into.ID {
					d = into
				}
				if !slices.Contains(who, d) {
					who = append(who, d)
				}
			}
			if !list[i].deleted && slices.ContainsFunc(had, func(d *event.Contact) bool { return ids[d.ID] }) {
				record(event.ThreadEvent{At: at, Kind: event.ThreadContactsChanged, Num: int32(i), Who: who})
			}
		}
	}
	pass(w.said, w.threads, w.recordConv)
	pass(w.ticketLog, w.ticketList, w.recordTicket)
}

// idsOf are a contact's id and those of all who were merged into it: calls, and what was begun before a merge that passed nothing on, keep
// the ids that they were begun with (trap T26), and are the survivor's.
func (w *contactBook) idsOf(d *event.Contact) map[string]bool {
	into := map[int32][]int32{}
	for i := range w.contacts {
		if c := &w.contacts[i]; c.status == merged {
			into[c.into] = append(into[c.into], int32(i))
		}
	}
	ids := map[string]bool{}
	for next := []int32{w.byID[d.ID]}; len(next) > 0; {
		num := next[0]
		if next = next[1:]; !ids[w.contacts[num].doc.ID] {
			ids[w.contacts[num].doc.ID] = true
			next = append(next, into[num]...)
		}
	}
	return ids
}

// takingPart counts the threads that are there and have one of these contacts in them.
func takingPart(log []event.ThreadEvent, list []thread, ids map[string]bool) (n int) {
	for i := range list {
		if !list[i].deleted && slices.ContainsFunc(list[i].contacts(log), func(d *event.Contact) bool { return ids[d.ID] }) {
			n++
		}
	}
	return n
}

// mergeHistory tells by contact who was merged into it. The lock is held.
func (w *contactBook) mergeHistory() map[string][]string {
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
func (r *renderer) merges(b []byte, d *event.Contact) []byte {
	p := &jsontext.Writer{Bytes: append(b, `,"merge_history":{"type":"merge_history","merged_contacts":[`...)}
	for _, id := range r.history[d.ID] {
		p.Item()
		p.Text("type", "contact")
		p.Text("id", id)
		p.Close()
	}
	p.Done()
	return p.Bytes
}
