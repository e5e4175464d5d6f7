package emulator

import (
	"aqueduck/internal/emulator/event"
	"fmt"
)

// ticketDesk is all that the server keeps of tickets: a log of their own, which is the truth about them, and what follows
// from it, as for conversations.
type ticketDesk struct {
	make  ticketMaker
	log   []event.ThreadEvent // Conv is the ticket's number
	list  []thread
	idx   index[edition]
	turns int // of their life
	last  struct {
		edition *edition
		ticket  *ticket
	}
}

// beginTickets makes the tickets of hour 0, which search has long found.
func (w *Workspace) beginTickets() {
	d := &w.tickets
	d.make = ticketMaker{w.conv, w.cfg.Conversations, w.cfg.Tickets}
	d.idx.init(w, w.searchTicket())
	d.log = d.make.populate(w.cfg.Start.Unix(), w.log)
	d.list = make([]thread, len(d.log))
	for seq := range d.log {
		d.list[seq] = newThread(seq, &d.log[seq])
		d.list[seq].shown = d.list[seq].now
	}
	d.idx.quiet = false
}

// recordTicket appends an event to the log of tickets and makes the served state follow it. The lock is held.
func (w *Workspace) recordTicket(e event.ThreadEvent) {
	d, seq := &w.tickets, len(w.tickets.log)
	d.log = append(d.log, e)
	switch e.Kind {
	case event.ThreadOpened:
		d.list = append(d.list, newThread(seq, &e))
	case event.ThreadDeleted:
		d.list[e.Num].deleted = true
		d.idx.withdraw(seq, e.At, e.Num)
		return
	default:
		d.list[e.Num].follow(seq, &e)
	}
	d.idx.announce(seq, e.At, e.Num, d.list[e.Num].now)
}

// searchTicket is how search knows a ticket: its attributes by their ids.
func (w *Workspace) searchTicket() searchable[edition] {
	return searchable[edition]{kind: "tickets", fields: w.ticketFields(), own: "ticket_attribute.",
		attrs: func(e *edition) []event.Attribute { return w.drawnTicket(e).attrsByID() }, usual: 20, lag: forTicketLag,
		count: func() int { return len(w.tickets.list) },
		at:    func(num int32) *placed[edition] { return &w.tickets.list[num].placed },
		gone:  func(num int32) bool { return w.tickets.list[num].deleted }}
}

// attrsByID are the attributes under the ids that their type gives them.
func (t *ticket) attrsByID() []event.Attribute {
	var list []event.Attribute
	for _, have := range t.Attrs {
		a, _ := ticketAttributeNamed(t.kind, have.Name) // checked before it came into the log
		list = append(list, event.Attribute{Name: a.id, Raw: have.Raw})
	}
	return list
}

// ticketDrawer makes tickets of editions. It needs no lock: logs are only appended to.
type ticketDrawer struct {
	make ticketMaker
	log  []event.ThreadEvent
}

// ticketDrawer is one for the log as it is now. The lock is held.
func (w *Workspace) ticketDrawer() ticketDrawer {
	return ticketDrawer{w.tickets.make, w.tickets.log[:len(w.tickets.log):len(w.tickets.log)]}
}

func (d ticketDrawer) draw(e *edition) *ticket {
	t := d.make.birth(&d.log[e.born])
	for _, seq := range e.trail {
		t.follow(&d.log[seq])
	}
	return t
}

// drawnTicket is a ticket in full, for a filter. The lock is held.
func (w *Workspace) drawnTicket(e *edition) *ticket {
	if w.tickets.last.edition != e {
		w.tickets.last.edition, w.tickets.last.ticket = e, w.ticketDrawer().draw(e)
	}
	return w.tickets.last.ticket
}

// ticketFields are the names that ticket search knows, beside ticket_attribute.<id>. Those of conversations mean the same.
func (w *Workspace) ticketFields() map[string]field[edition] {
	texts := func(get func(t *ticket) string) field[edition] {
		return text(func(e *edition) string { return get(w.drawnTicket(e)) })
	}
	list := threadFields(func(e *edition) *conversation { return w.drawnTicket(e).conversation })
	list["id"] = text(func(e *edition) string { return event.TicketID(e.num) })
	list["ticket_id"] = text(func(e *edition) string { return event.TicketNumber(e.num) })
	list["category"] = texts((*ticket).category)
	list["ticket_type_id"] = texts(func(t *ticket) string { return ticketTypeID(t.kind) })
	list["ticket_state_id"] = texts(func(t *ticket) string { return ticketStateID(t.stage) })
	list["state"] = texts(func(t *ticket) string { return ticketStages[t.stage] })
	list["is_shared"] = flag(func(e *edition) bool { return w.drawnTicket(e).shared() })
	return list
}

// ticketNamed finds a ticket that is there by its id.
func (w *Workspace) ticketNamed(id string) (int32, error) {
	num, ok := ticketNum(id)
	if !ok || int(num) >= len(w.tickets.list) || w.tickets.list[num].deleted {
		return 0, fmt.Errorf("ticket %s: %w", id, ErrNoTicket)
	}
	return num, nil
}
