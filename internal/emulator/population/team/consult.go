package team

import (
	"fmt"

	"aqueduck/internal/emulator/event"
)

// consult has the AI agent ask the teammates what to answer: one or two rounds, and some minutes.
func (l *life) consult() {
	c := event.Consultation{N: int32(len(l.consulted)), At: l.now + 1, Rounds: 1 + pick(l.r, 70, 30), Part: int64(len(l.parts) - 1), Sent: -1}
	c.Outcome = []string{"approved", "taken_over", "timed_out_escalated", "timed_out_sent"}[pick(l.r, 62, 20, 10, 8)]
	c.End = c.At + 20 + min(spread(l.r, 9*60, 40*60), 4*3600)
	if c.Outcome == "timed_out_sent" || c.Outcome == "approved" && l.r.Chance(0.55) {
		c.Rounds = 0 // nobody wanted anything changed
	}
	l.consulted = append(l.consulted, c)
	l.now = c.End + 5
	if c.Outcome == "approved" || c.Outcome == "timed_out_sent" {
		l.consulted[len(l.consulted)-1].Sent = int64(len(l.parts))
		author := event.AIAgent
		author.Answer = true
		l.add(event.Part{Type: "comment", Author: author, Body: l.say(l.r, l.help(), "")})
	}
}

// numbered returns a consultation with the ids of its parts.
func numbered(c event.Consultation, num int32) event.Consultation {
	c.Conv = num
	c.Part = event.PartID(num, int(c.Part))
	if c.Sent >= 0 {
		c.Sent = event.PartID(num, int(c.Sent))
	} else {
		c.Sent = 0
	}
	return c
}

// Dialogue returns the texts of a consultation. What is sent is the last draft.
func (s *Script) Dialogue(c *event.Consultation) *event.Dialogue {
	r := event.NewRNG(s.seed, forDialogue, uint64(c.Conv), uint64(c.N))
	about := &english.topics[s.drawTopic(r)]
	d := &event.Dialogue{Cycle: fmt.Sprintf("%016x-%d", r.Uint64(), c.N)}
	if r.Chance(0.7) {
		n := 1 + r.IntN(3)
		d.Rule = event.ConsultationRule{ID: fmt.Sprintf("rule-%d", n), Name: []string{"Refunds over 100 €", "Low confidence", "Enterprise customers"}[n-1], Threshold: int64(40 + 10*n)}
	}
	d.Asked = [4]string{"Is this answer right for the customer's plan?", "The articles do not say it clearly.", about.title, plain(r, about.ask)}
	d.Confidence, d.Draft = int64(35+r.IntN(40)), plain(r, about.help)
	last := d.Draft
	for range c.Rounds {
		one := event.FeedbackRound{Reviewer: admins[r.IntN(len(admins))].ID, Input: r.PickText(hints), Elsewhere: r.Chance(0.5)}
		one.Delay, one.Revised = int64(1+r.IntN(6)), plain(r, about.help)+" "+r.PickText(additions)
		last = one.Revised
		d.Rounds = append(d.Rounds, one)
	}
	d.Closing[0] = event.ConsultationClosing{Reviewer: admins[r.IntN(len(admins))].ID, Final: last, Sent: last}
	d.Closing[1] = event.ConsultationClosing{Final: last, Sent: last}
	return d
}

// plain draws a text without names in it.
func plain(r *event.RNG, of []string) string {
	return speech{first: "there", number: "4711"}.words(r, of, "")
}

var hints = []string{"Please name the page in the settings.", "A bit shorter, and friendlier.", "This plan does not have that function, say so.", "Add that it takes up to five days."}

var additions = []string{"It takes up to five days.", "If that does not help, just answer here.", "On the Starter plan it is not included."}

// Consultations returns the initial consultations of a conversation. Their parts and those that they led to are places until then.
func (s *Script) Consultations(num int32) (list []event.Consultation) {
	if int(num) >= len(s.talks) {
		return nil
	}
	for _, c := range s.talks[num].consulted {
		if c.At <= s.start-settled {
			list = append(list, numbered(c, num))
		}
	}
	return list
}
