package emulator

import (
	"strconv"

	"aqueduck/internal/emulator/event"
)

var reviewStatuses = []string{"unreviewed", "submitted", "passed_review", "needs_fix", "wont_fix", "fix_complete"}

var cardNames = []string{"Tone & empathy", "Product knowledge", "Prozess", "返信の質"}

var questionNames = []string{"Greeting", "Solved at first contact?", "Größe der Antwort", "", "Security check"}

// review draws a scorecard at a status; "" is one without a review.
func (m *convMaker) review(r *event.RNG, num int32, card int, status string, at int64) event.Scorecard {
	s := event.Scorecard{ID: "scorecard-" + strconv.Itoa(card), Name: cardNames[card%len(cardNames)], Status: status,
		Judged: r.Chance(0.9), Passed: r.Chance(0.7), Score: int64(r.N(101))}
	if r.Chance(0.3) {
		s.Reviewed = event.Reviewer{AI: true}
	} else {
		s.Reviewed = event.Reviewer{Admin: event.Admins[r.N(len(event.Admins))].ID}
	}
	for i := range 2 + r.N(3) {
		s.Evaluators = append(s.Evaluators, drawEvaluator(r, i))
	}
	if status == "" {
		return s
	}
	if r.Chance(0.85) {
		s.Reviewer = event.Reviewer{Admin: event.Admins[r.N(len(event.Admins))].ID}
	}
	if status == "unreviewed" {
		return s
	}
	s.Submitted = s.Reviewer
	if s.Submitted == (event.Reviewer{}) || r.Chance(0.2) {
		s.Submitted = event.Reviewer{AI: true}
	}
	if r.Chance(0.3) {
		s.Revised = event.Reviewer{Admin: event.Admins[r.N(len(event.Admins))].ID}
	}
	for i := range r.N(4) {
		n := event.ReviewNote{ID: "note-" + strconv.Itoa(int(num)) + "-" + strconv.Itoa(card) + "-" + strconv.Itoa(i), Body: r.Text(reviewWords),
			Created: at - 60 + int64(i), Updated: at - 60 + int64(i), Author: event.Reviewer{Admin: event.Admins[r.N(len(event.Admins))].ID}}
		if r.Chance(0.2) {
			n.Author = []event.Reviewer{{}, {AI: true}}[r.N(2)]
		}
		s.Notes = append(s.Notes, n)
	}
	return s
}

var reviewWords = []string{"Well done.", "Ask for the order number first", "Zu lang & zu spät", "See the macro \"refund\"", "👍", "Line one\nline two"}

var reasonings = append([]string{""}, reviewWords...)

func drawEvaluator(r *event.RNG, i int) event.Evaluator {
	e := event.Evaluator{ID: "evaluator-" + strconv.Itoa(i), Name: questionNames[(i+r.N(2))%len(questionNames)], Value: strconv.Itoa(r.N(6)),
		Source: r.Text([]string{"ai", "teammate"}), Reasoning: r.Text(reasonings)}
	if r.Chance(0.8) {
		e.Label = r.Text([]string{"Yes", "No", "Partly", "N/A"})
	}
	if r.Chance(0.4) {
		e.Reasons = []string{"too slow", "wrong link"}[:1+r.N(2)]
	}
	return e
}

func (m *convMaker) judgement(r *event.RNG, n int, at int64) event.Evaluation {
	return event.Evaluation{ID: "monitor-" + strconv.Itoa(n), Name: r.Text([]string{"Refund promised", "Kündigung droht", "Personal data shared"}),
		Value: r.Text([]string{"yes", "no", "unsure"}), Reasoning: r.Text(reasonings), Passed: r.Chance(0.6), At: at}
}

// qaNames are the attributes that quality assurance writes, and nobody else (workspace-api 9).
var qaNames = []string{"Review status", "Reviewer", "Has QA Notes", "QA Notes Count"}

// qaAttrs are the custom attributes that quality assurance writes: sent up to 2.16 only, to
// workspaces that opted in (workspace-api 9, trap T67).
func (c *conversation) qaAttrs() []event.Attribute {
	if len(c.Cards) == 0 {
		return nil
	}
	notes := 0
	for _, s := range c.Cards {
		notes += len(s.Notes)
	}
	last := c.Cards[len(c.Cards)-1]
	list := []event.Attribute{{Name: "Review status", Raw: string(appendText(nil, last.Status))}, {Name: "Has QA Notes", Raw: strconv.FormatBool(notes > 0)},
		{Name: "QA Notes Count", Raw: strconv.Itoa(notes)}}
	if last.Reviewer.Admin != 0 {
		list = append(list, event.Attribute{Name: "Reviewer", Raw: `"` + strconv.FormatInt(last.Reviewer.Admin, 10) + `"`})
	}
	return list
}

func writeReviewer(p *pen, name string, c event.Reviewer) {
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

func writeScorecards(p *pen, list []event.Scorecard) {
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
		writeReviewer(p, "reviewed_teammate", s.Reviewed)
		writeReviewer(p, "reviewer", s.Reviewer)
		p.text("review_status", s.Status)
		writeReviewer(p, "submitted_by", s.Submitted)
		writeReviewer(p, "revised_by", s.Revised)
		p.list("notes")
		for _, n := range s.Notes {
			p.item()
			p.text("id", n.ID)
			p.time("created_at", n.Created)
			p.time("updated_at", n.Updated)
			writeReviewer(p, "author", n.Author)
			p.text("body", n.Body)
			p.close()
		}
		p.end()
		writeEvaluators(p, s.Evaluators)
		p.close()
	}
	p.end()
}

func writeEvaluators(p *pen, list []event.Evaluator) {
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

func writeEvaluations(p *pen, list []event.Evaluation) {
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
