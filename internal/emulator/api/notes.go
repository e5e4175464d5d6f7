package api

import (
	"strconv"

	"aqueduck/internal/emulator/api/answer"
	"aqueduck/internal/emulator/api/render"
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/input"
	"aqueduck/internal/emulator/jsontext"
)

// appendContactNote writes a note of a contact by its number.
func appendContactNote(w *Handlers, b []byte, d *event.Contact, n int32) []byte {
	id, note := strconv.FormatInt(event.NoteID(n), 10), w.NoteWithNumber(n)
	p := &jsontext.Writer{Bytes: append(b, '{')}
	p.TextOrNull("type", "note")
	p.TextOrNull("id", id)
	p.TextOrNull("url", "/notes/"+id)
	p.TimeOrNull("created_at", note.At)
	p.String("body", note.Body)
	p.Open("contact")
	p.TextOrNull("type", "contact")
	p.TextOrNull("id", d.ID)
	p.Close()
	p.WriteKey("author")
	author, _ := w.FindAdmin(strconv.FormatInt(note.By, 10)) // only admins write notes
	jsontext.WriteRecord(p, render.AdminRecord(w.Setup.Cast, author))
	p.Close()
	return p.Bytes
}

// oneNote serves GET /notes/{id}: a note of an active contact or of a company.
func oneNote(w *Handlers, q *Request) answer.Answer {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	switch of, ofFirm, found := w.FindNote(q.ID); {
	case !found:
		return answer.NotFound("Note")
	case of != nil:
		return answer.OK(appendContactNote(w, nil, w.List[of.Contact].Doc, of.Other))
	default:
		return answer.OK(appendCompanyNote(nil, w.CompanyList[ofFirm.N].Newest, ofFirm.Note))
	}
}

// createNote serves POST /contacts/{id}/notes. The author is the named admin, or the one that the token belongs to.
func createNote(w *Handlers, q *Request, b *input.Body) answer.Answer {
	b.RequireFields("body")
	with := map[string]any{"id": q.ID, "body": b.ReadText("body"), "by": strconv.FormatInt(tokenOwner(w).ID, 10)}
	if b.HasValue("admin_id") {
		with["by"] = b.ReadID("admin_id")
	}
	if b.HasValue("body") && with["body"] == "" {
		b.RefuseField("body", "a text that says something")
	}
	_, err := w.FindAdmin(with["by"].(string))
	switch {
	case w.FindActive(q.ID) == nil:
		return answer.NotFound("Contact")
	case b.IsRefused():
		return refusedBody(b)
	case err != nil:
		return answer.NotFound("Admin")
	}
	made, refused := w.performOperation("contacts.note", with)
	if refused != nil {
		return *refused
	}
	q.ID = made["id"]
	return oneNote(w, q)
}
