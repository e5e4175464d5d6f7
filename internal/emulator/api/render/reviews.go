package render

import (
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/jsontext"
)

func writeReviewer(p *jsontext.Writer, name string, c event.Reviewer) {
	switch {
	case c.AI:
		p.RawOrNull(name, `{"type":"ai"}`)
	case c.Admin != 0:
		p.Open(name)
		p.TextOrNull("type", "admin")
		p.Int("admin_id", c.Admin)
		p.Close()
	default:
		p.Null(name)
	}
}

func writeScorecards(p *jsontext.Writer, list []event.Scorecard) {
	p.OpenList("scorecards")
	for i := range list {
		s := &list[i]
		p.OpenItem()
		p.TextOrNull("scorecard_id", s.ID)
		p.TextOrNull("name", s.Name)
		if s.Judged {
			p.Bool("passed", s.Passed)
			p.Int("score", s.Score)
		} else {
			p.Null("passed")
			p.Null("score")
		}
		writeReviewer(p, "reviewed_teammate", s.Reviewed)
		writeReviewer(p, "reviewer", s.Reviewer)
		p.TextOrNull("review_status", s.Status)
		writeReviewer(p, "submitted_by", s.Submitted)
		writeReviewer(p, "revised_by", s.Revised)
		p.OpenList("notes")
		for _, n := range s.Notes {
			p.OpenItem()
			p.TextOrNull("id", n.ID)
			p.TimeOrNull("created_at", n.Created)
			p.TimeOrNull("updated_at", n.Updated)
			writeReviewer(p, "author", n.Author)
			p.TextOrNull("body", n.Body)
			p.Close()
		}
		p.CloseList()
		writeEvaluators(p, s.Evaluators)
		p.Close()
	}
	p.CloseList()
}

func writeEvaluators(p *jsontext.Writer, list []event.Evaluator) {
	p.OpenList("evaluators")
	for _, e := range list {
		p.OpenItem()
		p.TextOrNull("evaluator_id", e.ID)
		p.TextOrNull("name", e.Name)
		p.Open("result")
		p.TextOrNull("value", e.Value)
		if e.Label != "" {
			p.TextOrNull("value_label", e.Label)
		}
		p.TextOrNull("source", e.Source)
		p.TextOrNull("reasoning", e.Reasoning)
		if len(e.Reasons) > 0 {
			p.OpenList("reasons")
			for _, name := range e.Reasons {
				p.OpenItem()
				p.TextOrNull("name", name)
				p.Close()
			}
			p.CloseList()
		}
		p.Close()
		p.Close()
	}
	p.CloseList()
}

func writeEvaluations(p *jsontext.Writer, list []event.Evaluation) {
	p.OpenList("monitor_evaluations")
	for _, m := range list {
		p.OpenItem()
		p.TextOrNull("monitor_id", m.ID)
		p.TextOrNull("name", m.Name)
		p.Bool("passed", m.Passed)
		p.TextOrNull("value", m.Value)
		p.TextOrNull("reasoning", m.Reasoning)
		p.TimeOrNull("evaluated_at", m.At)
		p.Close()
	}
	p.CloseList()
}
