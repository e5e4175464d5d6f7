package team

import (
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
)

// The states of tickets by their places.
const (
	submitted = iota
	inProgress
	waitingOnCustomer
	resolved
)

// casework draws one ticket step by step.
type casework struct {
	*ticket
	speech
	r        *event.RNG
	now      int64
	state    string
	stage    int
	by       event.Author // the teammate who works on it
	customer event.Author
	public   bool // the customer reads it
}

// newTicket draws a ticket from a talk: its customer, its topic, and what is done about it.
func (s *Script) newTicket(r *event.RNG, from *talk) *ticket {
	who := from.born.Contacts[0]
	t := &ticket{ScriptedThread: population.ScriptedThread{Num: -1}, at: afterOffice(from.at, 1800+int64(r.IntN(2*3600)))}
	if r.Chance(0.8) {
		t.talk = from
	}
	t.kind = pick(r, 52, 24, 6, 18)
	c := &casework{ticket: t, speech: newSpeech(r, who.Language, from.subject, who.Name), r: r, now: t.at + 2, state: "open", customer: population.ContactAuthor(who)}
	t.born = event.Beginning{Company: -1, Contacts: []*event.Contact{who}, Kind: t.kind,
		Attrs: []event.Attribute{{Name: "_default_title_", Raw: `"` + c.about.title + `"`}, {Name: "Severity", Raw: []string{`"Low"`, `"Medium"`, `"High"`}[pick(r, 45, 40, 15)]}}}
	if r.Chance(0.5) {
		t.born.Attrs = append(t.born.Attrs, event.Attribute{Name: "Customers affected", Raw: []string{"1", "2", "5", "12"}[pick(r, 60, 25, 10, 5)]})
	}
	team := topics[from.subject].team
	me := s.onDuty(r, team, c.now)
	c.by = population.AdminAuthor(everyone[me])
	c.public = Cast.TicketTypes[t.kind].Category == event.CustomerTicket // all others have notes only
	c.add(event.Part{Type: "assignment", Author: event.Bot, Assigned: event.Assigned{As: event.AssignTeamAndTeammate, Team: teams[team].ID, Admin: everyone[me].ID}})
	took := min(3*3600+spread(r, 1.4*float64(event.Day), 6.6*float64(event.Day)), 55*event.Day)
	if Cast.TicketTypes[t.kind].Name == "Feature request" && r.Chance(0.15) { // a wish waits for its release
		took = int64(30+r.IntN(60)) * event.Day
	}
	c.work(took)
	c.end(took)
	return t
}

// add adds a part now.
func (c *casework) add(p event.Part) {
	p.At, p.Updated, p.Notified, p.State = c.now, c.now, c.now, c.state
	if p.Type == "note" || p.Ticket != nil {
		p.Notified = 0
	}
	c.parts = append(c.parts, p)
}

// move moves the ticket to another state; a resolved one is closed.
func (c *casework) move(to int) {
	if to == resolved {
		c.state = "closed"
	}
	c.add(event.Part{Type: "ticket_state_updated_by_admin", Author: c.by, Ticket: &event.TicketChange{Moved: true, From: c.stage, To: to}})
	c.stage = to
}

func (c *casework) comment(by event.Author, of []string) {
	c.add(event.Part{Type: "comment", Author: by, Body: c.say(c.r, of, c.by.Name)})
}

// work begins with the ticket: the first answer, and what is said and noted meanwhile. took is how long it takes in all.
func (c *casework) work(took int64) {
	c.now = afterOffice(c.now, min(spread(c.r, 2.2*3600, 14*3600), took/3))
	if c.public {
		c.comment(c.by, c.of.waits)
		c.now += 20
	}
	c.move(inProgress)
	for range pick(c.r, 40, 35, 25) {
		c.now = afterOffice(c.now+took/5, 600)
		if !c.public || c.r.Chance(0.5) {
			c.add(event.Part{Type: "note", Author: c.by, Body: "<p>" + c.r.PickText(notes) + "</p>"})
			continue
		}
		c.comment(c.customer, c.of.nudge)
		c.parts[len(c.parts)-1].Files = c.files(c.r, 0.3)
		c.now = afterOffice(c.now, spread(c.r, 1.4*3600, 7*3600))
		c.comment(c.by, c.of.waits)
	}
}

// end resolves the ticket. Now and then it waits for the customer first: when nothing comes for a week, it is resolved all the same.
func (c *casework) end(took int64) {
	end := max(afterOffice(c.at+took, 60), c.now+300)
	if c.public && c.r.Chance(0.14) {
		c.now = max(afterOffice(end-took/4, 60), c.parts[len(c.parts)-1].At+60)
		c.move(waitingOnCustomer)
		if c.r.Chance(0.35) {
			c.now = afterOffice(c.now+7*event.Day, 0)
			c.move(resolved)
			return
		}
		c.now += min(spread(c.r, 20*3600, 3*event.Day), 6*event.Day)
		c.comment(c.customer, c.of.given)
		c.now = afterOffice(c.now, spread(c.r, 1.4*3600, 7*3600))
		c.move(inProgress)
		end = afterOffice(c.now, spread(c.r, 3*3600, 12*3600))
	}
	c.now = end
	c.resolve()
	if c.public && c.r.Chance(0.07) { // the customer comes back: it did not help
		c.now += 600 + min(spread(c.r, 20*3600, 4*event.Day), 12*event.Day)
		c.state = "open"
		c.comment(c.customer, c.of.again)
		c.now = afterOffice(c.now, spread(c.r, 1.4*3600, 7*3600))
		c.move(inProgress)
		c.now = afterOffice(c.now, spread(c.r, 6*3600, 20*3600))
		c.resolve()
	}
}

// resolve ends the ticket with an answer, where the customer reads it.
func (c *casework) resolve() {
	if c.public {
		c.comment(c.by, c.answer())
		c.now += 5
	}
	c.move(resolved)
}
