package emulator

import (
	"net/http"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/search"
)

// searchContacts is POST /contacts/search (workspace-api 4.1).
func searchContacts(w *server, q *request) answer {
	w.mu.Lock()
	docs, p, refused := w.idx.Ask(q.asked())
	render := w.renderer(q.version)
	if w.k().MergeHistory && q.query.Get("include_merge_history") == "true" {
		render.history = w.mergeHistory()
	}
	w.mu.Unlock()
	if refused != nil {
		return refusedSearch(refused)
	}
	// Versions are never changed, so the page is written without holding anybody up.
	b := openList(make([]byte, 0, 2400*len(docs)+512), "list", "data")
	for i, d := range docs {
		if i > 0 {
			b = append(b, ',')
		}
		b = render.contact(b, d)
	}
	return ok(w.closeList(b, q, p))
}

// searchContact is how search knows a contact.
func (w *contactBook) searchContact() search.Records[event.Contact] {
	return search.Records[event.Contact]{Kind: "contacts", Fields: fields, Prefix: event.OwnAttribute, Attrs: func(d *event.Contact) []event.Attribute { return d.Attrs }, Usual: 50, Lag: event.ForLag,
		Count: func() int { return len(w.contacts) },
		At:    func(num int32) *search.Shown[event.Contact] { return &w.contacts[num].Shown },
		Gone:  func(num int32) bool { return w.contacts[num].status != active }}
}

// listContacts is GET /contacts: what is active now, oldest first, without the index's lag.
func listContacts(w *server, q *request) answer {
	w.mu.Lock()
	defer w.mu.Unlock()
	per, good := q.perPage(10, 150)
	if !good {
		return badNumber()
	}
	return w.contactPage(q, "GET /contacts", per, nil)
}

// contactPage is a page of the active contacts that keep tells, of all without it, oldest first, by cursor. The lock is held.
func (w *server) contactPage(q *request, question string, per int, keep func(d *event.Contact) bool) answer {
	at, good := search.Cursor{At: search.Entry{Num: -1}, Page: 1}, true
	if token := q.query.Get("starting_after"); token != "" {
		if at, good = w.env.Cursor(token, question, q.n); !good {
			return badCursor()
		}
	}
	render := w.renderer(q.version)
	b := openList(nil, "list", "data")
	p := search.Page{Number: int(at.Page), PerPage: per}
	if !w.k().EmptyLists {
		p.Total = w.countContacts(keep)
	}
	next := at
	next.Page++
	count := 0
	for num := int(at.At.Num) + 1; num < len(w.contacts) && p.Total > 0 && !p.More; num++ {
		switch c := &w.contacts[num]; {
		case c.status != active || keep != nil && !keep(c.doc):
		case count == per:
			p.More = true
		default:
			if count > 0 {
				b = append(b, ',')
			}
			b = render.contact(b, c.doc)
			next.At.Num = int32(num)
			count++
		}
	}
	if p.More {
		p.Token = w.env.Hand(next, question, q.n)
	}
	return ok(w.closeList(b, q, p))
}

// countContacts counts the active contacts that keep tells. How many there are in all is remembered while nothing happens.
func (w *contactBook) countContacts(keep func(d *event.Contact) bool) int {
	count := func() (n int) {
		for i := range w.contacts {
			if c := &w.contacts[i]; c.status == active && (keep == nil || keep(c.doc)) {
				n++
			}
		}
		return n
	}
	if keep != nil {
		return count()
	}
	return w.present.Count(len(w.events), count)
}

// oneContact is GET /contacts/{id}. Inactive contacts are not found; a merged one's old id leads to the survivor in
// newer versions (api-notes, Reading leniently).
func oneContact(w *server, q *request) answer {
	w.mu.Lock()
	defer w.mu.Unlock()
	num, known := w.byID[q.id]
	if !known {
		return notFound("Contact")
	}
	c := &w.contacts[num]
	switch {
	case c.status == active:
		render := w.renderer(q.version)
		return ok(render.contact(nil, c.doc))
	case c.status == merged && q.version.later():
		a := failure(http.StatusGone, "contact_merged", "the contact was merged into another")
		a.header = map[string]string{"Link": "</contacts/" + w.contacts[c.into].doc.ID + `>; rel="canonical"`}
		return a
	}
	return notFound("Contact")
}

// contactByExternalID is GET /contacts/find_by_external_id/{external_id} (workspace-api 4.11): the oldest active one that has it.
func contactByExternalID(w *server, q *request) answer {
	w.mu.Lock()
	defer w.mu.Unlock()
	for num := range w.contacts {
		if c := &w.contacts[num]; c.status == active && c.doc.ExternalID == q.id {
			render := w.renderer(q.version)
			return ok(render.contact(nil, c.doc))
		}
	}
	return notFound("Contact")
}
