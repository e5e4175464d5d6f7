package api

import (
	"slices"
	"strings"

	"aqueduck/internal/emulator/api/answer"
	"aqueduck/internal/emulator/apiversion"
	"aqueduck/internal/emulator/input"
	"aqueduck/internal/emulator/jsontext"
	"aqueduck/internal/emulator/state/contacts"
	"aqueduck/internal/emulator/state/conversations"
	"aqueduck/internal/emulator/state/core"
)

// createMessage is POST /messages: an admin writes to contacts, which begins a conversation. Up to 2.13 it is one contact; from
// 2.14 on there may be several, and further ones who get a copy, whom the others see or not (workspace-api 4.11, 9).
func createMessage(w *Handlers, q *Request, b *input.Body) answer.Answer {
	b.Need("from", "to", "message_type", "body")
	from := b.Object("from")
	from.Need("type", "id")
	from.Word("type", "admin")
	kind := b.Word("message_type", "inapp", "email")
	if b.Holds("body") && b.Text("body") == "" {
		b.Invalid("body", "a text that says something")
	}
	m := conversations.Message{From: from.ID("id"), Type: kind, Subject: b.Text("subject"), Body: b.Text("body")}
	if kind == "inapp" {
		m.Type = "conversation"
	}
	lists := recipientsOf(b, q.Version)
	_, err := core.FindAdmin(m.From)
	switch {
	case b.Refused():
		return refusedBody(b)
	case err != nil:
		return answer.NotFound("Admin")
	case !w.reached(lists):
		return answer.NotFound("Contact")
	}
	with := map[string]any{"from": m.From, "type": m.Type, "subject": m.Subject, "body": m.Body}
	for i, name := range recipientFields {
		ids := make([]string, len(lists[i]))
		for n, one := range lists[i] {
			ids[n] = one.id
		}
		with[name] = strings.Join(ids, " ")
	}
	made, refused := w.perform("messages.send", with)
	if refused != nil {
		return *refused
	}
	return w.messageSent(made["id"], kind, lists)
}

// recipient is somebody whom a message goes to.
type recipient struct{ role, id string }

var recipientFields = [3]string{"to", "cc", "bcc"}

// recipientsOf reads the three lists of them.
func recipientsOf(b *input.Body, v apiversion.Version) (lists [3][]recipient) {
	for i, name := range recipientFields {
		var all []*input.Body
		one := b.Holds(name) && b.Fields[name][0] == '{'
		switch several := v.AtLeast(apiversion.V214); {
		case !several && i > 0:
			continue // of 2.14
		case several && !one:
			all = b.Objects(name)
		default:
			all = []*input.Body{b.Object(name)}
		}
		if i == 0 && b.Holds(name) && len(all) == 0 {
			b.Invalid(name, "a list of at least one")
		}
		for _, who := range all {
			who.Need("type", "id")
			lists[i] = append(lists[i], recipient{who.Word("type", "user", "lead"), who.ID("id")})
		}
	}
	return lists
}

// reached says whether all recipients are active contacts of the role that they are named with.
func (w *Handlers) reached(lists [3][]recipient) bool {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	return !slices.ContainsFunc(slices.Concat(lists[0], lists[1], lists[2]), func(r recipient) bool {
		d := w.ActiveContact(r.id)
		return d == nil || contacts.RoleOf(d) != r.role
	})
}

// messageSent answers with the message that a conversation began with.
func (w *Handlers) messageSent(conversation, kind string, lists [3][]recipient) answer.Answer {
	c := w.Conversations.Find(conversation)
	p := &jsontext.Writer{}
	p.Open("")
	p.Text("type", "admin_message")
	p.Text("id", c.Source.ID)
	p.Time("created_at", c.Created)
	p.Text("message_type", kind)
	p.Text("subject", c.Source.Subject)
	p.Text("body", c.Source.Body)
	p.Open("from")
	p.Text("type", c.Source.Author.Type)
	p.Text("id", c.Source.Author.ID)
	p.Close()
	for i, name := range recipientFields {
		p.List(name)
		for _, one := range lists[i] {
			p.Item()
			p.Text("type", one.role)
			p.Text("id", one.id)
			p.Close()
		}
		p.End()
	}
	p.Text("conversation_id", conversation)
	p.Close()
	return answer.OK(p.Bytes)
}
