package api

import (
	"net/http"

	"aqueduck/internal/emulator/api/answer"
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/search"
	"aqueduck/internal/emulator/state/contacts"
)

// searchContacts serves POST /contacts/search (workspace-api 4.1).
func searchContacts(w *Handlers, q *Request) answer.Answer {
	w.Mu.Lock()
	docs, p, refused := w.ContactIndex.AnswerSearch(q.searchQuestion())
	render := w.contactRenderer(q.Version)
	if w.K().MergeHistory && q.Query.Get("include_merge_history") == "true" {
		render.History = w.MergeHistory()
	}
	w.Mu.Unlock()
	if refused != nil {
		return refusedSearch(refused)
	}
	// Versions never change, so the page is written without the lock, and other requests go on.
	b := openList(make([]byte, 0, 2400*len(docs)+512), "list", "data")
	for i, d := range docs {
		if i > 0 {
			b = append(b, ',')
		}
		b = render.AppendContact(b, d)
	}
	return answer.OK(w.closeList(b, q, p))
}

// listContacts serves GET /contacts: the contacts that are active now, oldest first, without the lag of the search index.
func listContacts(w *Handlers, q *Request) answer.Answer {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	per, good := q.perPage(10, 150)
	if !good {
		return badNumber()
	}
	return w.contactPage(q, "GET /contacts", per, nil)
}

// contactPage answers one page of the active contacts for which keep is true, oldest first, by cursor; all of them when keep is nil. The
// caller holds the lock.
func (w *Handlers) contactPage(q *Request, question string, per int, keep func(d *event.Contact) bool) answer.Answer {
	at, good := search.Cursor{At: search.Entry{Num: -1}, Page: 1}, true
	if token := q.Query.Get("starting_after"); token != "" {
		if at, good = w.SearchEnv.DecodeCursor(token, question, q.N); !good {
			return badCursor()
		}
	}
	render := w.contactRenderer(q.Version)
	b := openList(nil, "list", "data")
	p := search.Page{Number: int(at.Page), PerPage: per}
	if !w.K().EmptyLists {
		p.Total = w.CountActive(keep)
	}
	next := at
	next.Page++
	count := 0
	for num := int(at.At.Num) + 1; num < len(w.List) && p.Total > 0 && !p.More; num++ {
		switch c := &w.List[num]; {
		case c.Status != contacts.Active || keep != nil && !keep(c.Doc):
		case count == per:
			p.More = true
		default:
			if count > 0 {
				b = append(b, ',')
			}
			b = render.AppendContact(b, c.Doc)
			next.At.Num = int32(num)
			count++
		}
	}
	if p.More {
		p.Token = w.SearchEnv.EncodeCursor(next, question, q.N)
	}
	return answer.OK(w.closeList(b, q, p))
}

// oneContact serves GET /contacts/{id}. Inactive contacts are not found. The id of a merged contact leads to the survivor in newer versions
// (api-notes, Reading leniently).
func oneContact(w *Handlers, q *Request) answer.Answer {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	num, known := w.ByID[q.ID]
	if !known {
		return answer.NotFound("Contact")
	}
	c := &w.List[num]
	switch {
	case c.Status == contacts.Active:
		render := w.contactRenderer(q.Version)
		return answer.OK(render.AppendContact(nil, c.Doc))
	case c.Status == contacts.Merged && q.Version.HasLaterChanges():
		a := answer.Failure(http.StatusGone, "contact_merged", "the contact was merged into another")
		a.Header = map[string]string{"Link": "</contacts/" + w.List[c.MergedInto].Doc.ID + `>; rel="canonical"`}
		return a
	}
	return answer.NotFound("Contact")
}

// contactByExternalID serves GET /contacts/find_by_external_id/{external_id} (workspace-api 4.11): the oldest active contact with that
// external id.
func contactByExternalID(w *Handlers, q *Request) answer.Answer {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	for num := range w.List {
		if c := &w.List[num]; c.Status == contacts.Active && c.Doc.ExternalID == q.ID {
			render := w.contactRenderer(q.Version)
			return answer.OK(render.AppendContact(nil, c.Doc))
		}
	}
	return answer.NotFound("Contact")
}
