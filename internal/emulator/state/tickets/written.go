package tickets

import (
	"errors"
	"fmt"
	"strconv"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/state/contacts"
	"aqueduck/internal/emulator/state/conversations"
)

// RoundRobinTeam passes its assignments on to a teammate.
func (w *Desk) RoundRobinTeam() int64 { return w.Setup.Cast.Teams[1].ID }

// NextInRoundRobin returns the teammate that the round robin assigns next. The caller holds the lock.
func (w *Desk) NextInRoundRobin() event.Admin {
	turn := len(w.Talks.ConversationLog) + len(w.TicketLog)
	return w.Setup.Cast.Admins[turn%((len(w.Setup.Cast.Admins)+1)/2)*2] // every second admin is in the teams
}

// NewTicket is a ticket to create (workspace-api 4.11). Attributes have the names of its type.
type NewTicket struct {
	Type           string
	Contacts       []string // by id
	Set            []event.FieldChange
	Exactly        bool // it has only the attributes of Set and no links; otherwise missing ones are drawn
	Teammate, Team string
}

// WriteTicket opens a ticket, assigned to a team, a teammate, both or nobody, and returns its id.
func (w *Tickets) WriteTicket(n NewTicket) (string, error) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	open, err := w.PlanTicket(n)
	if err != nil {
		return "", fmt.Errorf("create a ticket: %w", err)
	}
	return open(w.UnixNow()), nil
}

// PlanTicket checks a ticket and returns the function that opens it at a time. The caller holds the lock.
func (w *Desk) PlanTicket(n NewTicket) (open func(at int64) string, err error) {
	kind, err := FindTicketType(w.Setup.Cast, n.Type)
	if err != nil {
		return nil, err
	}
	with := &event.ThreadArgs{Exactly: n.Exactly}
	if with.Set, err = w.ticketValues(kind, n.Set); err != nil {
		return nil, err
	}
	var who []*event.Contact
	for _, id := range n.Contacts {
		num, known := w.People.ByID[id]
		if !known {
			return nil, fmt.Errorf("contact %s: %w", id, contacts.ErrUnknown)
		}
		who = append(who, w.People.List[num].Doc)
	}
	rows, err := w.chargeRows(n.Team, n.Teammate)
	if err != nil {
		return nil, err
	}
	return func(at int64) string {
		num := w.openTicket(at, who, kind, with)
		for _, row := range rows {
			w.addTicketPartAt(num, at, func(_ *event.RNG, _ *Ticket, p *event.Part) {
				p.Type, p.Author, p.Assigned = "assignment", event.Bot, row
			})
		}
		return event.TicketID(num)
	}, nil
}

// chargeRows returns the rows of the table of workspace-api 2.10 that assign a team and a teammate by id; "" is none. A team may pass the
// ticket on to a teammate by round robin.
func (w *Desk) chargeRows(team, teammate string) (rows []event.Assigned, err error) {
	if teammate == "" && team == strconv.FormatInt(w.RoundRobinTeam(), 10) {
		return []event.Assigned{{As: event.AssignTeamAndTeammate, Team: w.RoundRobinTeam(), Admin: w.NextInRoundRobin().ID}}, nil
	}
	if team != "" {
		id, err := w.FindTeam(team)
		if err != nil {
			return nil, err
		}
		rows = append(rows, event.Assigned{As: event.AssignTeam, Team: id})
	}
	if teammate != "" {
		one, err := w.FindAdmin(teammate)
		if err != nil {
			return nil, err
		}
		rows = append(rows, event.Assigned{As: event.AssignTeammate, Admin: one.ID})
	}
	return rows, nil
}

// addTicketPartAt adds a part to a ticket at a time. The caller holds the lock.
func (w *Desk) addTicketPartAt(num int32, at int64, change func(r *event.RNG, t *Ticket, p *event.Part)) {
	t, e := w.TicketDrawer().DrawTicket(w.TicketList[num].Newest), event.ThreadEvent{At: at, Num: num, With: &event.ThreadArgs{}}
	r := event.NewRNG(w.Setup.Seed, event.ForTicketLife, 1, uint64(len(w.TicketLog)))
	w.Talks.AddPartTo(t.Conversation, &e, func(p *event.Part) { change(r, t, p) })
	w.RecordTicketEvent(e)
}

// TicketUpdate is a set of changes to a ticket.
type TicketUpdate struct {
	Set    []event.FieldChange // attributes of its type; nil removes a value
	State  string              // id of the new state; "": unchanged
	Assign event.Assignment    // a row of the table of workspace-api 2.10
	Who    conversations.Naming
	Share  *bool // whether the customer sees a back-office ticket; nil: unchanged
}

// UpdateTicket shares, sets attributes, moves and assigns, each by its own part. When one change is invalid, none is made.
func (w *Tickets) UpdateTicket(id string, u TicketUpdate) error {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	num, err := w.FindTicket(id)
	if err != nil {
		return err
	}
	kind, at := int(w.TicketLog[w.TicketList[num].Newest.Opened].Place), w.UnixNow()
	given, err := w.ticketValues(kind, u.Set)
	if err == nil {
		err = w.Talks.NameAssignment(&event.Part{Assigned: event.Assigned{As: u.Assign}}, u.Who)
	}
	stage, none := FindTicketState(w.Setup.Cast, u.State)
	if err == nil && u.State != "" {
		err = none
	}
	if err == nil && u.Share != nil && w.Setup.Cast.TicketTypes[kind].Category != event.BackOfficeTicket {
		err = errors.New("only one of the back office is shared, or is not")
	}
	if err != nil {
		return fmt.Errorf("ticket %s: %w", id, err)
	}
	if u.Share != nil {
		w.RecordTicketEvent(event.ThreadEvent{At: at, Kind: event.ThreadFieldsSet, Num: num, With: &event.ThreadArgs{Set: []event.FieldChange{{Field: "is_shared", Value: *u.Share}}}})
	}
	says := func(change func(r *event.RNG, t *Ticket, p *event.Part)) {
		w.addTicketPartAt(num, at, func(r *event.RNG, t *Ticket, p *event.Part) {
			change(r, t, p)
			_ = w.Talks.NameAssignment(p, u.Who) // checked above
		})
	}
	for _, s := range given {
		a, _ := FindTicketAttribute(w.Setup.Cast, kind, s.Field)
		says(func(r *event.RNG, _ *Ticket, p *event.Part) { w.Maker.FillAttributeValue(r, p, a, s.Value.(string)) })
	}
	if u.State != "" {
		says(func(r *event.RNG, t *Ticket, p *event.Part) { w.Maker.FillMoveToState(r, t.ticketScene(), p, stage) })
	}
	if u.Assign != event.AssignNothing {
		says(func(r *event.RNG, _ *Ticket, p *event.Part) { w.Talks.Maker.FillAssignment(r, p, u.Assign) })
	}
	return nil
}

// ReplyTicketAs adds a comment or a note by a named author, like ReplyAs. Tickets that no customer reads refuse comments.
func (w *Tickets) ReplyTicketAs(id string, by conversations.Speaker, who, body string) error {
	return w.logTicketPart(id, func(_ *event.RNG, t *Ticket, p *event.Part) error {
		if by != conversations.ByNote && !t.TakesComments() {
			return errOnlyNotes
		}
		return w.Talks.FillWords(t.Conversation, p, by, who, body)
	})
}
