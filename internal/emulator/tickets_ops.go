package emulator

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
)

// ErrNoTicket is answered when an operation names a ticket that is not there.
var ErrNoTicket = errors.New("no such ticket")

var errOnlyNotes = errors.New("no customer reads it, so it takes only notes")

// CreateTicket opens a ticket of a type, by its id, for a contact, or for none when it is "", and gives the ticket's id.
// Attributes are named as the type names them; what is not said is drawn.
func (w *ticketOps) CreateTicket(contact, ticketType string, set ...event.Change) (string, error) {
	n := NewTicket{Type: ticketType, Set: set}
	if contact != "" {
		n.Contacts = []string{contact}
	}
	return w.WriteTicket(n)
}

// ticketValues gives changes of attributes with their values as JSON text.
func ticketValues(kind int, set []event.Change) ([]event.Change, error) {
	given := plain(set)
	for i, s := range given {
		_, raw, err := ticketValue(kind, s)
		if err != nil {
			return nil, err
		}
		given[i].Value = raw
	}
	return given, nil
}

// ticketValue gives the attribute that a change is of and its value as JSON text.
func ticketValue(kind int, s event.Change) (a event.TicketAttribute, raw string, err error) {
	a, ok := ticketAttributeNamed(kind, s.Field)
	if !ok {
		return a, "", fmt.Errorf("no attribute %q", s.Field)
	}
	raw, err = ticketAttributeRaw(&a, s.Value)
	return a, raw, err
}

func (w *ticketDesk) openTicket(at int64, who []*event.Contact, kind int, with *event.ThreadArgs) (num int32) {
	num = int32(len(w.ticketList))
	w.recordTicket(event.ThreadEvent{At: at, Until: at, Kind: event.ThreadOpened, Num: num, Place: int32(kind), Who: who, With: with})
	return num
}

// onTicket logs one event of a ticket, filled in by what the operation adds. It may be refused.
func (w *ticketDesk) onTicket(id string, add func(t *ticket, r *event.RNG, e *event.ThreadEvent) error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	num, err := w.ticketNamed(id)
	if err != nil {
		return err
	}
	e := event.ThreadEvent{At: w.now(), Num: num, With: &event.ThreadArgs{}}
	r := event.NewRNG(w.cfg.Seed, event.ForTicketLife, 1, uint64(len(w.ticketLog)))
	if err := add(w.ticketDrawer().draw(w.ticketList[num].now), r, &e); err != nil {
		return fmt.Errorf("ticket %s: %w", id, err)
	}
	w.recordTicket(e)
	return nil
}

// speakOn logs the addition of a part, which change fills in.
func (w *ticketDesk) speakOn(id string, change func(r *event.RNG, t *ticket, p *event.Part) error) error {
	return w.onTicket(id, func(t *ticket, r *event.RNG, e *event.ThreadEvent) (err error) {
		w.talks.speak(t.conversation, e, func(p *event.Part) { err = change(r, t, p) })
		return err
	})
}

// ReplyTicket adds a comment or a note. Where no customer reads, on a tracker and on a ticket of the back office that is not
// shared, a comment is refused (workspace-api 4.11).
func (w *ticketOps) ReplyTicket(id string, by Speaker, body string) error {
	return w.speakOn(id, func(r *event.RNG, t *ticket, p *event.Part) error {
		draw, ok := speakers[by]
		switch {
		case !ok:
			return fmt.Errorf("%q does not speak", by)
		case by != ByNote && !t.takesComments():
			return errOnlyNotes
		}
		population.InTicket(draw)(w.ticketing, r, t.scene(), p)
		p.Body = body
		return nil
	})
}

// SetTicketState moves a ticket to a state, by the state's id. What is resolved is closed.
func (w *ticketOps) SetTicketState(id, state string) error {
	return w.UpdateTicket(id, TicketUpdate{State: state})
}

// CloseTicket resolves a ticket.
func (w *ticketOps) CloseTicket(id string) error {
	return w.SetTicketState(id, event.TicketStates[event.TicketResolved].ID)
}

// SetTicketAttribute sets an attribute of the ticket's type, or with nil takes its value away.
func (w *ticketOps) SetTicketAttribute(id, name string, value any) error {
	return w.UpdateTicket(id, TicketUpdate{Set: []event.Change{{Field: name, Value: value}}})
}

// AssignTicket adds a part that is one row of the table of workspace-api 2.10.
func (w *ticketOps) AssignTicket(id string, as event.Assignment) error {
	return w.speakOn(id, func(r *event.RNG, _ *ticket, p *event.Part) error {
		if as >= event.Assignments {
			return fmt.Errorf("no assignment %d", as)
		}
		w.talks.conv.Assign(r, p, as)
		return nil
	})
}

// SnoozeTicket puts one away until a time.
func (w *ticketOps) SnoozeTicket(id string, until time.Time) error {
	return w.speakOn(id, func(r *event.RNG, t *ticket, p *event.Part) error {
		w.talks.conv.Snoozes(r, t.scene(), p)
		p.Until = until.Unix()
		return nil
	})
}

// LinkTicket links a conversation or another ticket, by its id.
func (w *ticketOps) LinkTicket(id, object string) error {
	return w.onTicket(id, func(t *ticket, _ *event.RNG, e *event.ThreadEvent) error {
		l := event.LinkedObject{Type: "conversation", ID: object}
		if _, talk := w.talks.thread(object); !talk {
			num, err := w.ticketNamed(object)
			if err != nil {
				return err
			}
			l.Type, l.Category = "ticket", event.TicketTypes[w.ticketLog[w.ticketList[num].now.born].Place].Category
		}
		if t.links(object) {
			return fmt.Errorf("%s is linked already", object)
		}
		e.Kind, e.With.Linked = event.ThreadLinked, l
		return nil
	})
}

func (t *ticket) links(object string) bool {
	return slices.ContainsFunc(t.Linked, func(l event.LinkedObject) bool { return l.ID == object })
}

// RedactTicketPart takes the words of a part out (trap T59). bump says whether updated_at moves.
func (w *ticketOps) RedactTicketPart(id, part string, bump bool) error {
	return w.onTicket(id, func(t *ticket, _ *event.RNG, e *event.ThreadEvent) (err error) {
		e.Kind, e.Quiet = event.ThreadRedacted, !bump
		e.Place, err = t.place(part)
		return err
	})
}

// MutateTicketPart gives a part another assignment; neither its updated_at nor the ticket's moves (trap T58).
func (w *ticketOps) MutateTicketPart(id, part string, as event.Assignment) error {
	return w.onTicket(id, func(t *ticket, r *event.RNG, e *event.ThreadEvent) (err error) {
		row := w.talks.conv.Row(r, as, e.At)
		e.Kind, e.Quiet, e.With.Assigned = event.ThreadPartChanged, true, &row
		e.Place, err = t.place(part)
		return err
	})
}

// DeleteTicket takes one away for good: search does not find it, and its id answers 404 (trap T60).
func (w *ticketOps) DeleteTicket(id string) error {
	return w.onTicket(id, func(_ *ticket, _ *event.RNG, e *event.ThreadEvent) error {
		e.Kind = event.ThreadDeleted
		return nil
	})
}

// TicketIDs gives the ids of all tickets that are there, in the order of their beginning.
func (w *ticketOps) TicketIDs() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	ids := make([]string, 0, len(w.ticketList))
	for num := range w.ticketList {
		if !w.ticketList[num].deleted {
			ids = append(ids, event.TicketID(int32(num)))
		}
	}
	return ids
}

// TicketPartIDs gives the ids of a ticket's parts, oldest first; nil where there is no such ticket.
func (w *ticketOps) TicketPartIDs(id string) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	num, err := w.ticketNamed(id)
	if err != nil {
		return nil
	}
	return w.ticketList[num].partIDs(num)
}

// partIDs are those of a thread, oldest first.
func (t *thread) partIDs(num int32) []string {
	var ids []string
	for place := range int(t.parts) {
		ids = append(ids, strconv.FormatInt(event.PartID(num, place), 10))
	}
	return ids
}
