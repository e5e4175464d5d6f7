package emulator

import (
	"aqueduck/internal/emulator/event"
	"math"
	"slices"
	"strconv"
)

// Streams of randomness for tickets, far from those of conversations.
const (
	forTicket = iota + 9100
	forTicketParts
	forTicketLag
	forTicketLife
	forTicketPopulation
)

// ticket is one in full, drawn for each question from the log as a conversation is. What it is made of is a conversation's:
// its parts, its contacts, who is in charge, what it is linked to, and its attributes.
type ticket struct {
	*conversation
	kind    int   // place of its type
	stage   int   // place of its state
	sharing *bool // whether somebody shared it; nil: nobody said
}

// ticketNum finds the number of a ticket by its id.
func ticketNum(id string) (int32, bool) {
	n, err := strconv.ParseInt(id, 10, 64)
	num := (n - event.ThreadBase - 3) / 7
	return int32(num), err == nil && n > event.ThreadBase && num <= math.MaxInt32 && event.TicketID(int32(num)) == id
}

// takesComments says whether a customer reads it: on other tickets only notes are accepted (workspace-api 4.11).
func (t *ticket) takesComments() bool {
	return t.category() == customerTicket || t.category() == backOfficeTicket && t.shared()
}

func (t *ticket) category() string { return ticketCategory(t.kind) }

// shared says whether the customer sees it: every second one of the back office is, unless somebody said.
func (t *ticket) shared() bool {
	if t.sharing != nil {
		return *t.sharing
	}
	return t.category() == customerTicket || t.category() == backOfficeTicket && t.num%2 == 0
}

// ticketMaker draws tickets with the words and the people of conversations.
type ticketMaker struct {
	*convMaker
	talks, count int // conversations and tickets at hour 0, to link
}

// populate gives the log of tickets up to hour 0: their openings.
func (m ticketMaker) populate(start int64, log []event.ContactEvent) []event.ThreadEvent {
	guests := guestsOf(log)
	events := make([]event.ThreadEvent, m.count)
	for num := range events {
		r := event.NewRNG(m.seed, forTicketPopulation, uint64(num))
		at := start - span + 35*event.Day + int64(float64(span-37*event.Day)*(float64(num)+r.Share())/float64(m.count))
		kind := m.kindOf(int32(num))
		e := event.ThreadEvent{At: at, Until: m.until(r, at, start), Kind: event.ThreadOpened, Num: int32(num), Place: int32(kind), Size: int32(ticketSize(r, num))}
		if ticketCategory(kind) == customerTicket || r.Chance(0.6) { // what teammates open for each other may be about nobody
			e.Who = guests.some(r, at, crowd(num))
		}
		events[num] = e
	}
	return events
}

// kindOf is the type of a ticket of hour 0.
func (m ticketMaker) kindOf(num int32) int {
	return event.NewRNG(m.seed, forTicketPopulation, 1<<32, uint64(num)).N(len(ticketTypeNames))
}

// ticketSize draws how many parts there are: fewer than a conversation has, and now and then more than an answer holds.
func ticketSize(r *event.RNG, num int) int {
	u := r.Share()
	switch {
	case num%700 == 20:
		return 501 + r.N(200)
	case u < 0.08:
		return 0
	}
	return min(300, 1+int(3*math.Pow(u/(1.0001-u), 0.6)))
}

// birth draws everything that a ticket was born with.
func (m ticketMaker) birth(e *event.ThreadEvent) *ticket {
	r, exactly := event.NewRNG(m.seed, forTicket, uint64(e.Num)), e.With != nil && e.With.Exactly
	t := &ticket{kind: int(e.Place), stage: ticketSubmitted, conversation: &conversation{num: e.Num, ID: event.TicketID(e.Num), Created: e.At,
		Updated: max(e.At, e.Until), State: "open", Company: -1, Contacts: e.Who, bare: e.Num%89 == 7 && !exactly}}
	for _, a := range ticketAttributes(t.kind) {
		if exactly {
			break
		}
		if raw := drawTicketAttribute(&a, r); a.required || r.Chance(0.8) {
			t.Attrs = append(t.Attrs, event.Attribute{Name: a.name, Raw: raw})
		}
	}
	if e.With != nil {
		for _, s := range e.With.Set {
			t.Attrs = setAttr(t.Attrs, s.Field, s.Value.(string))
		}
	}
	if !exactly {
		m.link(r, t)
	}
	m.parts(t, int(e.Size), t.Updated)
	return t
}

// link draws the conversations and the tickets of hour 0 that a ticket is linked to.
func (m ticketMaker) link(r *event.RNG, t *ticket) {
	for range max(0, r.N(9)-5) {
		l := event.LinkedObject{Type: "conversation", ID: event.ConversationID(int32(r.N(m.talks)))}
		if num := int32(r.N(m.count)); r.Chance(0.4) && num != t.num {
			l = event.LinkedObject{Type: "ticket", ID: event.TicketID(num), Category: ticketCategory(m.kindOf(num))}
		} else if m.talks == 0 {
			continue
		}
		if !slices.Contains(t.Linked, l) {
			t.Linked = append(t.Linked, l)
		}
	}
	t.Linked = slices.Clip(t.Linked)
}

// ticketPartKind is one kind of part of a ticket with its share in a hundred.
type ticketPartKind struct {
	share int
	draw  func(m ticketMaker, r *event.RNG, t *ticket, p *event.Part)
}

var ticketPartKinds = []ticketPartKind{
	{29, says((*convMaker).customerSays)},
	{18, says((*convMaker).adminSays)},
	{4, says((*convMaker).aiSays)},
	{10, ticketMaker.noted},
	{12, ticketMaker.assigned},
	{14, ticketMaker.moved},
	{6, ticketMaker.changed},
	{5, says((*convMaker).snoozes)},
	{2, says((*convMaker).opens)},
}

// parts draws the parts that a ticket was born with, as those of conversations are.
func (m ticketMaker) parts(t *ticket, count int, end int64) {
	r := event.NewRNG(m.seed, forTicketParts, uint64(t.num))
	t.Parts = make([]event.Part, 0, count)
	slot := (end - t.Created) / int64(max(1, count))
	for i := range count {
		p := m.blank(t.conversation, drawMoment(r, end, slot, count-1-i))
		if i == count-1 && i > 0 && r.Chance(0.55) { // most are done
			m.movedTo(r, t, &p, ticketResolved)
		} else {
			event.Pick(r, ticketPartKinds, func(k *ticketPartKind) int { return k.share }).draw(m, r, t, &p)
		}
		if p.Body != "" && m.redacts(t.conversation, i) {
			p.Body, p.Files, p.Redacted = "", nil, true
		}
		t.take(p)
	}
}

// take adds a part and what it does to the ticket.
func (t *ticket) take(p event.Part) {
	t.conversation.take(p)
	t.turn(p.Ticket)
}

func (t *ticket) turn(change *event.TicketChange) {
	switch {
	case change == nil:
	case change.Moved:
		t.stage = change.To
	default:
		t.Attrs = setAttr(t.Attrs, change.Attribute.Name, change.Attribute.Raw)
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

// says is a part of conversations in a ticket; where the customer reads nothing it is a note. Tickets' parts have no tags
// and no metadata.
func says(draw func(m *convMaker, r *event.RNG, c *conversation, p *event.Part)) func(m ticketMaker, r *event.RNG, t *ticket, p *event.Part) {
	return func(m ticketMaker, r *event.RNG, t *ticket, p *event.Part) {
		draw(m.convMaker, r, t.conversation, p)
		p.Tags, p.Meta = nil, ""
		if p.Type == "comment" && !t.takesComments() {
			p.Type, p.Author, p.State, p.Notified = "note", m.teammate(r, p.At), t.State, 0
		}
	}
}

func (m ticketMaker) noted(r *event.RNG, t *ticket, p *event.Part) {
	m.adminNotes(r, t.conversation, p)
}

// assigned goes through the rows of the table by turns (trap T61).
func (m ticketMaker) assigned(r *event.RNG, t *ticket, p *event.Part) {
	m.assign(r, p, event.Assignment((len(t.Parts)+int(t.num))%int(event.Assignments)))
}

func (m ticketMaker) moved(r *event.RNG, t *ticket, p *event.Part) {
	m.movedTo(r, t, p, (t.stage+1+r.N(len(ticketStages)-1))%len(ticketStages))
}

// movedTo makes a part the move to a state. What is resolved is closed, and what is not is open, unless it is snoozed.
func (m ticketMaker) movedTo(r *event.RNG, t *ticket, p *event.Part, stage int) {
	p.Type, p.Author, p.Notified = "ticket_state_updated_by_admin", m.teammate(r, p.At), 0
	p.Ticket = &event.TicketChange{Moved: true, From: t.stage, To: stage}
	switch {
	case ticketStages[stage] == "resolved":
		p.State = "closed"
	case t.State == "closed":
		p.State = "open"
	}
}

// changed makes a part the change of an attribute.
func (m ticketMaker) changed(r *event.RNG, t *ticket, p *event.Part) {
	list := ticketAttributes(t.kind)
	a := list[r.N(len(list))]
	raw := drawTicketAttribute(&a, r)
	if !a.required && r.Chance(0.1) {
		raw = ""
	}
	m.changedTo(r, p, a, raw)
}

func (m ticketMaker) changedTo(r *event.RNG, p *event.Part, a ticketAttribute, raw string) {
	p.Type, p.Author, p.Notified = "ticket_attribute_updated_by_admin", m.teammate(r, p.At), 0
	p.Ticket = &event.TicketChange{Attribute: &event.Attribute{Name: a.name, Raw: raw}, AttributeID: a.id}
}
