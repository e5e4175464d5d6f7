package population

import (
	"fmt"

	"aqueduck/internal/emulator/event"
)

// drawDialogue draws the texts of a consultation.
func drawDialogue(cast *event.Cast, seed uint64, c *event.Consultation) *event.Dialogue {
	d := &event.Dialogue{}
	d.Cycle, d.Rule = cycleOf(seed, c)
	r := event.NewRNG(seed, event.ForConsultation, 3<<40, uint64(c.Conv), uint64(c.N))
	for i := range d.Asked {
		d.Asked[i] = hitlWords(r)
	}
	d.Confidence = int64(len(d.Asked[0]) % 101)
	d.Draft = hitlWords(r)
	last := d.Draft
	for range c.Rounds {
		one := event.FeedbackRound{Reviewer: drawReviewer(cast, r), Input: hitlWords(r)}
		one.Elsewhere = !r.Chance(0.5)
		if one.Failed = r.Chance(0.1); !one.Failed {
			one.Delay = int64(r.IntN(2))
			one.Revised = hitlWords(r)
			last = one.Revised
		}
		d.Rounds = append(d.Rounds, one)
	}
	d.Closing[0] = event.ConsultationClosing{Reviewer: drawReviewer(cast, r), Final: hitlWords(r), Sent: hitlWords(r)}
	d.Closing[1] = event.ConsultationClosing{Final: last, Sent: last} // nobody ended it, so nobody changed the last draft
	return d
}

func drawReviewer(cast *event.Cast, r *event.RNG) int64 {
	return cast.Admins[r.IntN(len(cast.Admins))].ID
}

// cycleOf draws the id of a consultation and the rule behind it, none when no rule started it.
func cycleOf(seed uint64, c *event.Consultation) (id string, rule event.ConsultationRule) {
	r := event.NewRNG(seed, event.ForConsultation, 2<<40, uint64(c.Conv), uint64(c.N))
	id = fmt.Sprintf("%016x-%d", r.Uint64(), c.N)
	if r.Chance(0.7) {
		n := 1 + r.IntN(4)
		rule = event.ConsultationRule{ID: fmt.Sprintf("rule-%d", n), Name: []string{"Refunds > 50 €", "Low confidence", "VIP & press", "返金"}[n-1], Threshold: int64(40 + 10*n)}
	}
	return id, rule
}

func hitlWords(r *event.RNG) string { return drawProse(r, 2+r.IntN(6), r.Chance(0.15)) }

// drawCallLines draws the transcript of a call, by the call's number.
func drawCallLines(seed uint64, call int32) []event.TranscriptLine {
	r := event.NewRNG(seed, event.ForCalls, 3, uint64(call))
	list := make([]event.TranscriptLine, 2+r.IntN(9))
	for i := range list {
		at := float64(4*i) + 0.25
		list[i] = event.TranscriptLine{Speaker: []string{"agent", "contact"}[i%2], Text: r.PickText(NoteWords), Start: at, End: at + 1.5}
	}
	return list
}

// Outcomes are the ends of a consultation that was not superseded (workspace-api 3.1).
var Outcomes = []string{"approved", "approved", "approved", "taken_over", "timed_out_sent", "timed_out_escalated"}

// DrawConsultations draws the initial consultations of a conversation: one conversation in twelve has some. A second one often begins before
// the first has ended (trap T74).
func (m *Conversations) DrawConsultations(num int32, born []event.Part) []event.Consultation {
	if m.Script != nil {
		return m.Script.Consultations(num)
	}
	r := event.NewRNG(m.Seed, event.ForConsultation, uint64(num))
	if len(born) == 0 || !r.Chance(1.0/12) {
		return nil
	}
	place := r.IntN(len(born))
	one := event.Consultation{Conv: num, Part: born[place].ID, At: born[place].At + 1 + int64(r.IntN(20))}
	if place+1 < len(born) {
		one.Sent = born[place+1].ID
	}
	PlanConsultation(&one, r)
	if !r.Chance(0.4) {
		return []event.Consultation{one}
	}
	two := event.Consultation{Conv: num, N: 1, Part: one.Part, Sent: one.Sent, At: r.TimeBetween(one.At, one.End+3600)}
	PlanConsultation(&two, r)
	return []event.Consultation{one, two}
}

// PlanConsultation draws how and when a consultation ends. Some have more rounds than an answer contains (trap T70). One in ten ends a day or
// two later (trap T69).
func PlanConsultation(c *event.Consultation, r *event.RNG) {
	c.Outcome = r.PickText(Outcomes)
	switch x := r.Float64(); {
	case x < 0.1:
		c.Rounds = 12
	case x < 0.15:
		c.Rounds = 25
	default:
		c.Rounds = r.IntN(4)
	}
	c.End = c.At + 30 + int64(r.IntN(1800))
	if r.Chance(0.1) {
		c.End = c.At + int64(r.IntN(2*event.Day))
	}
}
