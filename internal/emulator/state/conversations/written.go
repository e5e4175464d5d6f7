package conversations

import (
	"errors"
	"fmt"
	"slices"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
	"aqueduck/internal/emulator/state/contacts"
)

// Naming names the actor and the assignees of an assignment by id; "" is drawn.
type Naming struct {
	By       string // an admin, or the AI operator
	Teammate string
	Team     string
}

// NameAssignment sets the actor and the assignees of a part that assigns. The caller holds the lock.
func (w *Desk) NameAssignment(p *event.Part, who Naming) (err error) {
	if who.By != "" {
		if p.Author, err = w.NewAuthor(who.By); err != nil {
			return err
		}
	}
	a := &p.Assigned
	if who.Teammate != "" && (a.As == event.AssignTeammate || a.As == event.AssignTeamAndTeammate) {
		teammate, err := w.FindAdmin(who.Teammate)
		if err != nil {
			return err
		}
		a.Admin = teammate.ID
	}
	if who.Team != "" && (a.As == event.AssignTeam || a.As == event.AssignTeamAndTeammate) {
		a.Team, err = w.FindTeam(who.Team)
	}
	return err
}

// FillWords makes a part a comment or a note by a contact who takes part or an admin, named by id. The part has only the body.
func (w *Desk) FillWords(c *Conversation, p *event.Part, by Speaker, who, body string) (err error) {
	p.Body = body
	switch by {
	case ByContact:
		i := slices.IndexFunc(c.Contacts, func(d *event.Contact) bool { return d.ID == who })
		if i < 0 || w.People.ActiveContact(who) == nil {
			return fmt.Errorf("contact %q of it: %w", who, contacts.ErrUnknown)
		}
		p.Author, p.State = population.ContactAuthor(c.Contacts[i]), "open"
	case ByTeammate:
		p.Author, err = w.NewAuthor(who)
	case ByNote:
		p.Type, p.Notified = "note", 0
		p.Author, err = w.NewAuthor(who)
	default:
		err = errors.New("only a contact and an admin are named")
	}
	return err
}

// ReplyAs adds a comment or a note by a participating contact or an admin, named by id. The part has only the body. A contact reopens a closed
// or snoozed conversation.
func (w *Conversations) ReplyAs(id string, by Speaker, who, body string) error {
	return w.updateByID(id, func(c *Conversation, _ *event.RNG, e *event.ThreadEvent) (err error) {
		w.AddPartTo(c, e, func(p *event.Part) { err = w.FillWords(c, p, by, who, body) })
		return err
	})
}

// ChangeState adds a part that moves a conversation to another state, by an admin with optional words, or by a drawn one when by is "".
func (w *Desk) ChangeState(id, by, words string, draw func(m *population.Conversations, r *event.RNG, s *population.Scene, p *event.Part)) error {
	return w.updateByID(id, func(c *Conversation, r *event.RNG, e *event.ThreadEvent) (err error) {
		w.AddPartTo(c, e, func(p *event.Part) {
			if draw(w.Maker, r, c.Scene(), p); by != "" {
				p.Body = words
				p.Author, err = w.NewAuthor(by)
			}
		})
		return err
	})
}

// BeginConversation has an active contact begin a conversation with a message, and returns its id. The conversation has only that message.
func (w *Conversations) BeginConversation(contact, body string) (string, error) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	d := w.People.ActiveContact(contact)
	if d == nil {
		return "", fmt.Errorf("begin a conversation: contact %s: %w", contact, contacts.ErrUnknown)
	}
	return w.beginWith([]*event.Contact{d}, event.Source{Type: population.Channels[0], Delivered: "customer_initiated", Body: body, Author: population.ContactAuthor(d)}), nil
}

// beginWith begins a conversation with its first message and nothing else. The caller holds the lock.
func (w *Desk) beginWith(who []*event.Contact, opening event.Source) string {
	num := int32(len(w.Threads))
	opening.ID = event.MessageID(num)
	w.RecordThreadEvent(event.ThreadEvent{At: w.UnixNow(), Kind: event.ThreadOpened, Num: num, Contacts: who, With: &event.ThreadArgs{Message: &opening}})
	return event.ConversationID(num)
}

// Message is a message that an admin sends to contacts (workspace-api 4.11).
type Message struct {
	From          string   // id of the admin
	To, Cc, Bcc   []string // ids of active contacts; those in Bcc are not visible to the others
	Type          string   // type of the source, such as email
	Subject, Body string
}

// SendMessage has an admin begin a conversation with contacts, and returns its id.
func (w *Conversations) SendMessage(m Message) (string, error) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	from, err := w.NewAuthor(m.From)
	if err != nil {
		return "", fmt.Errorf("send a message: %w", err)
	}
	if len(m.To) == 0 {
		return "", errors.New("send a message: to nobody")
	}
	var who []*event.Contact
	for i, id := range slices.Concat(m.To, m.Cc, m.Bcc) {
		d := w.People.ActiveContact(id)
		if d == nil {
			return "", fmt.Errorf("send a message: contact %s: %w", id, contacts.ErrUnknown)
		}
		if i < len(m.To)+len(m.Cc) && !slices.Contains(who, d) {
			who = append(who, d)
		}
	}
	return w.beginWith(who, event.Source{Type: m.Type, Delivered: "operator_initiated", Subject: m.Subject, Body: m.Body, Author: from}), nil
}
