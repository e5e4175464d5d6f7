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

// createContact serves POST /contacts (workspace-api 2.1, 4.11). The contact has only what was sent. A contact with an external id or an
// e-mail is a user unless the role says otherwise.
func createContact(w *Handlers, q *Request, b *input.Body) answer.Answer {
	role, set := contactToCreate(w.Setup.Cast, b, q.Version)
	if b.IsRefused() {
		return refusedBody(b)
	}
	return newContact(w, q, role, set)
}

// newContact creates a contact unless an active user has the same external id or e-mail.
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

// updateContact serves PUT /contacts/{id}: fields that are sent are set, null clears one, and the others stay.
func updateContact(w *Handlers, q *Request, b *input.Body) answer.Answer {
	d, set := w.FindActive(q.ID), contactToUpdate(w.Setup.Cast, b, q.Version)
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

// deleteContact serves DELETE /contacts/{id} (workspace-api 2.9, 4.8).
func deleteContact(w *Handlers, q *Request, _ *input.Body) answer.Answer {
	if w.FindActive(q.ID) == nil {
		return answer.NotFound("Contact")
	}
	if _, refused := w.performOperation("contacts.delete", map[string]any{"id": q.ID}); refused != nil {
		return *refused
	}
	return deletedAnswer("contact", q.ID)
}

// deletedAnswer confirms that a record was deleted (workspace-api 2.9).
func deletedAnswer(object, id string) answer.Answer {
	p := &jsontext.Writer{}
	p.Open("")
	p.TextOrNull("id", id)
	p.TextOrNull("object", object)
	p.Bool("deleted", true)
	p.Close()
	return answer.OK(p.Bytes)
}

// mergeContacts serves POST /contacts/merge (workspace-api 3.2, 4.2).
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

// convertVisitor serves POST /visitors/convert (workspace-api 4.11). The emulator keeps no visitors: the visitor becomes the named user, which
// is created if it does not exist, or a lead.
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
		if set["email"] == nil { // without an e-mail of its own the visitor's user is named by one of these
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

// contactToCreate reads the role and the fields of a new contact.
func contactToCreate(cast *event.Cast, b *input.Body, v apiversion.Version) (role string, set map[string]any) {
	set, role = contactColumns(cast, b, v), b.ReadWord("role", "user", "lead")
	if role == "" {
		b.RequireOneOf("role", "email", "external_id")
		role = "user"
	}
	return role, set
}

// contactToUpdate reads the fields to set in a contact, including its role.
func contactToUpdate(cast *event.Cast, b *input.Body, v apiversion.Version) map[string]any {
	set := contactColumns(cast, b, v)
	if role := b.ReadWord("role", "user", "lead"); role != "" {
		set["role"] = role
	}
	return set
}

// contactColumns reads the writable fields of a contact, by the names of the oracle's columns. email_verified is accepted from 2.16 on
// (workspace-api 9); older versions ignore it.
func contactColumns(cast *event.Cast, b *input.Body, v apiversion.Version) map[string]any {
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
	put("owner_id", content.ReadTeammate(cast, b, "owner_id"))
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
