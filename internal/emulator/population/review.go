package population

import (
	"strconv"

	"aqueduck/internal/emulator/event"
)

// ReviewStatuses are the statuses of a review.
var ReviewStatuses = []string{"unreviewed", "submitted", "passed_review", "needs_fix", "wont_fix", "fix_complete"}

var cardNames = []string{"Tone & empathy", "Product knowledge", "Prozess", "返信の質"}

var questionNames = []string{"Greeting", "Solved at first contact?", "Größe der Antwort", "", "Security check"}

// DrawScorecard draws a scorecard with a status; "" is one without a review.
func (m *Conversations) DrawScorecard(r *event.RNG, num int32, card int, status string, at int64) event.Scorecard {
	s := event.Scorecard{ID: "scorecard-" + strconv.Itoa(card), Name: cardNames[card%len(cardNames)], Status: status,
		Judged: r.Chance(0.9), Passed: r.Chance(0.7), Score: int64(r.IntN(101))}
	if r.Chance(0.3) {
		s.Reviewed = event.Reviewer{AI: true}
	} else {
		s.Reviewed = event.Reviewer{Admin: m.Cast.Admins[r.IntN(len(m.Cast.Admins))].ID}
	}
	for i := range 2 + r.IntN(3) {
		s.Evaluators = append(s.Evaluators, drawEvaluator(r, i))
	}
	if status == "" {
		return s
	}
	if r.Chance(0.85) {
		s.Reviewer = event.Reviewer{Admin: m.Cast.Admins[r.IntN(len(m.Cast.Admins))].ID}
	}
	if status == "unreviewed" {
		return s
	}
	s.Submitted = s.Reviewer
	if s.Submitted == (event.Reviewer{}) || r.Chance(0.2) {
		s.Submitted = event.Reviewer{AI: true}
	}
	if r.Chance(0.3) {
		s.Revised = event.Reviewer{Admin: m.Cast.Admins[r.IntN(len(m.Cast.Admins))].ID}
	}
	for i := range r.IntN(4) {
		n := event.ReviewNote{ID: "note-" + strconv.Itoa(int(num)) + "-" + strconv.Itoa(card) + "-" + strconv.Itoa(i), Body: r.PickText(reviewWords),
			Created: at - 60 + int64(i), Updated: at - 60 + int64(i), Author: event.Reviewer{Admin: m.Cast.Admins[r.IntN(len(m.Cast.Admins))].ID}}
		if r.Chance(0.2) {
			n.Author = []event.Reviewer{{}, {AI: true}}[r.IntN(2)]
		}
		s.Notes = append(s.Notes, n)
	}
	return s
}

var reviewWords = []string{"Well done.", "Ask for the order number first", "Zu lang & zu spät", "See the macro \"refund\"", "👍", "Line one\nline two"}

var reasonings = append([]string{""}, reviewWords...)

func drawEvaluator(r *event.RNG, i int) event.Evaluator {
	e := event.Evaluator{ID: "evaluator-" + strconv.Itoa(i), Name: questionNames[(i+r.IntN(2))%len(questionNames)], Value: strconv.Itoa(r.IntN(6)),
		Source: r.PickText([]string{"ai", "teammate"}), Reasoning: r.PickText(reasonings)}
	if r.Chance(0.8) {
		e.Label = r.PickText([]string{"Yes", "No", "Partly", "N/A"})
	}
	if r.Chance(0.4) {
		e.Reasons = []string{"too slow", "wrong link"}[:1+r.IntN(2)]
	}
	return e
}

// DrawEvaluation draws the result of the nth monitor at a time.
func (m *Conversations) DrawEvaluation(r *event.RNG, n int, at int64) event.Evaluation {
	return event.Evaluation{ID: "monitor-" + strconv.Itoa(n), Name: r.PickText([]string{"Refund promised", "Kündigung droht", "Personal data shared"}),
		Value: r.PickText([]string{"yes", "no", "unsure"}), Reasoning: r.PickText(reasonings), Passed: r.Chance(0.6), At: at}
}
