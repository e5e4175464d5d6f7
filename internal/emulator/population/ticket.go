package population

import (
	"math"
	"slices"
	"strconv"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/jsontext"
)

// TicketNum returns the number of a ticket by its id.
func TicketNum(id string) (int32, bool) {
	n, err := strconv.ParseInt(id, 10, 64)
	num := (n - event.ThreadBase - 3) / 7
	return int32(num), err == nil && n > event.ThreadBase && num <= math.MaxInt32 && event.TicketID(int32(num)) == id
}

// Tickets draws tickets with the texts and people of conversations.
type Tickets struct {
	*Conversations
	Talks, Count int // conversations and tickets at hour 0, for links
}

// DrawTicketOpenings returns the log of tickets up to hour 0: their openings.
func (m Tickets) DrawTicketOpenings(start int64, log []event.ContactEvent) []event.ThreadEvent {
	if m.Script != nil {
		return m.Script.Tickets(m.Count)
	}
	guests := guestsOf(log)
	events := make([]event.ThreadEvent, m.Count)
	for num := range events {
		r := event.NewRNG(m.Seed, event.ForTicketPopulation, uint64(num))
		at := start - event.Span + 35*event.Day + int64(float64(event.Span-37*event.Day)*(float64(num)+r.Float64())/float64(m.Count))
		kind := m.kindOf(int32(num))
		e := event.ThreadEvent{At: at, Until: m.drawEnd(r, at, start), Kind: event.ThreadOpened, Num: int32(num), Place: int32(kind), Size: int32(ticketSize(r, num))}
		if m.Cast.TicketTypes[kind].Category == event.CustomerTicket || r.Chance(0.6) { // a back-office ticket may have no contact
			e.Contacts = guests.drawContacts(r, at, contactsPerThread(num))
		}
		events[num] = e
	}
	return events
}

// kindOf returns the type of a ticket of hour 0.
func (m Tickets) kindOf(num int32) int {
	return event.NewRNG(m.Seed, event.ForTicketPopulation, 1<<32, uint64(num)).IntN(len(m.Cast.TicketTypes))
}

// ticketSize draws the number of parts: fewer than a conversation has, now and then more than an answer contains.
func ticketSize(r *event.RNG, num int) int {
	u := r.Float64()
	switch {
	case num%700 == 20:
		return 501 + r.IntN(200)
	case u < 0.08:
		return 0
	}
	return min(300, 1+int(3*math.Pow(u/(1.0001-u), 0.6)))
}

// DrawTicketBeginning draws the initial content of a ticket.
func (m Tickets) DrawTicketBeginning(e *event.ThreadEvent) *event.Beginning {
	if e.With != nil && e.With.Begun != nil {
		return copyBeginning(e)
	}
	r, exactly := event.NewRNG(m.Seed, event.ForTicket, uint64(e.Num)), e.With != nil && e.With.Exactly
	b := &event.Beginning{Num: e.Num, Company: -1, Contacts: e.Contacts, Bare: e.Num%89 == 7 && !exactly, Kind: int(e.Place)}
	for _, a := range m.Cast.TicketTypes[b.Kind].Attributes {
		if exactly {
			break
		}
		if raw := drawTicketAttribute(&a, r); a.Required || r.Chance(0.8) {
			b.Attrs = append(b.Attrs, event.Attribute{Name: a.Name, Raw: raw})
		}
	}
	if e.With != nil {
		for _, s := range e.With.Set {
			b.Attrs = SetAttribute(b.Attrs, s.Field, s.Value.(string))
		}
	}
	if !exactly {
		m.drawLinks(r, b)
	}
	m.drawTicketParts(b, int(e.Size), e.At, max(e.At, e.Until))
	return b
}

// drawLinks draws the conversations and tickets of hour 0 that a ticket is linked to.
func (m Tickets) drawLinks(r *event.RNG, b *event.Beginning) {
	for range max(0, r.IntN(9)-5) {
		l := event.LinkedObject{Type: "conversation", ID: event.ConversationID(int32(r.IntN(m.Talks)))}
		if num := int32(r.IntN(m.Count)); r.Chance(0.4) && num != b.Num {
			l = event.LinkedObject{Type: "ticket", ID: event.TicketID(num), Category: m.Cast.TicketTypes[m.kindOf(num)].Category}
		} else if m.Talks == 0 {
			continue
		}
		if !slices.Contains(b.Linked, l) {
			b.Linked = append(b.Linked, l)
		}
	}
	b.Linked = slices.Clip(b.Linked)
}

// ticketPartKind is one kind of part of a ticket with its share in percent.
type ticketPartKind struct {
	share int
	draw  func(m Tickets, r *event.RNG, s *Scene, p *event.Part)
}

var ticketPartKinds = []ticketPartKind{
	{29, AsTicketPart((*Conversations).FillCustomerReply)},
	{18, AsTicketPart((*Conversations).FillAdminReply)},
	{4, AsTicketPart((*Conversations).FillAIReply)},
	{10, Tickets.FillTicketNote},
	{12, Tickets.FillTicketAssignment},
	{14, Tickets.FillStateMove},
	{6, Tickets.FillAttributeChange},
	{5, AsTicketPart((*Conversations).FillSnooze)},
	{2, AsTicketPart((*Conversations).FillReopen)},
}

// BornShared reports whether the customer sees a ticket that was never shared explicitly: every second one of the back office.
func BornShared(num int32, category string) bool {
	return category == event.CustomerTicket || category == event.BackOfficeTicket && num%2 == 0
}

// drawTicketParts draws the initial parts of a ticket, spread over its time like those of conversations.
func (m Tickets) drawTicketParts(b *event.Beginning, count int, at, end int64) {
	r := event.NewRNG(m.Seed, event.ForTicketParts, uint64(b.Num))
	s := &Scene{Num: b.Num, State: "open", Contacts: b.Contacts, Kind: b.Kind, Stage: event.TicketSubmitted, NotesOnly: !BornShared(b.Num, m.Cast.TicketTypes[b.Kind].Category)}
	b.Parts = make([]event.Part, 0, count)
	slot := (end - at) / int64(max(1, count))
	for i := range count {
		p := m.BlankPart(s, drawMoment(r, end, slot, count-1-i))
		if i == count-1 && i > 0 && r.Chance(0.55) { // most tickets are resolved
			m.FillMoveToState(r, s, &p, event.TicketResolved)
		} else {
			event.PickByShare(r, ticketPartKinds, func(k *ticketPartKind) int { return k.share }).draw(m, r, s, &p)
		}
		if p.Body != "" && m.isBornRedacted(b.Num, i) {
			p.Body, p.Files, p.Redacted = "", nil, true
		}
		b.Parts = append(b.Parts, p)
		s.applyPart(&p)
	}
}

// AsTicketPart turns a draw of a conversation part into one of a ticket part. It becomes a note where no customer reads the ticket. Parts of
// tickets have no tags and no metadata.
func AsTicketPart(draw func(m *Conversations, r *event.RNG, s *Scene, p *event.Part)) func(m Tickets, r *event.RNG, s *Scene, p *event.Part) {
	return func(m Tickets, r *event.RNG, s *Scene, p *event.Part) {
		draw(m.Conversations, r, s, p)
		p.Tags, p.Meta = nil, ""
		if p.Type == "comment" && s.NotesOnly {
			p.Type, p.Author, p.State, p.Notified = "note", m.drawTeammate(r, p.At), s.State, 0
		}
	}
}

// FillTicketNote makes a part a note of a teammate.
func (m Tickets) FillTicketNote(r *event.RNG, s *Scene, p *event.Part) {
	m.FillAdminNote(r, s, p)
}

// FillTicketAssignment takes the rows of the assignment table by turns (trap T61).
func (m Tickets) FillTicketAssignment(r *event.RNG, s *Scene, p *event.Part) {
	m.FillAssignment(r, p, event.Assignment((s.Parts+int(s.Num))%int(event.Assignments)))
}

// FillStateMove makes a part the move to another state.
func (m Tickets) FillStateMove(r *event.RNG, s *Scene, p *event.Part) {
	m.FillMoveToState(r, s, p, (s.Stage+1+r.IntN(len(m.Cast.TicketStates)-1))%len(m.Cast.TicketStates))
}

// FillMoveToState makes a part the move to a state. A resolved ticket is closed, and any other is open unless it is snoozed.
func (m Tickets) FillMoveToState(r *event.RNG, s *Scene, p *event.Part, stage int) {
	p.Type, p.Author, p.Notified = "ticket_state_updated_by_admin", m.drawTeammate(r, p.At), 0
	p.Ticket = &event.TicketChange{Moved: true, From: s.Stage, To: stage}
	switch {
	case m.Cast.TicketStates[stage].Category == "resolved":
		p.State = "closed"
	case s.State == "closed":
		p.State = "open"
	}
}

// FillAttributeChange makes a part the change of an attribute.
func (m Tickets) FillAttributeChange(r *event.RNG, s *Scene, p *event.Part) {
	list := m.Cast.TicketTypes[s.Kind].Attributes
	a := list[r.IntN(len(list))]
	raw := drawTicketAttribute(&a, r)
	if !a.Required && r.Chance(0.1) {
		raw = ""
	}
	m.FillAttributeValue(r, p, a, raw)
}

// FillAttributeValue makes a part the change of an attribute to a value, as JSON text; "" removes it.
func (m Tickets) FillAttributeValue(r *event.RNG, p *event.Part, a event.TicketAttribute, raw string) {
	p.Type, p.Author, p.Notified = "ticket_attribute_updated_by_admin", m.drawTeammate(r, p.At), 0
	p.Ticket = &event.TicketChange{Attribute: &event.Attribute{Name: a.Name, Raw: raw}, AttributeID: a.ID}
}

// FillResolution makes a part that resolves the ticket.
func (m Tickets) FillResolution(r *event.RNG, s *Scene, p *event.Part) {
	m.FillMoveToState(r, s, p, event.TicketResolved)
}

// drawTicketAttribute draws a value as JSON text.
func drawTicketAttribute(a *event.TicketAttribute, r *event.RNG) string {
	switch a.Kind {
	case "list":
		return jsontext.Quote(r.PickText(a.Items))
	case "integer":
		return strconv.Itoa(r.IntN(50))
	case "decimal":
		return "0." + strconv.Itoa(10+r.IntN(90))
	case "boolean":
		return strconv.FormatBool(r.Chance(0.5))
	case "datetime":
		return `"2024-0` + strconv.Itoa(1+r.IntN(9)) + `-15T09:30:00.000Z"`
	}
	return jsontext.Quote(r.PickText(Titles[3:]))
}
