package emulator

import "strconv"

// partKind is one kind of part with its share in a hundred.
type partKind struct {
	share int
	draw  func(m *convMaker, r *rng, c *conversation, p *part)
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

// parts draws the parts that a conversation was born with, evenly over its time; the last comes at its end.
func (m *convMaker) parts(c *conversation, count int, end int64) {
	r := newRNG(m.seed, forConvParts, uint64(c.num))
	slot := (end - c.Created) / int64(max(1, count))
	reply := -1
	if !c.silent {
		reply = 2 * newRNG(m.seed, forSilence, uint64(c.num), 1).n(max(1, count/2)) // calls have the odd places, the end the last
	}
	for i := range count {
		at := drawMoment(r, end, slot, count-1-i)
		p := m.part(r, c, at)
		if i == reply {
			p = m.blank(c, at)
			m.customerSays(r, c, &p)
		}
		if j := i - 1; j >= 0 && j%2 == 0 && j/2 < len(m.calls[c.num]) {
			p = m.blank(c, at)
			m.summary(newRNG(m.seed, forCalls, 4, uint64(m.calls[c.num][j/2])), &p, m.calls[c.num][j/2])
		}
		if i == count-1 && i > 0 && r.chance(0.75) { // most are over
			p = m.blank(c, at)
			m.closes(r, c, &p)
		}
		if p.Body != "" && m.redacts(c, i) {
			p.Body, p.Files, p.Redacted = "", nil, true
		}
		c.take(p)
	}
}

// drawMoment draws when a part came, of those that lie evenly before an end: so many come after it, and the last one at the end.
func drawMoment(r *rng, end, slot int64, after int) int64 {
	at := end - int64(after)*slot
	if after > 0 && slot > 1 {
		at -= int64(r.n(int(slot)))
	}
	return at
}

// part draws the next part.
func (m *convMaker) part(r *rng, c *conversation, at int64) part {
	p := m.blank(c, at)
	pick(r, partKinds, func(k *partKind) int { return k.share }).draw(m, r, c, &p)
	if c.silent && isContactType(p.Author.Type) {
		p = m.blank(c, at)
		m.adminSays(r, c, &p)
	}
	return p
}

// blank is a part that says nothing, in its place.
func (m *convMaker) blank(c *conversation, at int64) part {
	return part{ID: partID(c.num, len(c.Parts)), Type: "comment", At: at, Updated: at, Notified: at, State: c.State}
}

func (m *convMaker) words(r *rng) string { return m.bodies[r.n(len(m.bodies))] }

// customerSays: who writes into a closed or a snoozed conversation opens it.
func (m *convMaker) customerSays(r *rng, c *conversation, p *part) {
	p.Author, p.Body, p.State = c.customer(), m.words(r), "open"
	p.Files = drawFiles(r, 0.06)
	if r.chance(0.02) {
		p.External, p.App = "ext-"+strconv.Itoa(r.n(1e6)), "acme_bridge"
	}
	if r.chance(0.03) {
		p.Tags = draws(r, 1+r.n(2), tagCount)
	}
}

func (m *convMaker) adminSays(r *rng, _ *conversation, p *part) {
	p.Author, p.Body = m.teammate(r, p.At), m.words(r)
	p.Files = drawFiles(r, 0.04)
	if r.chance(0.05) {
		p.Meta = `{"quick_reply_options":[{"uuid":"q-1","text":"Yes","translations":{"de":"Ja"}}]}`
	}
}

func (m *convMaker) aiSays(r *rng, _ *conversation, p *part) {
	p.Author, p.Body = aiBot, m.words(r)
	p.Author.Answer = r.chance(0.7)
}

func (m *convMaker) adminNotes(r *rng, _ *conversation, p *part) {
	p.Author, p.Body, p.Type, p.Notified = m.teammate(r, p.At), m.words(r), "note", 0
}

// assigns goes through the rows of the table by turns (trap T61).
func (m *convMaker) assigns(r *rng, c *conversation, p *part) {
	m.assign(r, p, Assignment((len(c.Parts)+int(c.num))%int(assignments)))
	if c.State == "closed" && r.chance(0.5) {
		p.Type, p.State = "assign_and_reopen", "open" // the others had skip_reopen (trap T75)
	}
}

// assign makes a part one row of the table, by whoever does such things.
func (m *convMaker) assign(r *rng, p *part, as Assignment) {
	p.Type, p.Author = "assignment", m.teammate(r, p.At)
	p.Assigned = m.row(r, as, p.At)
	switch as {
	case AssignBot, AssignTeamAndTeammate:
		p.Author = bot
	case AssignNothing:
		p.Type = "assignment_unchanged"
	}
}

// row draws the ids that a row of the table of workspace-api 2.10 has at a time.
func (m *convMaker) row(r *rng, as Assignment, at int64) assigned {
	a := assigned{As: as}
	teammate, team := everyone[someone(r, at, m.start)].id, teams[r.n(len(teams))]
	switch as {
	case AssignTeamAndTeammate:
		a.Admin, a.Team = teammate, team
	case AssignTeammate:
		a.Admin = teammate
	case AssignTeam:
		a.Team = team
	case AssignBot:
		a.Admin = botID
	}
	return a
}

func (m *convMaker) closes(r *rng, _ *conversation, p *part) {
	p.Type, p.State, p.Author = "close", "closed", m.teammate(r, p.At)
	if r.chance(0.3) {
		p.Author = bot
	}
	if r.chance(0.3) {
		p.Body = m.words(r)
	}
}

func (m *convMaker) snoozes(r *rng, _ *conversation, p *part) {
	p.Type, p.State, p.Author = "snoozed", "snoozed", m.teammate(r, p.At)
	p.Until = p.At + int64(1+r.n(72))*3600
}

func (m *convMaker) opens(r *rng, _ *conversation, p *part) {
	p.Type, p.State, p.Author = "open", "open", m.teammate(r, p.At)
}

// botNotes: what a workflow leaves for the teammates, sometimes nothing.
func (m *convMaker) botNotes(r *rng, _ *conversation, p *part) {
	p.Type, p.Author, p.Notified = "note", bot, 0
	if r.chance(0.8) {
		p.Body = m.words(r)
	}
}

// summary: the id of its call is there from the beginning, its words may come later (workspace-api 2.10).
func (m *convMaker) summary(r *rng, p *part, call int32) {
	p.Type, p.Author, p.Call = "call_summary", bot, callID(call)
	if r.chance(0.8) {
		p.Body = m.words(r)
	}
}

// aiEvents: the reason is there or not (trap T76).
func (m *convMaker) aiEvents(r *rng, _ *conversation, p *part) {
	p.Type, p.Author, p.EventType = "ai_agent_event", aiBot, "otp_email_verification_failed"
	p.Data = `{"otp_email_verification_failed":{"reason":"no_email"}}`
	if r.chance(0.4) {
		p.Data = `{}`
	}
}

func (m *convMaker) oddities(r *rng, c *conversation, p *part) {
	p.Type, p.Author = r.text(oddParts), bot
	if p.Type == "quick_reply" {
		p.Author, p.Meta = c.customer(), `{"quick_reply_option_uuid":"q-1"}`
	}
}
