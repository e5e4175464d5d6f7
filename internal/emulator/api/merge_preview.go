package api

import (
	"aqueduck/internal/emulator/api/answer"
	"aqueduck/internal/emulator/api/render"
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/input"
	"aqueduck/internal/emulator/jsontext"
	"aqueduck/internal/emulator/state/calls"
	"aqueduck/internal/emulator/state/conversations"
)

// previewMerge serves POST /contacts/merge/preview (workspace-api 2.10, 4.11): what a merge of a lead into a user would do, or why it is
// refused. It changes nothing.
func previewMerge(w *Handlers, q *Request) answer.Answer {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	b := input.ReadBody(q.Body)
	b.RequireFields("from", "into")
	from, into := w.ActiveContact(b.ReadID("from")), w.ActiveContact(b.ReadID("into"))
	if b.IsRefused() {
		return refusedBody(b)
	}
	if from == nil || into == nil {
		return answer.NotFound("Contact")
	}
	p := &jsontext.Writer{}
	p.Open("")
	p.TextOrNull("type", "contact_merge_preview")
	if from.User || !into.User {
		p.Bool("allowed", false)
		render.WriteReasons(p, from, into)
	} else {
		p.Bool("allowed", true)
		render.WriteInherited(p, from, into)
		w.previewCounts(p, from, into)
	}
	p.Close()
	return answer.OK(p.Bytes)
}

// previewCounts writes how many records would move and how many the user has already. Calls are counted only for leads that are just a phone
// number.
func (w *Handlers) previewCounts(p *jsontext.Writer, from, into *event.Contact) {
	p.Open("counts")
	count := func(name string, of func(d *event.Contact) int) {
		p.Open(name)
		p.Int("from", int64(of(from)))
		p.Int("into", int64(of(into)))
		p.Close()
	}
	all := map[*event.Contact]map[string]bool{from: w.IDsOf(from), into: w.IDsOf(into)}
	count("conversations", func(d *event.Contact) int { return conversations.CountThreadsOf(w.ConversationLog, w.Threads, all[d]) })
	count("tickets", func(d *event.Contact) int { return conversations.CountThreadsOf(w.TicketLog, w.TicketList, all[d]) })
	if from.Phone != "" && from.Email == "" {
		now := w.UnixNow()
		count("phone_calls", func(d *event.Contact) (n int) {
			for i := range w.CallList {
				if c := &w.CallList[i]; all[d][c.Contact] && calls.IsListed(c, now) {
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
