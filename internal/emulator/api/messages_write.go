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
)

// createMessage serves POST /messages: an admin writes to contacts, which begins a conversation. Up to 2.13 there is one recipient. From 2.14
// on there may be several, with visible and hidden copies (workspace-api 4.11, 9).
func createMessage(w *Handlers, q *Request, b *input.Body) answer.Answer {
	b.RequireFields("from", "to", "message_type", "body")
	from := b.ReadObject("from")
	from.RequireFields("type", "id")
	from.ReadWord("type", "admin")
	kind := b.ReadWord("message_type", "inapp", "email")
	if b.HasValue("body") && b.ReadText("body") == "" {
		b.RefuseField("body", "a text that says something")
	}
	m := conversations.Message{From: from.ReadID("id"), Type: kind, Subject: b.ReadText("subject"), Body: b.ReadText("body")}
	if kind == "inapp" {
		m.Type = "conversation"
	}
	lists := recipientsOf(b, q.Version)
	_, err := w.FindAdmin(m.From)
	switch {
	case b.IsRefused():
		return refusedBody(b)
	case err != nil:
		return answer.NotFound("Admin")
	case !w.areRecipientsActive(lists):
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
	made, refused := w.performOperation("messages.send", with)
	if refused != nil {
		return *refused
	}
	return w.messageSent(made["id"], kind, lists)
}

// createConversation serves POST /conversations: a contact begins a conversation. The answer is the contact's message.
func createConversation(w *Handlers, q *Request, b *input.Body) answer.Answer {
	b.RequireFields("from", "body")
	from, body := b.ReadObject("from"), b.ReadText("body")
	from.RequireFields("type", "id")
	who := messageRecipient{from.ReadWord("type", "user", "lead", "contact"), from.ReadID("id")}
	if b.HasValue("body") && body == "" {
		b.RefuseField("body", "a text that says something")
	}
	d := w.FindActive(who.id)
	switch {
	case b.IsRefused():
		return refusedBody(b)
	case d == nil, who.role != "contact" && who.role != contacts.RoleOf(d):
		return answer.NotFound("Contact")
	}
	made, refused := w.performOperation("conversations.open", map[string]any{"contact": who.id, "body": body})
	if refused != nil {
		return *refused
	}
	c := w.Conversations.LoadConversation(made["id"])
	p := &jsontext.Writer{}
	p.Open("")
	p.TextOrNull("type", "user_message")
	p.TextOrNull("id", c.Source.ID)
	p.TimeOrNull("created_at", c.Created)
	p.TextOrNull("message_type", "inapp")
	p.TextOrNull("body", c.Source.Body)
	p.TextOrNull("conversation_id", c.ID)
	p.Close()
	return answer.OK(p.Bytes)
}

// messageRecipient is a contact that a message goes to.
type messageRecipient struct{ role, id string }

var recipientFields = [3]string{"to", "cc", "bcc"}

// recipientsOf reads the three lists of recipients: to, cc, bcc.
func recipientsOf(b *input.Body, v apiversion.Version) (lists [3][]messageRecipient) {
	for i, name := range recipientFields {
		var all []*input.Body
		one := b.HasValue(name) && b.Fields[name][0] == '{'
		switch several := v.AtLeast(apiversion.V214); {
		case !several && i > 0:
			continue // cc and bcc came with 2.14
		case several && !one:
			all = b.ReadObjects(name)
		default:
			all = []*input.Body{b.ReadObject(name)}
		}
		if i == 0 && b.HasValue(name) && len(all) == 0 {
			b.RefuseField(name, "a list of at least one")
		}
		for _, who := range all {
			who.RequireFields("type", "id")
			lists[i] = append(lists[i], messageRecipient{who.ReadWord("type", "user", "lead"), who.ReadID("id")})
		}
	}
	return lists
}

// areRecipientsActive reports whether all recipients are active contacts with the role that the request gives them.
func (w *Handlers) areRecipientsActive(lists [3][]messageRecipient) bool {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	return !slices.ContainsFunc(slices.Concat(lists[0], lists[1], lists[2]), func(r messageRecipient) bool {
		d := w.ActiveContact(r.id)
		return d == nil || contacts.RoleOf(d) != r.role
	})
}

// messageSent answers with the message that began a conversation.
func (w *Handlers) messageSent(conversation, kind string, lists [3][]messageRecipient) answer.Answer {
	c := w.Conversations.LoadConversation(conversation)
	p := &jsontext.Writer{}
	p.Open("")
	p.TextOrNull("type", "admin_message")
	p.TextOrNull("id", c.Source.ID)
	p.TimeOrNull("created_at", c.Created)
	p.TextOrNull("message_type", kind)
	p.TextOrNull("subject", c.Source.Subject)
	p.TextOrNull("body", c.Source.Body)
	p.Open("from")
	p.TextOrNull("type", c.Source.Author.Type)
	p.TextOrNull("id", c.Source.Author.ID)
	p.Close()
	for i, name := range recipientFields {
		p.OpenList(name)
		for _, one := range lists[i] {
			p.OpenItem()
			p.TextOrNull("type", one.role)
			p.TextOrNull("id", one.id)
			p.Close()
		}
		p.CloseList()
	}
	p.TextOrNull("conversation_id", conversation)
	p.Close()
	return answer.OK(p.Bytes)
}
