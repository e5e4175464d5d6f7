package api

import (
	"net/http"

	"aqueduck/internal/emulator/api/answer"
	"aqueduck/internal/emulator/apiversion"
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/input"
	"aqueduck/internal/emulator/jsontext"
	"aqueduck/internal/emulator/state/contacts"
	"aqueduck/internal/emulator/state/content"
)

// createContact is POST /contacts (workspace-api 2.1, 4.11): a contact that has nothing but what was sent. Who is known by an
// external id or an e-mail is a user unless the role says otherwise.
func createContact(w *Handlers, q *Request, b *input.Body) answer.Answer {
	role, set := contactToCreate(b, q.Version)
	if b.IsRefused() {
		return refusedBody(b)
	}
	return newContact(w, q, role, set)
}

// newContact makes a contact that is not there yet.
func newContact(w *Handlers, q *Request, role string, set map[string]any) answer.Answer {
	if other := w.FindClash(&event.Contact{User: role == "user"}, set); other != "" {
		return answer.Failure(http.StatusConflict, "conflict", contacts.ClashMessage(other))
	}
	ids, refused := w.performOperation("contacts.create", map[string]any{"role": role, "set": set, "only": true})
	if refused != nil {
		return *refused
	}
	q.ID = ids["id"]
	return oneContact(w, q)
}

// updateContact is PUT /contacts/{id}: what is sent is set, null takes it away, and the rest stays.
func updateContact(w *Handlers, q *Request, b *input.Body) answer.Answer {
	d, set := w.FindActive(q.ID), contactToUpdate(b, q.Version)
	switch {
	case d == nil:
		return answer.NotFound("Contact")
	case b.IsRefused():
		return refusedBody(b)
	}
	if other := w.FindClash(d, set); other != "" {
		return answer.Failure(http.StatusConflict, "conflict", contacts.ClashMessage(other))
	}
	if _, refused := w.performOperation("contacts.update", map[string]any{"id": q.ID, "set": set}); refused != nil {
		return *refused
	}
	return oneContact(w, q)
}

// deleteContact is DELETE /contacts/{id} (workspace-api 2.9, 4.8).
func deleteContact(w *Handlers, q *Request, _ *input.Body) answer.Answer {
	if w.FindActive(q.ID) == nil {
		return answer.NotFound("Contact")
	}
	if _, refused := w.performOperation("contacts.delete", map[string]any{"id": q.ID}); refused != nil {
		return *refused
	}
	return deletedAnswer("contact", q.ID)
}

// deletedAnswer tells that something is no longer there (workspace-api 2.9).
func deletedAnswer(object, id string) answer.Answer {
	p := &jsontext.Writer{}
	p.Open("")
	p.TextOrNull("id", id)
	p.TextOrNull("object", object)
	p.Bool("deleted", true)
	p.Close()
	return answer.OK(p.Bytes)
}

// mergeContacts is POST /contacts/merge (workspace-api 3.2, 4.2).
func mergeContacts(w *Handlers, q *Request, b *input.Body) answer.Answer {
	b.RequireFields("from", "into")
	from, into := b.ReadID("from"), b.ReadID("into")
	if b.IsRefused() {
		return refusedBody(b)
	}
	lead, user := w.FindActive(from), w.FindActive(into)
	switch {
	case lead == nil || user == nil:
		return answer.NotFound("Contact")
	case lead.User || !user.User:
		return answer.Failure(http.StatusBadRequest, "invalid_merge", "Only a lead can be merged into a user")
	}
	if _, refused := w.performOperation("contacts.merge", map[string]any{"id": from, "into": into}); refused != nil {
		return *refused
	}
	q.ID = into
	return oneContact(w, q)
}

// convertVisitor is POST /visitors/convert (workspace-api 4.11). Visitors are not kept here: whoever it is becomes the user that is meant,
// who is made unless there is one, or a lead.
func convertVisitor(w *Handlers, q *Request, b *input.Body) answer.Answer {
	b.RequireFields("type", "visitor")
	role := b.ReadWord("type", "user", "lead")
	visitor := b.ReadObject("visitor")
	visitor.RequireOneOf("id", "user_id", "email")
	set := map[string]any{}
	if email := visitor.ReadText("email"); email != "" {
		set["email"] = email
	}
	id := ""
	if role == "user" {
		b.RequireFields("user")
		meant := b.ReadObject("user")
		id = meant.ReadID("id")
		for column, value := range map[string]string{"external_id": meant.ReadID("user_id"), "email": meant.ReadText("email")} {
			if value != "" {
				set[column] = value
			}
		}
		if set["email"] == nil { // or it is who the visitor is
			meant.RequireOneOf("id", "user_id", "email")
		}
	}
	switch {
	case b.IsRefused():
		return refusedBody(b)
	case role == "lead":
		return newContact(w, q, role, set)
	case id == "":
		w.Mu.Lock()
		external, _ := set["external_id"].(string)
		email, _ := set["email"].(string)
		id = w.FindByIdentity(external, email, func(d *event.Contact) bool { return d.User })
		w.Mu.Unlock()
	}
	if id == "" {
		return newContact(w, q, role, set)
	}
	if d := w.FindActive(id); d == nil || !d.User {
		return answer.NotFound("User")
	}
	q.ID = id
	return oneContact(w, q)
}

// contactToCreate reads a contact that is to come.
func contactToCreate(b *input.Body, v apiversion.Version) (role string, set map[string]any) {
	set, role = contactColumns(b, v), b.ReadWord("role", "user", "lead")
	if role == "" {
		b.RequireOneOf("role", "email", "external_id")
		role = "user"
	}
	return role, set
}

// contactToUpdate reads what is to be set of one, its role among it.
func contactToUpdate(b *input.Body, v apiversion.Version) map[string]any {
	set := contactColumns(b, v)
	if role := b.ReadWord("role", "user", "lead"); role != "" {
		set["role"] = role
	}
	return set
}

// contactColumns reads what can be written of a contact, by the names of columns. That an e-mail is verified can be said from 2.16
// on (workspace-api 9), and is as if left out before.
func contactColumns(b *input.Body, v apiversion.Version) map[string]any {
	set := map[string]any{}
	put := func(name string, value any) {
		if b.HasValue(name) {
			set[name] = value
		} else if b.WasSent(name) {
			set[name] = nil
		}
	}
	for _, name := range []string{"external_id", "email", "phone", "name", "avatar", "language_override"} {
		put(name, b.ReadText(name))
	}
	put("owner_id", content.ReadTeammate(b, "owner_id"))
	for _, name := range []string{"signed_up_at", "last_seen_at"} {
		put(name, b.ReadInt(name))
	}
	flags := []string{"unsubscribed_from_emails"}
	if v.AtLeast(apiversion.V216) {
		flags = append(flags, "email_verified")
	}
	for _, name := range flags {
		if b.WasSent(name) && !b.HasValue(name) {
			b.RefuseField(name, "true or false")
		}
		put(name, b.ReadBool(name))
	}
	for name, value := range b.ReadValues("custom_attributes") {
		set[event.OwnAttribute+name] = value
	}
	return set
}
