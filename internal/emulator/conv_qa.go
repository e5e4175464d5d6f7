package emulator

import "strconv"

// critic is the AI or an admin; the zero value is nobody.
type critic struct {
	AI    bool
	Admin int64
}

// scorecard is a quality review, sent with include_scorecards (workspace-api 2.10).
type scorecard struct {
	ID, Name           string
	Reviewed, Reviewer critic // Reviewer: nobody without a review, or when it is not assigned (trap T66)
	Status             string // "": no review
	Submitted, Revised critic
	Judged, Passed     bool // Judged: passed and score are known
	Score              int64
	Notes              []reviewNote
	Evaluators         []evaluator
}

// reviewNote is a remark on a review; its writer may have been deleted.
type reviewNote struct {
	ID, Body         string
	Created, Updated int64
	Author           critic
}

// evaluator is one question of a scorecard with its answer.
type evaluator struct {
	ID, Name, Value, Label, Source, Reasoning string // Name and Label: "" when unresolved
	Reasons                                   []string
}

// monitor is what a monitor found, sent with include_monitors.
type monitor struct {
	ID, Name, Value, Reasoning string
	Passed                     bool
	At                         int64
}

var reviewStatuses = []string{"unreviewed", "submitted", "passed_review", "needs_fix", "wont_fix", "fix_complete"}

var cardNames = []string{"Tone & empathy", "Product knowledge", "Prozess", "返信の質"}

var questionNames = []string{"Greeting", "Solved at first contact?", "Größe der Antwort", "", "Security check"}

// review draws a scorecard at a status; "" is one without a review.
func (m *convMaker) review(r *rng, num int32, card int, status string, at int64) scorecard {
	s := scorecard{ID: "scorecard-" + strconv.Itoa(card), Name: cardNames[card%len(cardNames)], Status: status,
		Judged: r.chance(0.9), Passed: r.chance(0.7), Score: int64(r.n(101))}
	if r.chance(0.3) {
		s.Reviewed = critic{AI: true}
	} else {
		s.Reviewed = critic{Admin: admins[r.n(len(admins))].id}
	}
	for i := range 2 + r.n(3) {
		s.Evaluators = append(s.Evaluators, drawEvaluator(r, i))
	}
	if status == "" {
		return s
	}
	if r.chance(0.85) {
		s.Reviewer = critic{Admin: admins[r.n(len(admins))].id}
	}
	if status == "unreviewed" {
		return s
	}
	s.Submitted = s.Reviewer
	if s.Submitted == (critic{}) || r.chance(0.2) {
		s.Submitted = critic{AI: true}
	}
	if r.chance(0.3) {
		s.Revised = critic{Admin: admins[r.n(len(admins))].id}
	}
	for i := range r.n(4) {
		n := reviewNote{ID: "note-" + strconv.Itoa(int(num)) + "-" + strconv.Itoa(card) + "-" + strconv.Itoa(i), Body: r.text(reviewWords),
			Created: at - 60 + int64(i), Updated: at - 60 + int64(i), Author: critic{Admin: admins[r.n(len(admins))].id}}
		if r.chance(0.2) {
			n.Author = []critic{{}, {AI: true}}[r.n(2)]
		}
		s.Notes = append(s.Notes, n)
	}
	return s
}

var reviewWords = []string{"Well done.", "Ask for the order number first", "Zu lang & zu spät", "See the macro \"refund\"", "👍", "Line one\nline two"}

var reasonings = append([]string{""}, reviewWords...)

func drawEvaluator(r *rng, i int) evaluator {
	e := evaluator{ID: "evaluator-" + strconv.Itoa(i), Name: questionNames[(i+r.n(2))%len(questionNames)], Value: strconv.Itoa(r.n(6)),
		Source: r.text([]string{"ai", "teammate"}), Reasoning: r.text(reasonings)}
	if r.chance(0.8) {
		e.Label = r.text([]string{"Yes", "No", "Partly", "N/A"})
	}
	if r.chance(0.4) {
		e.Reasons = []string{"too slow", "wrong link"}[:1+r.n(2)]
	}
	return e
}

func (m *convMaker) judgement(r *rng, n int, at int64) monitor {
	return monitor{ID: "monitor-" + strconv.Itoa(n), Name: r.text([]string{"Refund promised", "Kündigung droht", "Personal data shared"}),
		Value: r.text([]string{"yes", "no", "unsure"}), Reasoning: r.text(reasonings), Passed: r.chance(0.6), At: at}
}

// qaNames are the attributes that quality assurance writes, and nobody else (workspace-api 9).
var qaNames = []string{"Review status", "Reviewer", "Has QA Notes", "QA Notes Count"}

// qaAttrs are the custom attributes that quality assurance writes: sent up to 2.16 only, to
// workspaces that opted in (workspace-api 9, trap T67).
func (c *conversation) qaAttrs() []attr {
	if len(c.Cards) == 0 {
		return nil
	}
	notes := 0
	for _, s := range c.Cards {
		notes += len(s.Notes)
	}
	last := c.Cards[len(c.Cards)-1]
	list := []attr{{"Review status", string(appendText(nil, last.Status))}, {"Has QA Notes", strconv.FormatBool(notes > 0)},
		{"QA Notes Count", strconv.Itoa(notes)}}
	if last.Reviewer.Admin != 0 {
		list = append(list, attr{"Reviewer", `"` + strconv.FormatInt(last.Reviewer.Admin, 10) + `"`})
	}
	return list
}

func (p *pen) critic(name string, c critic) {
	switch {
	case c.AI:
		p.raw(name, `{"type":"ai"}`)
	case c.Admin != 0:
		p.open(name)
		p.text("type", "admin")
		p.int("admin_id", c.Admin)
		p.close()
	default:
		p.null(name)
	}
}

func (p *pen) scorecards(list []scorecard) {
	p.list("scorecards")
	for i := range list {
		s := &list[i]
		p.item()
		p.text("scorecard_id", s.ID)
		p.text("name", s.Name)
		if s.Judged {
			p.flag("passed", s.Passed)
			p.int("score", s.Score)
		} else {
			p.null("passed")
			p.null("score")
		}
		p.critic("reviewed_teammate", s.Reviewed)
		p.critic("reviewer", s.Reviewer)
		p.text("review_status", s.Status)
		p.critic("submitted_by", s.Submitted)
		p.critic("revised_by", s.Revised)
		p.list("notes")
		for _, n := range s.Notes {
			p.item()
			p.text("id", n.ID)
			p.time("created_at", n.Created)
			p.time("updated_at", n.Updated)
			p.critic("author", n.Author)
			p.text("body", n.Body)
			p.close()
		}
		p.end()
		p.evaluators(s.Evaluators)
		p.close()
	}
	p.end()
}

func (p *pen) evaluators(list []evaluator) {
	p.list("evaluators")
	for _, e := range list {
		p.item()
		p.text("evaluator_id", e.ID)
		p.text("name", e.Name)
		p.open("result")
		p.text("value", e.Value)
		if e.Label != "" {
			p.text("value_label", e.Label)
		}
		p.text("source", e.Source)
		p.text("reasoning", e.Reasoning)
		if len(e.Reasons) > 0 {
			p.list("reasons")
			for _, name := range e.Reasons {
				p.item()
				p.text("name", name)
				p.close()
			}
			p.end()
		}
		p.close()
		p.close()
	}
	p.end()
}

func (p *pen) monitors(list []monitor) {
	p.list("monitor_evaluations")
	for _, m := range list {
		p.item()
		p.text("monitor_id", m.ID)
		p.text("name", m.Name)
		p.flag("passed", m.Passed)
		p.text("value", m.Value)
		p.text("reasoning", m.Reasoning)
		p.time("evaluated_at", m.At)
		p.close()
	}
	p.end()
}
