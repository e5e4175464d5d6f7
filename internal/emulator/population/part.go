package population

import (
	"strconv"

	"aqueduck/internal/emulator/event"
)

// partKind is one kind of part with its share in percent.
type partKind struct {
	share int
	draw  func(m *Conversations, r *event.RNG, s *Scene, p *event.Part)
}

// partKinds are the kinds of parts in conversations.
var partKinds = []partKind{
	{36, (*Conversations).FillCustomerReply},
	{24, (*Conversations).FillAdminReply},
	{9, (*Conversations).FillAIReply},
	{6, (*Conversations).FillAdminNote},
	{12, (*Conversations).fillNextAssignment},
	{4, (*Conversations).FillClose},
	{2, (*Conversations).FillSnooze},
	{2, (*Conversations).FillReopen},
	{2, (*Conversations).botNotes},
	{2, (*Conversations).aiEvents},
	{1, (*Conversations).FillUnknownType},
}

// Scene is the state of a conversation or a ticket that the next part is drawn from.
type Scene struct {
	Num      int32  // its number
	Parts    int    // number of parts
	State    string // after the last part
	Contacts []*event.Contact

	Kind, Stage int  // indexes of a ticket's type and state
	NotesOnly   bool // no customer reads it
}

// applyPart updates the scene after a part.
func (s *Scene) applyPart(p *event.Part) {
	s.Parts++
	s.State = p.State
	if p.Ticket != nil && p.Ticket.Moved {
		s.Stage = p.Ticket.To
	}
}

// drawParts draws the initial parts of a conversation, spread evenly over its time; the last one comes at its end. It reports whether the AI
// agent wrote one.
func (m *Conversations) drawParts(b *event.Beginning, count int, at, end int64) (helped bool) {
	r, s := event.NewRNG(m.Seed, event.ForConversationParts, uint64(b.Num)), &Scene{Num: b.Num, State: "open", Contacts: b.Contacts}
	b.Parts = make([]event.Part, 0, count)
	slot := (end - at) / int64(max(1, count))
	reply := -1
	if !b.Silent {
		reply = 2 * event.NewRNG(m.Seed, event.ForSilence, uint64(b.Num), 1).IntN(max(1, count/2)) // even indexes, as calls have the odd ones and the end has the last
	}
	for i := range count {
		at := drawMoment(r, end, slot, count-1-i)
		p := m.drawPart(r, s, b.Silent, at)
		if i == reply {
			p = m.BlankPart(s, at)
			m.FillCustomerReply(r, s, &p)
		}
		if j := i - 1; j >= 0 && j%2 == 0 && j/2 < len(m.Calls[b.Num]) {
			p = m.BlankPart(s, at)
			m.FillSummaryPart(event.NewRNG(m.Seed, event.ForCalls, 4, uint64(m.Calls[b.Num][j/2])), &p, m.Calls[b.Num][j/2])
		}
		if i == count-1 && i > 0 && r.Chance(0.75) { // most conversations are closed
			p = m.BlankPart(s, at)
			m.FillClose(r, s, &p)
		}
		if p.Body != "" && m.isBornRedacted(b.Num, i) {
			p.Body, p.Files, p.Redacted = "", nil, true
		}
		b.Parts = append(b.Parts, p)
		helped = helped || p.Author.AI
		s.applyPart(&p)
	}
	return helped
}

// drawMoment draws the time of a part. Parts are slots apart before end: after of them follow, and the last one comes exactly at end.
func drawMoment(r *event.RNG, end, slot int64, after int) int64 {
	at := end - int64(after)*slot
	if after > 0 && slot > 1 {
		at -= int64(r.IntN(int(slot)))
	}
	return at
}

// drawPart draws the next part.
func (m *Conversations) drawPart(r *event.RNG, s *Scene, silent bool, at int64) event.Part {
	p := m.BlankPart(s, at)
	event.PickByShare(r, partKinds, func(k *partKind) int { return k.share }).draw(m, r, s, &p)
	if silent && (p.Author.Type == "user" || p.Author.Type == "lead") {
		p = m.BlankPart(s, at)
		m.FillAdminReply(r, s, &p)
	}
	return p
}

// BlankPart returns the next part without any content.
func (m *Conversations) BlankPart(s *Scene, at int64) event.Part {
	return event.Part{ID: event.PartID(s.Num, s.Parts), Type: "comment", At: at, Updated: at, Notified: at, State: s.State}
}

// DrawBody draws a body.
func (m *Conversations) DrawBody(r *event.RNG) string { return m.bodies[r.IntN(len(m.bodies))] }

// FillCustomerReply makes a part a comment of the first contact. It reopens a closed or snoozed conversation.
func (m *Conversations) FillCustomerReply(r *event.RNG, s *Scene, p *event.Part) {
	p.Author, p.Body, p.State = customerOf(s.Contacts), m.DrawBody(r), "open"
	p.Files = drawFiles(r, 0.06)
	if r.Chance(0.02) {
		p.External, p.App = "ext-"+strconv.Itoa(r.IntN(1e6)), "acme_bridge"
	}
	if r.Chance(0.03) {
		p.Tags = drawDistinct(r, 1+r.IntN(2), m.Cast.TagCount)
	}
}

// FillAdminReply makes a part a comment of a teammate.
func (m *Conversations) FillAdminReply(r *event.RNG, _ *Scene, p *event.Part) {
	p.Author, p.Body = m.drawTeammate(r, p.At), m.DrawBody(r)
	p.Files = drawFiles(r, 0.04)
	if r.Chance(0.05) {
		p.Meta = `{"quick_reply_options":[{"uuid":"q-1","text":"Yes","translations":{"de":"Ja"}}]}`
	}
}

// FillAIReply makes a part a comment of the AI agent.
func (m *Conversations) FillAIReply(r *event.RNG, _ *Scene, p *event.Part) {
	p.Author, p.Body = event.AIAgent, m.DrawBody(r)
	p.Author.Answer = r.Chance(0.7)
}

// FillAdminNote makes a part a note of a teammate.
func (m *Conversations) FillAdminNote(r *event.RNG, _ *Scene, p *event.Part) {
	p.Author, p.Body, p.Type, p.Notified = m.drawTeammate(r, p.At), m.DrawBody(r), "note", 0
}

// fillNextAssignment takes the rows of the assignment table by turns (trap T61).
func (m *Conversations) fillNextAssignment(r *event.RNG, s *Scene, p *event.Part) {
	m.FillAssignment(r, p, event.Assignment((s.Parts+int(s.Num))%int(event.Assignments)))
	if s.State == "closed" && r.Chance(0.5) {
		p.Type, p.State = "assign_and_reopen", "open" // the others have skip_reopen (trap T75)
	}
}

// FillAssignment makes a part one row of the assignment table, by a bot or a drawn teammate.
func (m *Conversations) FillAssignment(r *event.RNG, p *event.Part, as event.Assignment) {
	p.Type, p.Author = "assignment", m.drawTeammate(r, p.At)
	p.Assigned = m.DrawAssigned(r, as, p.At)
	switch as {
	case event.AssignBot, event.AssignTeamAndTeammate:
		p.Author = event.Bot
	case event.AssignNothing:
		p.Type = "assignment_unchanged"
	}
}

// DrawAssigned draws the assignees of a row of the table of workspace-api 2.10 at a time.
func (m *Conversations) DrawAssigned(r *event.RNG, as event.Assignment, at int64) event.Assigned {
	a := event.Assigned{As: as}
	teammate, team := m.Cast.Everyone[adminAt(m.Cast, r, at, m.Start)].ID, m.Cast.Teams[r.IntN(2)].ID // the third team does not exist at hour 0
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

// FillClose makes a part that closes the conversation.
func (m *Conversations) FillClose(r *event.RNG, _ *Scene, p *event.Part) {
	p.Type, p.State, p.Author = "close", "closed", m.drawTeammate(r, p.At)
	if r.Chance(0.3) {
		p.Author = event.Bot
	}
	if r.Chance(0.3) {
		p.Body = m.DrawBody(r)
	}
}

// FillSnooze makes a part that snoozes the conversation.
func (m *Conversations) FillSnooze(r *event.RNG, _ *Scene, p *event.Part) {
	p.Type, p.State, p.Author = "snoozed", "snoozed", m.drawTeammate(r, p.At)
	p.Until = p.At + int64(1+r.IntN(72))*3600
}

// FillReopen makes a part that reopens the conversation.
func (m *Conversations) FillReopen(r *event.RNG, _ *Scene, p *event.Part) {
	p.Type, p.State, p.Author = "open", "open", m.drawTeammate(r, p.At)
}

// botNotes makes a part a workflow's note for the teammates, sometimes an empty one.
func (m *Conversations) botNotes(r *event.RNG, _ *Scene, p *event.Part) {
	p.Type, p.Author, p.Notified = "note", event.Bot, 0
	if r.Chance(0.8) {
		p.Body = m.DrawBody(r)
	}
}

// FillSummaryPart makes a part the summary of a call. The call's id is there at once; the body may come later (workspace-api 2.10).
func (m *Conversations) FillSummaryPart(r *event.RNG, p *event.Part, call int32) {
	p.Type, p.Author, p.Call = "call_summary", event.Bot, event.CallID(call)
	if r.Chance(0.8) {
		p.Body = m.DrawBody(r)
	}
}

// aiEvents makes a part an event of the AI agent, with or without a reason (trap T76).
func (m *Conversations) aiEvents(r *event.RNG, _ *Scene, p *event.Part) {
	p.Type, p.Author, p.EventType = "ai_agent_event", event.AIAgent, "otp_email_verification_failed"
	p.Data = `{"otp_email_verification_failed":{"reason":"no_email"}}`
	if r.Chance(0.4) {
		p.Data = `{}`
	}
}

// FillUnknownType makes a part of a type that readers do not know and must accept (trap T64).
func (m *Conversations) FillUnknownType(r *event.RNG, s *Scene, p *event.Part) {
	p.Type, p.Author = r.PickText(oddParts), event.Bot
	if p.Type == "quick_reply" {
		p.Author, p.Meta = customerOf(s.Contacts), `{"quick_reply_option_uuid":"q-1"}`
	}
}

// FillAssignmentNow makes a part one row of the assignment table. It reopens a closed conversation unless skipReopen is set (trap T75).
func (m *Conversations) FillAssignmentNow(r *event.RNG, s *Scene, p *event.Part, as event.Assignment, skipReopen bool) {
	m.FillAssignment(r, p, as)
	if s.State == "closed" && !skipReopen {
		p.Type, p.State = "assign_and_reopen", "open"
	}
}
