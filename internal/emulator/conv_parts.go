package emulator

import (
	"strconv"

	"aqueduck/internal/emulator/event"
)

// partKind is one kind of part with its share in a hundred.
type partKind struct {
	share int
	draw  func(m *convMaker, r *event.RNG, s *scene, p *event.Part)
}

// partKinds are what conversations consist of.
var partKinds = []partKind{
	{36, (*convMaker).customerSays},
	{24, (*convMaker).adminSays},
	{9, (*convMaker).aiSays},
	{6, (*convMaker).adminNotes},
	{12, (*convMaker).assigns},
	{4, (*convMaker).closes},
	{2, (*convMaker).snoozes},
	{2, (*convMaker).opens},
	{2, (*convMaker).botNotes},
	{2, (*convMaker).aiEvents},
	{1, (*convMaker).oddities},
}

// scene is a conversation or a ticket as whoever adds something to it finds it.
type scene struct {
	num      int32
	parts    int    // how many there are
	state    string // after the last of them
	contacts []*event.Contact

	kind, stage int  // of a ticket: the places of its type and of its state
	notesOnly   bool // no customer reads it
}

// saw is the scene after a part.
func (s *scene) saw(p *event.Part) {
	s.parts++
	s.state = p.State
	if p.Ticket != nil && p.Ticket.Moved {
		s.stage = p.Ticket.To
	}
}

// parts draws the parts that a conversation was born with, evenly over its time; the last comes at its end. It says whether the AI
// agent wrote one.
func (m *convMaker) parts(b *event.Beginning, count int, at, end int64) (helped bool) {
	r, s := event.NewRNG(m.seed, event.ForConversationParts, uint64(b.Num)), &scene{num: b.Num, state: "open", contacts: b.Contacts}
	b.Parts = make([]event.Part, 0, count)
	slot := (end - at) / int64(max(1, count))
	reply := -1
	if !b.Silent {
		reply = 2 * event.NewRNG(m.seed, event.ForSilence, uint64(b.Num), 1).N(max(1, count/2)) // calls have the odd places, the end the last
	}
	for i := range count {
		at := drawMoment(r, end, slot, count-1-i)
		p := m.part(r, s, b.Silent, at)
		if i == reply {
			p = m.blank(s, at)
			m.customerSays(r, s, &p)
		}
		if j := i - 1; j >= 0 && j%2 == 0 && j/2 < len(m.calls[b.Num]) {
			p = m.blank(s, at)
			m.summary(event.NewRNG(m.seed, event.ForCalls, 4, uint64(m.calls[b.Num][j/2])), &p, m.calls[b.Num][j/2])
		}
		if i == count-1 && i > 0 && r.Chance(0.75) { // most are over
			p = m.blank(s, at)
			m.closes(r, s, &p)
		}
		if p.Body != "" && m.redacts(b.Num, i) {
			p.Body, p.Files, p.Redacted = "", nil, true
		}
		b.Parts = append(b.Parts, p)
		helped = helped || p.Author.AI
		s.saw(&p)
	}
	return helped
}

// drawMoment draws when a part came, of those that lie evenly before an end: so many come after it, and the last one at the end.
func drawMoment(r *event.RNG, end, slot int64, after int) int64 {
	at := end - int64(after)*slot
	if after > 0 && slot > 1 {
		at -= int64(r.N(int(slot)))
	}
	return at
}

// part draws the next part.
func (m *convMaker) part(r *event.RNG, s *scene, silent bool, at int64) event.Part {
	p := m.blank(s, at)
	event.Pick(r, partKinds, func(k *partKind) int { return k.share }).draw(m, r, s, &p)
	if silent && isContactType(p.Author.Type) {
		p = m.blank(s, at)
		m.adminSays(r, s, &p)
	}
	return p
}

// blank is a part that says nothing, in its place.
func (m *convMaker) blank(s *scene, at int64) event.Part {
	return event.Part{ID: event.PartID(s.num, s.parts), Type: "comment", At: at, Updated: at, Notified: at, State: s.state}
}

func (m *convMaker) words(r *event.RNG) string { return m.bodies[r.N(len(m.bodies))] }

// customerSays: who writes into a closed or a snoozed conversation opens it.
func (m *convMaker) customerSays(r *event.RNG, s *scene, p *event.Part) {
	p.Author, p.Body, p.State = customerOf(s.contacts), m.words(r), "open"
	p.Files = drawFiles(r, 0.06)
	if r.Chance(0.02) {
		p.External, p.App = "ext-"+strconv.Itoa(r.N(1e6)), "acme_bridge"
	}
	if r.Chance(0.03) {
		p.Tags = draws(r, 1+r.N(2), event.TagCount)
	}
}

func (m *convMaker) adminSays(r *event.RNG, _ *scene, p *event.Part) {
	p.Author, p.Body = m.teammate(r, p.At), m.words(r)
	p.Files = drawFiles(r, 0.04)
	if r.Chance(0.05) {
		p.Meta = `{"quick_reply_options":[{"uuid":"q-1","text":"Yes","translations":{"de":"Ja"}}]}`
	}
}

func (m *convMaker) aiSays(r *event.RNG, _ *scene, p *event.Part) {
	p.Author, p.Body = event.AIAgent, m.words(r)
	p.Author.Answer = r.Chance(0.7)
}

func (m *convMaker) adminNotes(r *event.RNG, _ *scene, p *event.Part) {
	p.Author, p.Body, p.Type, p.Notified = m.teammate(r, p.At), m.words(r), "note", 0
}

// assigns goes through the rows of the table by turns (trap T61).
func (m *convMaker) assigns(r *event.RNG, s *scene, p *event.Part) {
	m.assign(r, p, event.Assignment((s.parts+int(s.num))%int(event.Assignments)))
	if s.state == "closed" && r.Chance(0.5) {
		p.Type, p.State = "assign_and_reopen", "open" // the others had skip_reopen (trap T75)
	}
}

// assign makes a part one row of the table, by whoever does such things.
func (m *convMaker) assign(r *event.RNG, p *event.Part, as event.Assignment) {
	p.Type, p.Author = "assignment", m.teammate(r, p.At)
	p.Assigned = m.row(r, as, p.At)
	switch as {
	case event.AssignBot, event.AssignTeamAndTeammate:
		p.Author = event.Bot
	case event.AssignNothing:
		p.Type = "assignment_unchanged"
	}
}

// row draws the ids that a row of the table of workspace-api 2.10 has at a time.
func (m *convMaker) row(r *event.RNG, as event.Assignment, at int64) event.Assigned {
	a := event.Assigned{As: as}
	teammate, team := event.Everyone[someone(r, at, m.start)].ID, event.Teams[r.N(2)].ID // the third comes later
	switch as {
	case event.AssignTeamAndTeammate:
		a.Admin, a.Team = teammate, team
	case event.AssignTeammate:
		a.Admin = teammate
	case event.AssignTeam:
		a.Team = team
	case event.AssignBot:
		a.Admin = event.BotID
	}
	return a
}

func (m *convMaker) closes(r *event.RNG, _ *scene, p *event.Part) {
	p.Type, p.State, p.Author = "close", "closed", m.teammate(r, p.At)
	if r.Chance(0.3) {
		p.Author = event.Bot
	}
	if r.Chance(0.3) {
		p.Body = m.words(r)
	}
}

func (m *convMaker) snoozes(r *event.RNG, _ *scene, p *event.Part) {
	p.Type, p.State, p.Author = "snoozed", "snoozed", m.teammate(r, p.At)
	p.Until = p.At + int64(1+r.N(72))*3600
}

func (m *convMaker) opens(r *event.RNG, _ *scene, p *event.Part) {
	p.Type, p.State, p.Author = "open", "open", m.teammate(r, p.At)
}

// botNotes: what a workflow leaves for the teammates, sometimes nothing.
func (m *convMaker) botNotes(r *event.RNG, _ *scene, p *event.Part) {
	p.Type, p.Author, p.Notified = "note", event.Bot, 0
	if r.Chance(0.8) {
		p.Body = m.words(r)
	}
}

// summary: the id of its call is there from the beginning, its words may come later (workspace-api 2.10).
func (m *convMaker) summary(r *event.RNG, p *event.Part, call int32) {
	p.Type, p.Author, p.Call = "call_summary", event.Bot, event.CallID(call)
	if r.Chance(0.8) {
		p.Body = m.words(r)
	}
}

// aiEvents: the reason is there or not (trap T76).
func (m *convMaker) aiEvents(r *event.RNG, _ *scene, p *event.Part) {
	p.Type, p.Author, p.EventType = "ai_agent_event", event.AIAgent, "otp_email_verification_failed"
	p.Data = `{"otp_email_verification_failed":{"reason":"no_email"}}`
	if r.Chance(0.4) {
		p.Data = `{}`
	}
}

func (m *convMaker) oddities(r *event.RNG, s *scene, p *event.Part) {
	p.Type, p.Author = r.Text(oddParts), event.Bot
	if p.Type == "quick_reply" {
		p.Author, p.Meta = customerOf(s.contacts), `{"quick_reply_option_uuid":"q-1"}`
	}
}

// assignNow makes a part one row of the table, which opens a closed conversation again unless that is skipped (trap T75).
func (m *convMaker) assignNow(r *event.RNG, s *scene, p *event.Part, as event.Assignment, skipReopen bool) {
	m.assign(r, p, as)
	if s.state == "closed" && !skipReopen {
		p.Type, p.State = "assign_and_reopen", "open"
	}
}
