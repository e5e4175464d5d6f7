package team

import (
	"slices"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
)

// talk is one conversation with its whole life, also beyond hour 0.
type talk struct {
	population.ScriptedThread
	at    int64           // when it began
	born  event.Beginning // what it has from the beginning; its parts, its rating and its tags are in the next fields
	parts []event.Part    // in the order of time, without ids
	tags  []event.AppliedTag

	asked  int64         // when a rating was requested; 0: never
	askFor event.Rating  // who is to be rated
	rating *event.Rating // nil: none was given

	ai     *event.AIOutcome // nil: the AI agent took no part
	aiDone int64            // when its outcome is known
	aiRate int64            // when it was rated

	level          *serviceLevel
	cards          []datedCard
	evaluations    []event.Evaluation
	consulted      []event.Consultation // their part is the index of a part until the talk is opened
	calls          []event.Call
	subject, begun int    // places of the topic, and of who began it
	channel        string // as the source calls it
}

// serviceLevel is how fast the first answer must come.
type serviceLevel struct {
	name   string
	within int64 // seconds of work
	from   int64 // Unix seconds
}

// datedCard is a quality review and when it was done.
type datedCard struct {
	at   int64
	card event.Scorecard
}

// who began a conversation.
const (
	byCustomer = iota
	byBot
	byCampaign
	byTeammate
)

// end returns the time of the last thing that happens in a talk.
func (t *talk) end() int64 {
	last := t.at
	if len(t.parts) > 0 {
		last = max(last, t.parts[len(t.parts)-1].At)
	}
	if t.rating != nil {
		last = max(last, t.rating.Created)
	}
	return max(last, t.asked, t.aiRate)
}

// closedAt returns when a talk is closed for the last time; 0: never.
func (t *talk) closedAt() int64 {
	if n := len(t.parts); n > 0 && t.parts[n-1].State == "closed" {
		return t.parts[n-1].At
	}
	return 0
}

// beginning returns the content of a talk as of a time. Parts get their ids from its number.
func (t *talk) beginning(until int64) *event.Beginning {
	b := t.born
	b.Num = t.Num
	if t.begun == byCustomer {
		b.Asked = t.at
	}
	for _, p := range t.parts {
		if p.At <= until {
			p.ID = event.PartID(t.Num, len(b.Parts))
			b.Parts = append(b.Parts, p)
		}
	}
	b.Silent = t.begun != byCustomer && !slices.ContainsFunc(b.Parts, isAsking)
	for _, tag := range t.tags {
		if tag.At <= until {
			b.Tags = append(b.Tags, tag)
		}
	}
	for _, c := range t.cards {
		if c.at <= until {
			b.Scorecards = append(b.Scorecards, c.card)
		}
	}
	for _, e := range t.evaluations {
		if e.At <= until {
			b.Evaluations = append(b.Evaluations, e)
		}
	}
	b.Rating = t.ratingAt(until)
	f := t.figuresAt(until)
	b.Median, b.Handling, b.SLA, b.AI, b.FirstReply = f.Median, f.Handling, f.SLA, f.AI, f.FirstReply
	return &b
}

// ratingAt returns the rating as of a time. One that was requested and not given has no stars.
func (t *talk) ratingAt(until int64) *event.Rating {
	switch {
	case t.rating != nil && t.rating.Created <= until:
		r := *t.rating
		return &r
	case t.asked != 0 && t.asked <= until:
		r := event.Rating{Created: t.asked, Updated: t.asked, Contact: t.born.Contacts[0], By: t.askFor.By, Admin: t.askFor.Admin}
		return &r
	}
	return nil
}

// lastUntil returns the time of the last thing that happened by a time.
func (t *talk) lastUntil(until int64) int64 {
	last := t.at
	at := func(when int64) {
		if when <= until {
			last = max(last, when)
		}
	}
	for i := range t.parts {
		at(t.parts[i].At)
	}
	at(t.asked)
	at(t.aiRate)
	if t.rating != nil {
		at(t.rating.Created)
	}
	for _, c := range t.cards {
		at(c.at)
	}
	return last
}

func isCustomer(a *event.Author) bool { return a.Type == "user" || a.Type == "lead" }

func isAsking(p event.Part) bool { return p.Type == "comment" && isCustomer(&p.Author) }

// isAnswer reports whether a teammate says something to the customer with a part.
func isAnswer(p *event.Part) bool {
	return p.Author.Type == "admin" && !p.Author.AI && p.Body != "" && p.Type != "note"
}

// figuresAt works out what the source would say of a talk at a time.
func (t *talk) figuresAt(until int64) *event.Figures {
	f := &event.Figures{FirstReply: t.firstReply(until), SLA: t.levelAt(until)}
	f.Median, f.Handling = t.medianReply(until), t.handling(until)
	if t.ai != nil {
		a := *t.ai
		if t.aiDone > until {
			a.Resolution = ""
		}
		if t.aiRate > until || t.aiRate == 0 {
			a.Stars, a.Remark = 0, ""
		}
		f.AI = &a
	}
	return f
}

// firstReply returns where the customer wrote first.
func (t *talk) firstReply(until int64) *event.FirstReply {
	if t.begun == byCustomer {
		return &event.FirstReply{At: t.at, Type: t.channel, URL: t.born.Source.URL}
	}
	for i := range t.parts {
		if p := &t.parts[i]; p.At <= until && isAsking(*p) {
			return &event.FirstReply{At: p.At, Type: t.channel}
		}
	}
	return nil
}

// medianReply returns the median of the times from a customer's message to a teammate's answer.
func (t *talk) medianReply(until int64) int64 {
	var waits []int64
	since := int64(0)
	if t.begun == byCustomer {
		since = t.at
	}
	for i := range t.parts {
		switch p := &t.parts[i]; {
		case p.At > until:
		case isAsking(*p) && since == 0:
			since = p.At
		case isAnswer(p) && since != 0:
			waits, since = append(waits, max(0, p.At-since)), 0
		case p.Type == "comment" && !isCustomer(&p.Author): // the AI agent answered
			since = 0
		}
	}
	if len(waits) == 0 {
		return 0
	}
	slices.Sort(waits)
	return (waits[len(waits)/2] + waits[(len(waits)-1)/2]) / 2
}

// handling returns how long the talk was open and assigned to a teammate.
func (t *talk) handling(until int64) (sum int64) {
	since, charge := int64(0), int64(0)
	for i := range t.parts {
		p := &t.parts[i]
		if p.At > until {
			break
		}
		if since != 0 {
			sum += p.At - since
		}
		switch p.Assigned.As {
		case event.AssignTeamAndTeammate, event.AssignTeammate:
			charge = p.Assigned.Admin
		case event.RemoveTeammate, event.RemoveAll, event.AssignBot:
			charge = 0
		}
		if since = 0; p.State == "open" && charge != 0 {
			since = p.At
		}
	}
	return sum
}

// levelAt returns the service level with its status, which follows from the time of the first answer.
func (t *talk) levelAt(until int64) *event.SLA {
	if t.level == nil || t.level.from > until {
		return nil
	}
	status, end := "active", until
	for i := range t.parts {
		p := &t.parts[i]
		if p.At > until || p.At < t.level.from {
			continue
		}
		if isAnswer(p) {
			status, end = "hit", p.At
			break
		}
		if p.State == "closed" {
			status = "cancelled"
			end = p.At
			break
		}
	}
	if officeSeconds(t.level.from, end) > t.level.within {
		status = "missed"
	}
	return &event.SLA{Name: t.level.name, Status: status}
}

// ticket is one ticket with its whole life.
type ticket struct {
	population.ScriptedThread
	at    int64
	kind  int
	born  event.Beginning
	parts []event.Part
	talk  *talk // that it comes from; nil: none
}

// beginning returns the content of a ticket as of a time.
func (t *ticket) beginning(until int64) *event.Beginning {
	b := t.born
	b.Num = t.Num
	for _, p := range t.parts {
		if p.At <= until {
			p.ID = event.PartID(t.Num, len(b.Parts))
			b.Parts = append(b.Parts, p)
		}
	}
	return &b
}

// span is one state of a conversation, or one status of a teammate.
type span struct {
	begin, end int64 // end 0: it lasts
	values     map[string]any
}
