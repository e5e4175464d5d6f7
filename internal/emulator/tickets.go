package emulator

import (
	"fmt"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
	"aqueduck/internal/emulator/search"
)

// beginTickets makes the tickets of hour 0, which search has long found.
func (w *ticketDesk) beginTickets() {
	w.ticketing = population.Tickets{Conversations: w.talks.conv, Talks: w.cfg.Conversations, Count: w.cfg.Tickets}
	w.ticketIdx.Init(&w.env, w.searchTicket())
	w.ticketLog = w.ticketing.Populate(w.cfg.Start.Unix(), w.people.events)
	w.ticketList = make([]thread, len(w.ticketLog))
	for seq := range w.ticketLog {
		w.ticketList[seq] = newThread(seq, &w.ticketLog[seq])
		w.ticketList[seq].Now = w.ticketList[seq].now
	}
	w.ticketIdx.Open()
}

// recordTicket appends an event to the log of tickets and makes the served state follow it. The lock is held.
func (w *ticketDesk) recordTicket(e event.ThreadEvent) {
	seq := len(w.ticketLog)
	w.ticketLog = append(w.ticketLog, e)
	switch e.Kind {
	case event.ThreadOpened:
		w.ticketList = append(w.ticketList, newThread(seq, &e))
	case event.ThreadDeleted:
		w.ticketList[e.Num].deleted = true
		w.ticketIdx.Withdraw(seq, e.At, e.Num)
		return
	default:
		w.ticketList[e.Num].follow(seq, &e)
	}
	w.ticketIdx.Announce(seq, e.At, e.Num, w.ticketList[e.Num].now)
}

// searchTicket is how search knows a ticket: its attributes by their ids.
func (w *ticketDesk) searchTicket() search.Records[edition] {
	return search.Records[edition]{Kind: "tickets", Fields: w.ticketFields(), Prefix: "ticket_attribute.",
		Attrs: func(e *edition) []event.Attribute { return w.drawnTicket(e).attrsByID() }, Usual: 20, Lag: event.ForTicketLag,
		Count: func() int { return len(w.ticketList) },
		At:    func(num int32) *search.Shown[edition] { return &w.ticketList[num].Shown },
		Gone:  func(num int32) bool { return w.ticketList[num].deleted }}
}

// attrsByID are the attributes under the ids that their type gives them.
func (t *ticket) attrsByID() []event.Attribute {
	var list []event.Attribute
	for _, have := range t.Attrs {
		a, _ := ticketAttributeNamed(t.kind, have.Name) // checked before it came into the log
		list = append(list, event.Attribute{Name: a.ID, Raw: have.Raw})
	}
	return list
}

// ticketDrawer makes tickets of editions. It needs no lock: logs are only appended to.
type ticketDrawer struct {
	make population.Tickets
	log  []event.ThreadEvent
}

// ticketDrawer is one for the log as it is now. The lock is held.
func (w *ticketDesk) ticketDrawer() ticketDrawer {
	return ticketDrawer{w.ticketing, w.ticketLog[:len(w.ticketLog):len(w.ticketLog)]}
}

func (d ticketDrawer) draw(e *edition) *ticket {
	opened := &d.log[e.born]
	t := begunTicket(opened, d.make.Begin(opened))
	for _, seq := range e.trail {
		t.follow(&d.log[seq])
	}
	return t
}

// drawnTicket is a ticket in full, for a filter. The lock is held.
func (w *ticketDesk) drawnTicket(e *edition) *ticket {
	if w.lastTicket.edition != e {
		w.lastTicket.edition, w.lastTicket.ticket = e, w.ticketDrawer().draw(e)
	}
	return w.lastTicket.ticket
}

// ticketFields are the names that ticket search knows, beside ticket_attribute.<id>. Those of conversations mean the same.
func (w *ticketDesk) ticketFields() map[string]search.Field[edition] {
	texts := func(get func(t *ticket) string) search.Field[edition] {
		return search.Text(func(e *edition) string { return get(w.drawnTicket(e)) })
	}
	list := threadFields(func(e *edition) *conversation { return w.drawnTicket(e).conversation })
	list["id"] = search.Text(func(e *edition) string { return event.TicketID(e.num) })
	list["ticket_id"] = search.Text(func(e *edition) string { return event.TicketNumber(e.num) })
	list["category"] = texts((*ticket).category)
	list["ticket_type_id"] = texts(func(t *ticket) string { return event.TicketTypes[t.kind].ID })
	list["ticket_state_id"] = texts(func(t *ticket) string { return event.TicketStates[t.stage].ID })
	list["state"] = texts(func(t *ticket) string { return event.TicketStates[t.stage].Category })
	list["is_shared"] = search.Flag(func(e *edition) bool { return w.drawnTicket(e).shared() })
	return list
}

// ticketNamed finds a ticket that is there by its id.
func (w *ticketDesk) ticketNamed(id string) (int32, error) {
	num, ok := population.TicketNum(id)
	if !ok || int(num) >= len(w.ticketList) || w.ticketList[num].deleted {
		return 0, fmt.Errorf("ticket %s: %w", id, ErrNoTicket)
	}
	return num, nil
}

// ticket is one in full, drawn for each question from the log as a conversation is. What it is made of is a conversation's:
// its parts, its contacts, who is in charge, what it is linked to, and its attributes.
type ticket struct {
	*conversation
	kind    int   // place of its type
	stage   int   // place of its state
	sharing *bool // whether somebody shared it; nil: nobody said
}

// begunTicket is a ticket as it was opened, with what that comes to.
func begunTicket(opened *event.ThreadEvent, b *event.Beginning) *ticket {
	t := &ticket{kind: b.Kind, stage: event.TicketSubmitted, conversation: begun(opened, b)}
	t.ID = event.TicketID(t.num)
	for i := range t.Parts {
		t.turn(t.Parts[i].Ticket)
	}
	return t
}

// scene is the ticket as whoever adds a part to it finds it.
func (t *ticket) scene() *population.Scene {
	s := t.conversation.scene()
	s.Kind, s.Stage, s.NotesOnly = t.kind, t.stage, !t.takesComments()
	return s
}

// takesComments says whether a customer reads it: on other tickets only notes are accepted (workspace-api 4.11).
func (t *ticket) takesComments() bool {
	return t.category() == event.CustomerTicket || t.category() == event.BackOfficeTicket && t.shared()
}

func (t *ticket) category() string { return event.TicketTypes[t.kind].Category }

// shared says whether the customer sees it: every second one of the back office is, unless somebody said.
func (t *ticket) shared() bool {
	if t.sharing != nil {
		return *t.sharing
	}
	return population.BornShared(t.num, t.kind)
}

func (t *ticket) turn(change *event.TicketChange) {
	switch {
	case change == nil:
	case change.Moved:
		t.stage = change.To
	default:
		t.Attrs = population.SetAttribute(t.Attrs, change.Attribute.Name, change.Attribute.Raw)
	}
}

// follow makes the ticket follow one event of its log.
func (t *ticket) follow(e *event.ThreadEvent) {
	t.conversation.follow(e)
	switch e.Kind {
	case event.ThreadPartAdded:
		t.turn(e.With.Part.Ticket)
	case event.ThreadFieldsSet:
		shared := e.With.Set[0].Value == true // nothing else of a ticket is set so
		t.sharing = &shared
	}
}
