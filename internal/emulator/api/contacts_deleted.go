package api

import (
	"html"

	"aqueduck/internal/emulator/api/answer"
	"aqueduck/internal/emulator/jsontext"
	"aqueduck/internal/emulator/state/contacts"
)

// listDeleted serves GET /contacts/deleted: inactive contacts, by page number (workspace-api 4.11).
func listDeleted(w *Handlers, q *Request) answer.Answer {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	list := w.ListInactive(q.N)
	return w.answerNumberedPage(q, 10, 150, len(list), func(b []byte, i int) []byte {
		return w.appendInactive(b, &w.List[list[i]])
	})
}

// appendInactive writes a deleted-contact entry (workspace-api 2.10). E-mails are HTML-escaped in this list (api-notes).
func (w *Handlers) appendInactive(b []byte, c *contacts.StoredContact) []byte {
	d := c.Doc
	b = append(b, `{"type":"contact","id":`...)
	b = jsontext.AppendString(b, d.ID)
	b = append(append(append(b, `,"role":"`...), contacts.RoleOf(d)...), `","status":"`...)
	b = append(append(b, c.Status.ListedAs()...), `","updated_at":`...)
	b = jsontext.AppendTime(b, c.Since)
	if c.Status == contacts.Merged {
		b = append(b, `,"merged_into_id":`...)
		b = jsontext.AppendString(b, w.List[c.MergedInto].Doc.ID)
	}
	external, email := d.ExternalID, d.Email
	if c.Status == contacts.PermanentlyDeleted {
		external, email = "", ""
	}
	b = append(b, `,"external_id":`...)
	b = jsontext.AppendText(b, external)
	b = append(b, `,"email":`...)
	b = jsontext.AppendText(b, html.EscapeString(email))
	return append(b, '}')
}
