package render

import (
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/jsontext"
)

func writeReviewer(p *jsontext.Writer, name string, c event.Reviewer) {
	switch {
	case c.AI:
		p.Raw(name, `{"type":"ai"}`)
	case c.Admin != 0:
		p.Open(name)
		p.Text("type", "admin")
		p.Int("admin_id", c.Admin)
		p.Close()
	default:
		p.Null(name)
	}
}

func writeScorecards(p *jsontext.Writer, list []event.Scorecard) {
	p.List("scorecards")
	for i := range list {
		s := &list[i]
		p.Item()
		p.Text("scorecard_id", s.ID)
		p.Text("name", s.Name)
		if s.Judged {
			p.Flag("passed", s.Passed)
			p.Int("score", s.Score)
		} else {
			p.Null("passed")
			p.Null("score")
		}
		writeReviewer(p, "reviewed_teammate", s.Reviewed)
		writeReviewer(p, "reviewer", s.Reviewer)
		p.Text("review_status", s.Status)
		writeReviewer(p, "submitted_by", s.Submitted)
		writeReviewer(p, "revised_by", s.Revised)
		p.List("notes")
		for _, n := range s.Notes {
			p.Item()
			p.Text("id", n.ID)
			p.Time("created_at", n.Created)
			p.Time("updated_at", n.Updated)
			writeReviewer(p, "author", n.Author)
			p.Text("body", n.Body)
			p.Close()
		}
		p.End()
		writeEvaluators(p, s.Evaluators)
		p.Close()
	}
	p.End()
}

func writeEvaluators(p *jsontext.Writer, list []event.Evaluator) {
	p.List("evaluators")
	for _, e := range list {
		p.Item()
		p.Text("evaluator_id", e.ID)
		p.Text("name", e.Name)
		p.Open("result")
		p.Text("value", e.Value)
		if e.Label != "" {
			p.Text("value_label", e.Label)
		}
		p.Text("source", e.Source)
		p.Text("reasoning", e.Reasoning)
		if len(e.Reasons) > 0 {
			p.List("reasons")
			for _, name := range e.Reasons {
				p.Item()
				p.Text("name", name)
				p.Close()
			}
			p.End()
		}
		p.Close()
		p.Close()
	}
	p.End()
}

func writeEvaluations(p *jsontext.Writer, list []event.Evaluation) {
	p.List("monitor_evaluations")
	for _, m := range list {
		p.Item()
		p.Text("monitor_id", m.ID)
		p.Text("name", m.Name)
		p.Flag("passed", m.Passed)
		p.Text("value", m.Value)
		p.Text("reasoning", m.Reasoning)
		p.Time("evaluated_at", m.At)
		p.Close()
	}
	p.End()
}
