package tickets

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
	"aqueduck/internal/emulator/state/conversations"
	"aqueduck/internal/emulator/state/core"
)

var errOnlyNotes = errors.New("no customer reads it, so it takes only notes")

// CreateTicket opens a ticket of a type, by the type's id, for a contact or with "" for none, and returns its id. Attributes have the names of
// the type; missing ones are drawn.
func (w *Tickets) CreateTicket(contact, ticketType string, set ...event.FieldChange) (string, error) {
	n := NewTicket{Type: ticketType, Set: set}
	if contact != "" {
		n.Contacts = []string{contact}
	}
	return w.WriteTicket(n)
}

// ticketValues returns changes of attributes with their values as JSON text.
func (w *Desk) ticketValues(kind int, set []event.FieldChange) ([]event.FieldChange, error) {
	given := core.PlainChanges(set)
	for i, s := range given {
		_, raw, err := w.ticketValue(kind, s)
		if err != nil {
			return nil, err
		}
		given[i].Value = raw
	}
	return given, nil
}

// ticketValue returns the attribute of a change and its value as JSON text.
func (w *Desk) ticketValue(kind int, s event.FieldChange) (a event.TicketAttribute, raw string, err error) {
	a, ok := FindTicketAttribute(w.Setup.Cast, kind, s.Field)
	if !ok {
		return a, "", fmt.Errorf("no attribute %q", s.Field)
	}
	raw, err = TicketAttributeRaw(&a, s.Value)
	return a, raw, err
}

func (w *Desk) openTicket(at int64, who []*event.Contact, kind int, with *event.ThreadArgs) (num int32) {
	num = int32(len(w.TicketList))
	w.RecordTicketEvent(event.ThreadEvent{At: at, Until: at, Kind: event.ThreadOpened, Num: num, Place: int32(kind), Contacts: who, With: with})
	return num
}

// logTicketEvent logs one event of a ticket; add fills it in and may refuse it.
func (w *Desk) logTicketEvent(id string, add func(t *Ticket, r *event.RNG, e *event.ThreadEvent) error) error {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	num, err := w.FindTicket(id)
	if err != nil {
		return err
	}
	e := event.ThreadEvent{At: w.UnixNow(), Num: num, With: &event.ThreadArgs{}}
	r := event.NewRNG(w.Setup.Seed, event.ForTicketLife, 1, uint64(len(w.TicketLog)))
	if err := add(w.TicketDrawer().DrawTicket(w.TicketList[num].Newest), r, &e); err != nil {
		return fmt.Errorf("ticket %s: %w", id, err)
	}
	w.RecordTicketEvent(e)
	return nil
}

// logTicketPart logs the addition of a part, which change fills in.
func (w *Desk) logTicketPart(id string, change func(r *event.RNG, t *Ticket, p *event.Part) error) error {
	return w.logTicketEvent(id, func(t *Ticket, r *event.RNG, e *event.ThreadEvent) (err error) {
		w.Talks.AddPartTo(t.Conversation, e, func(p *event.Part) { err = change(r, t, p) })
		return err
	})
}

// ReplyTicket adds a comment or a note. Trackers, and back-office tickets that are not shared, refuse comments (workspace-api 4.11).
func (w *Tickets) ReplyTicket(id string, by conversations.Speaker, body string) error {
	return w.logTicketPart(id, func(r *event.RNG, t *Ticket, p *event.Part) error {
		draw, ok := conversations.Speakers[by]
		switch {
		case !ok:
			return fmt.Errorf("%q does not speak", by)
		case by != conversations.ByNote && !t.TakesComments():
			return errOnlyNotes
		}
		population.AsTicketPart(draw)(w.Maker, r, t.ticketScene(), p)
		p.Body = body
		return nil
	})
}

// SetTicketState moves a ticket to a state, by the state's id. A resolved ticket is closed.
func (w *Tickets) SetTicketState(id, state string) error {
	return w.UpdateTicket(id, TicketUpdate{State: state})
}

// CloseTicket resolves a ticket.
func (w *Tickets) CloseTicket(id string) error {
	return w.SetTicketState(id, w.Setup.Cast.TicketStates[event.TicketResolved].ID)
}

// SetTicketAttribute sets an attribute of the ticket's type; nil removes its value.
func (w *Tickets) SetTicketAttribute(id, name string, value any) error {
	return w.UpdateTicket(id, TicketUpdate{Set: []event.FieldChange{{Field: name, Value: value}}})
}

// AssignTicket adds a part that is one row of the table of workspace-api 2.10.
func (w *Tickets) AssignTicket(id string, as event.Assignment) error {
	return w.logTicketPart(id, func(r *event.RNG, _ *Ticket, p *event.Part) error {
		if as >= event.Assignments {
			return fmt.Errorf("no assignment %d", as)
		}
		w.Talks.Maker.FillAssignment(r, p, as)
		return nil
	})
}

// SnoozeTicket snoozes a ticket until a time.
func (w *Tickets) SnoozeTicket(id string, until time.Time) error {
	return w.logTicketPart(id, func(r *event.RNG, t *Ticket, p *event.Part) error {
		w.Talks.Maker.FillSnooze(r, t.ticketScene(), p)
		p.Until = until.Unix()
		return nil
	})
}

// LinkTicket links a conversation or another ticket, by its id.
func (w *Tickets) LinkTicket(id, object string) error {
	return w.logTicketEvent(id, func(t *Ticket, _ *event.RNG, e *event.ThreadEvent) error {
		l := event.LinkedObject{Type: "conversation", ID: object}
		if _, talk := w.Talks.FindThread(object); !talk {
			num, err := w.FindTicket(object)
			if err != nil {
				return err
			}
			l.Type, l.Category = "ticket", w.Setup.Cast.TicketTypes[w.TicketLog[w.TicketList[num].Newest.Opened].Place].Category
		}
		if t.isLinkedTo(object) {
			return fmt.Errorf("%s is linked already", object)
		}
		e.Kind, e.With.Linked = event.ThreadLinked, l
		return nil
	})
}

func (t *Ticket) isLinkedTo(object string) bool {
	return slices.ContainsFunc(t.Linked, func(l event.LinkedObject) bool { return l.ID == object })
}

// RedactTicketPart removes the text of a part (trap T59). bump says whether updated_at moves.
func (w *Tickets) RedactTicketPart(id, part string, bump bool) error {
	return w.logTicketEvent(id, func(t *Ticket, _ *event.RNG, e *event.ThreadEvent) (err error) {
		e.Kind, e.Quiet = event.ThreadRedacted, !bump
		e.Place, err = t.FindPart(part)
		return err
	})
}

// MutateTicketPart gives a part another assignment. Neither its updated_at nor the ticket's moves (trap T58).
func (w *Tickets) MutateTicketPart(id, part string, as event.Assignment) error {
	return w.logTicketEvent(id, func(t *Ticket, r *event.RNG, e *event.ThreadEvent) (err error) {
		row := w.Talks.Maker.DrawAssigned(r, as, e.At)
		e.Kind, e.Quiet, e.With.Assigned = event.ThreadPartChanged, true, &row
		e.Place, err = t.FindPart(part)
		return err
	})
}

// DeleteTicket deletes a ticket for good: search does not find it, and its id answers 404 (trap T60).
func (w *Tickets) DeleteTicket(id string) error {
	return w.logTicketEvent(id, func(_ *Ticket, _ *event.RNG, e *event.ThreadEvent) error {
		e.Kind = event.ThreadDeleted
		return nil
	})
}

// TicketIDs returns the ids of all existing tickets, in the order of their beginning.
func (w *Tickets) TicketIDs() []string {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	ids := make([]string, 0, len(w.TicketList))
	for num := range w.TicketList {
		if !w.TicketList[num].Deleted {
			ids = append(ids, event.TicketID(int32(num)))
		}
	}
	return ids
}

// TicketPartIDs returns the ids of a ticket's parts, oldest first; nil where there is no such ticket.
func (w *Tickets) TicketPartIDs(id string) []string {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	num, err := w.FindTicket(id)
	if err != nil {
		return nil
	}
	return w.TicketList[num].PartIDs(num)
}
