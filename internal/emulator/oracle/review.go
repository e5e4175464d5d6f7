package oracle

import "aqueduck/internal/emulator/event"

func (t *replayedThread) scorecardRows(*Oracle) (rows []Row) {
	for _, s := range t.cards {
		row := Row{"scorecard_id": s.ID, "name": s.Name, "passed": nil, "score": nil, "review_status": orNull(s.Status)}
		if s.Judged {
			row["passed"], row["score"] = s.Passed, s.Score
		}
		reviewerColumns(s.Reviewed, row, "reviewed_teammate")
		reviewerColumns(s.Reviewer, row, "reviewer")
		reviewerColumns(s.Submitted, row, "submitted_by")
		reviewerColumns(s.Revised, row, "revised_by")
		rows = append(rows, row)
	}
	return rows
}

// reviewerColumns writes a reviewer to two columns: type and id.
func reviewerColumns(c event.Reviewer, row Row, who string) {
	row[who+"_type"], row[who+"_id"] = nil, nil
	switch {
	case c.AI:
		row[who+"_type"] = "ai"
	case c.Admin != 0:
		row[who+"_type"], row[who+"_id"] = "admin", idText(c.Admin)
	}
}

func (t *replayedThread) reviewNoteRows(*Oracle) (rows []Row) {
	for _, s := range t.cards {
		for _, n := range s.Notes {
			row := Row{"scorecard_id": s.ID, "note_id": n.ID, "body": n.Body, "created_at": n.Created, "updated_at": n.Updated}
			reviewerColumns(n.Author, row, "author")
			rows = append(rows, row)
		}
	}
	return rows
}

func (t *replayedThread) evaluatorRows(*Oracle) (rows []Row) {
	for _, s := range t.cards {
		for _, e := range s.Evaluators {
			row := Row{"scorecard_id": s.ID, "evaluator_id": e.ID, "name": orNull(e.Name), "value": e.Value, "value_label": orNull(e.Label),
				"source": e.Source, "reasoning": orNull(e.Reasoning), "reasons": nil}
			if len(e.Reasons) > 0 {
				var reasons []string
				for _, name := range e.Reasons {
					reasons = append(reasons, jsonObject("name", jsonText(name)))
				}
				row["reasons"] = jsonArray(reasons)
			}
			rows = append(rows, row)
		}
	}
	return rows
}

func (t *replayedThread) evaluationRows(*Oracle) (rows []Row) {
	for _, m := range t.monitors {
		rows = append(rows, Row{"monitor_id": m.ID, "name": m.Name, "passed": m.Passed, "value": m.Value,
			"reasoning": orNull(m.Reasoning), "evaluated_at": m.At})
	}
	return rows
}
