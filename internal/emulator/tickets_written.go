package emulator

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"aqueduck/internal/emulator/event"
)

// NewTicket is a ticket as somebody writes it (workspace-api 4.11). Attributes are named as its type names them.
type NewTicket struct {
	Type           string
	Contacts       []string // their ids
	Set            []event.Change
	Exactly        bool // it has the attributes of Set and is linked to nothing; else what is not said is drawn
	Teammate, Team string
}

// WriteTicket opens a ticket, assigned to a team, to a teammate, to both or to nobody, and gives its id.
func (w *ticketOps) WriteTicket(n NewTicket) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	open, err := w.plannedTicket(n)
	if err != nil {
		return "", fmt.Errorf("create a ticket: %w", err)
	}
	return open(w.now()), nil
}

// EnqueueTicket starts a job that opens a ticket when it succeeds, and gives the job's id. What cannot be opened is refused now;
// when one of its contacts has gone by then, the job fails. Durations of 0 are the usual ones of JobPlan.
func (w *jobDesk) EnqueueTicket(n NewTicket, pending, working time.Duration) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, err := w.tickets.plannedTicket(n); err != nil {
		return "", fmt.Errorf("enqueue a ticket: %w", err)
	}
	place := w.addJob(JobTicket, JobPlan{Pending: pending, Working: working})
	w.happensAt(w.jobs[place].over(), func(at int64) {
		j := &w.jobs[place]
		open, err := w.tickets.plannedTicket(n)
		gone := slices.ContainsFunc(n.Contacts, func(id string) bool { return w.people.activeContact(id) == nil })
		if j.plan.Fails = gone || err != nil; !j.plan.Fails {
			j.plan.Resource = open(at)
		}
	})
	return jobID(place), nil
}

// plannedTicket checks a ticket and gives what opens it at a time. The lock is held.
func (w *ticketDesk) plannedTicket(n NewTicket) (open func(at int64) string, err error) {
	kind, err := ticketTypeNamed(n.Type)
	if err != nil {
		return nil, err
	}
	with := &event.ThreadArgs{Exactly: n.Exactly}
	if with.Set, err = ticketValues(kind, n.Set); err != nil {
		return nil, err
	}
	var who []*event.Contact
	for _, id := range n.Contacts {
		num, known := w.people.byID[id]
		if !known {
			return nil, fmt.Errorf("contact %s: %w", id, ErrUnknown)
		}
		who = append(who, w.people.contacts[num].doc)
	}
	rows, err := w.charges(n.Team, n.Teammate)
	if err != nil {
		return nil, err
	}
	return func(at int64) string {
		num := w.openTicket(at, who, kind, with)
		for _, row := range rows {
			w.sayOn(num, at, func(_ *event.RNG, _ *ticket, p *event.Part) {
				p.Type, p.Author, p.Assigned = "assignment", event.Bot, row
			})
		}
		return event.TicketID(num)
	}, nil
}

// charges are the rows of the table of workspace-api 2.10 that put a team and a teammate in charge, by their ids; "" is none, and
// a team may hand on to a teammate by round robin.
func (w *ticketDesk) charges(team, teammate string) (rows []event.Assigned, err error) {
	if teammate == "" && team == strconv.FormatInt(roundRobinTeam, 10) {
		return []event.Assigned{{As: event.AssignTeamAndTeammate, Team: roundRobinTeam, Admin: w.nextInTurn().ID}}, nil
	}
	if team != "" {
		id, err := w.teamNamed(team)
		if err != nil {
			return nil, err
		}
		rows = append(rows, event.Assigned{As: event.AssignTeam, Team: id})
	}
	if teammate != "" {
		one, err := adminNamed(teammate)
		if err != nil {
			return nil, err
		}
		rows = append(rows, event.Assigned{As: event.AssignTeammate, Admin: one.ID})
	}
	return rows, nil
}

// sayOn adds a part to a ticket at a time. The lock is held.
func (w *ticketDesk) sayOn(num int32, at int64, change func(r *event.RNG, t *ticket, p *event.Part)) {
	t, e := w.ticketDrawer().draw(w.ticketList[num].now), event.ThreadEvent{At: at, Num: num, With: &event.ThreadArgs{}}
	r := event.NewRNG(w.cfg.Seed, event.ForTicketLife, 1, uint64(len(w.ticketLog)))
	w.talks.speak(t.conversation, &e, func(p *event.Part) { change(r, t, p) })
	w.recordTicket(e)
}

// TicketUpdate is what somebody changes of a ticket at once.
type TicketUpdate struct {
	Set    []event.Change   // attributes of its type; nil takes a value away
	State  string           // the id of the state that it is moved to; "": none
	Assign event.Assignment // a row of the table of workspace-api 2.10
	Who    Naming
	Share  *bool // whether the customer sees one of the back office from now on; nil: as before
}

// UpdateTicket shares, sets attributes, moves and assigns, each by a part of its own. When one of them cannot be, nothing happens.
func (w *ticketOps) UpdateTicket(id string, u TicketUpdate) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	num, err := w.ticketNamed(id)
	if err != nil {
		return err
	}
	kind, at := int(w.ticketLog[w.ticketList[num].now.born].Place), w.now()
	given, err := ticketValues(kind, u.Set)
	if err == nil {
		err = w.talks.naming(&event.Part{Assigned: event.Assigned{As: u.Assign}}, u.Who)
	}
	stage, none := ticketStateNamed(u.State)
	if err == nil && u.State != "" {
		err = none
	}
	if err == nil && u.Share != nil && event.TicketTypes[kind].Category != event.BackOfficeTicket {
		err = errors.New("only one of the back office is shared, or is not")
	}
	if err != nil {
		return fmt.Errorf("ticket %s: %w", id, err)
	}
	if u.Share != nil {
		w.recordTicket(event.ThreadEvent{At: at, Kind: event.ThreadFieldsSet, Num: num, With: &event.ThreadArgs{Set: []event.Change{{Field: "is_shared", Value: *u.Share}}}})
	}
	says := func(change func(r *event.RNG, t *ticket, p *event.Part)) {
		w.sayOn(num, at, func(r *event.RNG, t *ticket, p *event.Part) {
			change(r, t, p)
			_ = w.talks.naming(p, u.Who) // checked above
		})
	}
	for _, s := range given {
		a, _ := ticketAttributeNamed(kind, s.Field)
		says(func(r *event.RNG, _ *ticket, p *event.Part) { w.ticketing.ChangedTo(r, p, a, s.Value.(string)) })
	}
	if u.State != "" {
		says(func(r *event.RNG, t *ticket, p *event.Part) { w.ticketing.MovedTo(r, t.scene(), p, stage) })
	}
	if u.Assign != event.AssignNothing {
		says(func(r *event.RNG, _ *ticket, p *event.Part) { w.talks.conv.Assign(r, p, u.Assign) })
	}
	return nil
}

// ReplyTicketAs adds a comment or a note by somebody, as ReplyAs does. Where no customer reads, a comment is refused.
func (w *ticketOps) ReplyTicketAs(id string, by Speaker, who, body string) error {
	return w.speakOn(id, func(_ *event.RNG, t *ticket, p *event.Part) error {
		if by != ByNote && !t.takesComments() {
			return errOnlyNotes
		}
		return w.talks.says(t.conversation, p, by, who, body)
	})
}
