package team

import (
	"strconv"

	"aqueduck/internal/emulator/event"
)

// review draws the quality review of a talk in which a teammate answered: one in five has one.
func (l *life) review() {
	if !l.human || l.closedAt() == 0 || !l.r.Chance(0.2) {
		return
	}
	r := l.r
	passed := r.Chance(passing[l.me])
	c := event.Scorecard{ID: "scorecard-0", Name: "Quality of answers", Reviewed: event.Reviewer{Admin: everyone[l.me].ID}, Judged: r.Chance(0.96), Passed: passed,
		Status: "passed_review", Reviewer: event.Reviewer{Admin: admins[0].ID}}
	c.Score = int64(80 + r.IntN(21))
	if !passed {
		c.Score, c.Status = int64(40+r.IntN(35)), []string{"needs_fix", "fix_complete"}[r.IntN(2)]
	}
	c.Submitted = c.Reviewer
	for i, question := range []string{"Tone", "Right answer", "Next steps named"} {
		e := event.Evaluator{ID: "evaluator-" + strconv.Itoa(i), Name: question, Value: strconv.Itoa(3 + r.IntN(3)), Label: "Yes", Source: []string{"teammate", "ai"}[r.IntN(2)]}
		if !passed && i == r.IntN(3) {
			e.Value, e.Label, e.Reasoning, e.Reasons = strconv.Itoa(r.IntN(3)), "No", "The answer came late and did not name the next step.", []string{"too slow"}
		}
		c.Evaluators = append(c.Evaluators, e)
	}
	at := afterOffice(l.end()+event.Day, int64(r.IntN(2*workday)))
	if !passed || r.Chance(0.2) {
		c.Notes = []event.ReviewNote{{ID: "note-" + strconv.FormatInt(l.at, 36), Body: r.PickText([]string{"Well done, friendly and complete.", "Please name the next step.", "Ask for the workspace first."}),
			Created: at, Updated: at, Author: c.Reviewer}}
	}
	l.cards = append(l.cards, datedCard{at, c})
	if r.Chance(0.3) {
		l.evaluations = append(l.evaluations, event.Evaluation{ID: "monitor-0", Name: "Refund promised", Value: map[bool]string{true: "no", false: "yes"}[passed], Reasoning: "Compared with the policy.", Passed: passed, At: at})
	}
}
