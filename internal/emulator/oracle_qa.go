package emulator

import (
	"strconv"
	"strings"

	"aqueduck/internal/emulator/event"
)

func (o *oracle) partAttachments(yield func(map[string]any) bool) {
	o.lists(yield, func(t *told) []map[string]any { return t.fileRows(o.cap) })
}

func (t *told) fileRows(readable int) (rows []map[string]any) {
	for i, p := range t.parts {
		for at, f := range p.Files {
			row := fileRow(f, at)
			row["part_id"], row["readable"] = strconv.FormatInt(p.ID, 10), i >= len(t.parts)-readable
			rows = append(rows, row)
		}
	}
	return rows
}

func (o *oracle) sourceAttachments(yield func(map[string]any) bool) {
	o.lists(yield, func(t *told) (rows []map[string]any) {
		if t.Source == nil || t.redacted {
			return nil
		}
		for at, f := range t.Source.Files {
			rows = append(rows, fileRow(f, at))
		}
		return rows
	})
}

func fileRow(f event.File, at int) map[string]any {
	return map[string]any{"position": int64(at), "name": f.Name, "url": fileURL(f), "content_type": f.Type, "filesize": f.Size,
		"width": orNull(f.Width), "height": orNull(f.Height)}
}

func (o *oracle) scorecards(yield func(map[string]any) bool) {
	o.lists(yield, func(t *told) (rows []map[string]any) {
		for _, s := range t.cards {
			row := map[string]any{"scorecard_id": s.ID, "name": s.Name, "passed": nil, "score": nil, "review_status": orNull(s.Status)}
			if s.Judged {
				row["passed"], row["score"] = s.Passed, s.Score
			}
			tellCritic(s.Reviewed, row, "reviewed_teammate")
			tellCritic(s.Reviewer, row, "reviewer")
			tellCritic(s.Submitted, row, "submitted_by")
			tellCritic(s.Revised, row, "revised_by")
			rows = append(rows, row)
		}
		return rows
	})
}

// tellCritic writes who it was in two columns.
func tellCritic(c event.Reviewer, row map[string]any, who string) {
	row[who+"_type"], row[who+"_id"] = nil, nil
	switch {
	case c.AI:
		row[who+"_type"] = "ai"
	case c.Admin != 0:
		row[who+"_type"], row[who+"_id"] = "admin", strconv.FormatInt(c.Admin, 10)
	}
}

func (o *oracle) reviewNotes(yield func(map[string]any) bool) {
	o.lists(yield, func(t *told) (rows []map[string]any) {
		for _, s := range t.cards {
			for _, n := range s.Notes {
				row := map[string]any{"scorecard_id": s.ID, "note_id": n.ID, "body": n.Body, "created_at": n.Created, "updated_at": n.Updated}
				tellCritic(n.Author, row, "author")
				rows = append(rows, row)
			}
		}
		return rows
	})
}

func (o *oracle) evaluators(yield func(map[string]any) bool) {
	o.lists(yield, func(t *told) (rows []map[string]any) {
		for _, s := range t.cards {
			for _, e := range s.Evaluators {
				row := map[string]any{"scorecard_id": s.ID, "evaluator_id": e.ID, "name": orNull(e.Name), "value": e.Value, "value_label": orNull(e.Label),
					"source": e.Source, "reasoning": orNull(e.Reasoning), "reasons": nil}
				if len(e.Reasons) > 0 {
					row["reasons"] = `[{"name":"` + strings.Join(e.Reasons, `"},{"name":"`) + `"}]`
				}
				rows = append(rows, row)
			}
		}
		return rows
	})
}

func (o *oracle) monitorEvaluations(yield func(map[string]any) bool) {
	o.lists(yield, func(t *told) (rows []map[string]any) {
		for _, m := range t.monitors {
			rows = append(rows, map[string]any{"monitor_id": m.ID, "name": m.Name, "passed": m.Passed, "value": m.Value,
				"reasoning": orNull(m.Reasoning), "evaluated_at": m.At})
		}
		return rows
	})
}
