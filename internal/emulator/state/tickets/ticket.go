package tickets

import (
	"errors"
	"fmt"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
	"aqueduck/internal/emulator/search"
	"aqueduck/internal/emulator/state/conversations"
)

// ErrNoTicket means that an operation names a ticket that does not exist.
var ErrNoTicket = errors.New("no such ticket")

// SeedTickets makes the tickets of hour 0, visible to search at once.
func (w *Desk) SeedTickets() {
	w.Maker = population.Tickets{Conversations: w.Talks.Maker, Talks: w.Setup.Conversations, Count: w.Setup.Tickets}
	w.TicketIndex.Init(&w.SearchEnv, w.searchTicket())
	w.TicketLog = w.Maker.DrawTicketOpenings(w.Setup.Start.Unix(), w.People.ContactLog)
	w.TicketList = make([]conversations.Thread, len(w.TicketLog))
	for seq := range w.TicketLog {
		w.TicketList[seq] = conversations.NewThread(seq, &w.TicketLog[seq])
		w.TicketList[seq].Now = w.TicketList[seq].Newest
	}
	w.TicketIndex.StartAnnouncing()
}

// RecordTicketEvent appends an event to the log of tickets and updates the served state. The caller holds the lock.
func (w *Desk) RecordTicketEvent(e event.ThreadEvent) {
	seq := len(w.TicketLog)
	w.TicketLog = append(w.TicketLog, e)
	switch e.Kind {
	case event.ThreadOpened:
		w.TicketList = append(w.TicketList, conversations.NewThread(seq, &e))
	case event.ThreadDeleted:
		w.TicketList[e.Num].Deleted = true
		w.TicketIndex.Withdraw(seq, e.At, e.Num)
		return
	default:
		w.TicketList[e.Num].ApplyThreadEvent(seq, &e)
	}
	w.TicketIndex.Announce(seq, e.At, e.Num, w.TicketList[e.Num].Newest)
}

// searchTicket describes tickets for search; attributes have their ids as names.
func (w *Desk) searchTicket() search.Records[conversations.Edition] {
	return search.Records[conversations.Edition]{Kind: "tickets", Fields: w.ticketFields(), Prefix: "ticket_attribute.",
		Attrs: func(e *conversations.Edition) []event.Attribute { return w.drawTicketCached(e).attrsByID() }, Usual: 20, Lag: event.ForTicketLag,
		Count:   func() int { return len(w.TicketList) },
		At:      func(num int32) *search.Shown[conversations.Edition] { return &w.TicketList[num].Shown },
		HasLeft: func(num int32) bool { return w.TicketList[num].Deleted }}
}

// Ticket is one ticket in full, replayed from the log for each question. Its parts, contacts, assignees, links and attributes are those of a
// conversation.
type Ticket struct {
	*conversations.Conversation
	Kind    int // index of its type
	Stage   int // index of its state
	cast    *event.Cast
	sharing *bool // whether it was shared explicitly; nil: never set
}

// attrsByID returns the attributes under the ids of their type.
func (t *Ticket) attrsByID() []event.Attribute {
	var list []event.Attribute
	for _, have := range t.Attrs {
		a, _ := FindTicketAttribute(t.cast, t.Kind, have.Name) // checked before it came into the log
		list = append(list, event.Attribute{Name: a.ID, Raw: have.Raw})
	}
	return list
}

// ticketDrawer replays tickets from editions. It needs no lock, because logs are append-only.
type ticketDrawer struct {
	make population.Tickets
	log  []event.ThreadEvent
}

// TicketDrawer returns a drawer of the current log. The caller holds the lock.
func (w *Desk) TicketDrawer() ticketDrawer {
	return ticketDrawer{w.Maker, w.TicketLog[:len(w.TicketLog):len(w.TicketLog)]}
}

func (d ticketDrawer) DrawTicket(e *conversations.Edition) *Ticket {
	opened := &d.log[e.Opened]
	t := openedTicket(d.make.Cast, opened, d.make.DrawTicketBeginning(opened))
	for _, seq := range e.Events {
		t.applyEvent(&d.log[seq])
	}
	return t
}

// drawTicketCached returns a ticket in full, for a filter. The caller holds the lock.
func (w *Desk) drawTicketCached(e *conversations.Edition) *Ticket {
	if w.lastTicket.edition != e {
		w.lastTicket.edition, w.lastTicket.ticket = e, w.TicketDrawer().DrawTicket(e)
	}
	return w.lastTicket.ticket
}

// ticketFields are the searchable fields of tickets, besides ticket_attribute.<id>. Those of conversations have the same meaning.
func (w *Desk) ticketFields() map[string]search.Field[conversations.Edition] {
	texts := func(get func(t *Ticket) string) search.Field[conversations.Edition] {
		return search.TextField(func(e *conversations.Edition) string { return get(w.drawTicketCached(e)) })
	}
	list := conversations.ThreadFields(func(e *conversations.Edition) *conversations.Conversation { return w.drawTicketCached(e).Conversation })
	list["id"] = search.TextField(func(e *conversations.Edition) string { return event.TicketID(e.Num) })
	list["ticket_id"] = search.TextField(func(e *conversations.Edition) string { return event.TicketNumber(e.Num) })
	list["category"] = texts((*Ticket).Category)
	list["ticket_type_id"] = texts(func(t *Ticket) string { return w.Setup.Cast.TicketTypes[t.Kind].ID })
	list["ticket_state_id"] = texts(func(t *Ticket) string { return w.Setup.Cast.TicketStates[t.Stage].ID })
	list["state"] = texts(func(t *Ticket) string { return w.Setup.Cast.TicketStates[t.Stage].Category })
	list["is_shared"] = search.BoolField(func(e *conversations.Edition) bool { return w.drawTicketCached(e).Shared() })
	return list
}

// FindTicket returns the number of an existing ticket by its id.
func (w *Desk) FindTicket(id string) (int32, error) {
	num, ok := population.TicketNum(id)
	if !ok || int(num) >= len(w.TicketList) || w.TicketList[num].Deleted {
		return 0, fmt.Errorf("ticket %s: %w", id, ErrNoTicket)
	}
	return num, nil
}

// openedTicket returns a ticket in its initial state.
func openedTicket(cast *event.Cast, opened *event.ThreadEvent, b *event.Beginning) *Ticket {
	t := &Ticket{cast: cast, Kind: b.Kind, Stage: event.TicketSubmitted, Conversation: conversations.NewConversation(opened, b)}
	t.ID = event.TicketID(t.Num)
	for i := range t.Parts {
		t.applyTicketChange(t.Parts[i].Ticket)
	}
	return t
}

// ticketScene returns the state that the next part is drawn from.
func (t *Ticket) ticketScene() *population.Scene {
	s := t.Conversation.Scene()
	s.Kind, s.Stage, s.NotesOnly = t.Kind, t.Stage, !t.TakesComments()
	return s
}

// TakesComments reports whether a customer reads the ticket: others accept only notes (workspace-api 4.11).
func (t *Ticket) TakesComments() bool {
	return t.Category() == event.CustomerTicket || t.Category() == event.BackOfficeTicket && t.Shared()
}

// Category returns the category of the ticket's type.
func (t *Ticket) Category() string { return t.cast.TicketTypes[t.Kind].Category }

// Shared reports whether the customer sees the ticket. Every second back-office ticket is shared unless it was set explicitly.
func (t *Ticket) Shared() bool {
	if t.sharing != nil {
		return *t.sharing
	}
	return population.BornShared(t.Num, t.Category())
}

func (t *Ticket) applyTicketChange(change *event.TicketChange) {
	switch {
	case change == nil:
	case change.Moved:
		t.Stage = change.To
	default:
		t.Attrs = population.SetAttribute(t.Attrs, change.Attribute.Name, change.Attribute.Raw)
	}
}

// applyEvent updates the ticket by one event of its log.
func (t *Ticket) applyEvent(e *event.ThreadEvent) {
	t.Conversation.ApplyEvent(e)
	switch e.Kind {
	case event.ThreadPartAdded:
		t.applyTicketChange(e.With.Part.Ticket)
	case event.ThreadFieldsSet:
		shared := e.With.Set[0].Value == true // no other field of a ticket is set this way
		t.sharing = &shared
	}
}
