package conversations

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/jsontext"
	"aqueduck/internal/emulator/population"
	"aqueduck/internal/emulator/state/core"
)

// simulatedBase is the first number of consultations since hour 0, beyond those of the population.
const simulatedBase = 1000

// SimulateConsultations starts consultations in a simulated hour. They end as time passes; the conversation does not change.
func (w *Desk) SimulateConsultations(base int64) {
	r := event.NewRNG(w.Setup.Seed, event.ForConsultation, 1<<40, uint64(w.HoursLived))
	if len(w.Threads) == 0 {
		return
	}
	for range r.IntN(4) {
		num, one := int32(len(w.Threads)-1-r.IntN(len(w.Threads)/3+1)), event.Consultation{At: base + 60 + int64(r.IntN(population.Busy-60)), LoggedAt: base}
		population.PlanConsultation(&one, r)
		one.At, one.End = population.AlignToActiveTime(w.Setup.Start.Unix(), one.At), population.AlignToActiveTime(w.Setup.Start.Unix(), one.End)
		w.Happen(one.At, func(int64) {
			if !w.Threads[num].Deleted {
				w.logConsultation(num, one)
			}
		})
	}
}

// logConsultation logs a consultation about the conversation's last part.
func (w *Desk) logConsultation(num int32, one event.Consultation) {
	one.Conv, one.N = num, simulatedBase+int32(len(w.ConsultationLog))
	if parts := w.Threads[num].parts; parts > 0 {
		one.Part = event.PartID(num, int(parts)-1)
		one.Sent = one.Part
	}
	w.ConsultationLog = append(w.ConsultationLog, one)
	w.ServedConsultations[num] = append(w.ServedConsultations[num], one)
}

// StartConsultation starts a consultation of the teammates about a conversation, with its duration and its rounds of feedback. The outcome is
// one of the document's. When another one begins before it ends, it is superseded whatever the outcome was.
func (w *Conversations) StartConsultation(id, outcome string, rounds int, takes time.Duration) error {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	num, err := w.checkConsultation(id, outcome)
	if err != nil {
		return fmt.Errorf("consult about conversation %s: %w", id, err)
	}
	at := w.UnixNow()
	w.logConsultation(num, event.Consultation{At: at, LoggedAt: at, End: at + int64(takes/time.Second), Outcome: outcome, Rounds: rounds})
	return nil
}

// FinishConsultation ends the open consultation about a conversation, among those that began since hour 0.
func (w *Conversations) FinishConsultation(id, outcome string) error {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	num, err := w.checkConsultation(id, outcome)
	if err != nil {
		return fmt.Errorf("finish a consultation about conversation %s: %w", id, err)
	}
	now := w.UnixNow()
	for i := len(w.ConsultationLog) - 1; i >= 0; i-- {
		c := w.ConsultationLog[i]
		if c.Conv != num || c.At > now || c.End <= now {
			continue
		}
		// Only an end that had not come is changed, so the past stays unchanged. The list is a new one, as the oracle may be reading the old
		// one.
		c.End, c.Outcome = now, outcome
		w.ConsultationLog, w.ServedConsultations[num] = slices.Clone(w.ConsultationLog), slices.Clone(w.ServedConsultations[num])
		w.ConsultationLog[i] = c
		w.ServedConsultations[num][slices.IndexFunc(w.ServedConsultations[num], func(o event.Consultation) bool { return o.N == c.N })] = c
		return nil
	}
	return fmt.Errorf("finish a consultation about conversation %s: none is outstanding", id)
}

// checkConsultation returns the number of a conversation whose consultation may have this outcome.
func (w *Desk) checkConsultation(id, outcome string) (int32, error) {
	num, ok := w.FindThread(id)
	switch {
	case !ok:
		return 0, ErrNoConversation
	case !slices.Contains(population.Outcomes, outcome):
		return 0, fmt.Errorf("no outcome %q", outcome)
	}
	return num, nil
}

// servedRounds is how many rounds, the newest, an answer contains (workspace-api 8).
const servedRounds = 10

// hitlEvent is one event of a consultation. Fields that its type does not have are zero.
type hitlEvent struct {
	kind        string
	at          int64
	part, admin int64
	round       int
	words       [4]string
	outcome     string // of a round: the fate of the draft
}

// consultationEvents returns the events of a consultation, oldest first. Feedback and the draft that it leads to often have the same second
// (trap T71).
func consultationEvents(c *event.Consultation, d *event.Dialogue) []hitlEvent {
	proposed := min(c.At+5, c.End)
	list := []hitlEvent{
		{kind: "ai_consultation_started", at: c.At, part: c.Part, words: d.Asked},
		{kind: "ai_draft_proposed", at: proposed, part: c.Part, words: [4]string{d.Draft}}}
	for i, one := range d.Rounds {
		at := proposed + (c.End-proposed)*int64(i+1)/int64(c.Rounds+1)
		given := hitlEvent{kind: "ai_teammate_input_received", at: at, part: c.Part, admin: one.Reviewer, round: i + 1, words: [4]string{one.Input}, outcome: "regenerated"}
		if one.Elsewhere {
			given.part = 0
		}
		if one.Failed {
			given.outcome = "failed"
			list = append(list, given)
			continue
		}
		list = append(list, given, hitlEvent{kind: "ai_draft_revised", at: min(at+one.Delay, c.End), round: i + 1, words: [4]string{one.Revised}, outcome: "regenerated"})
	}
	last := hitlEvent{kind: "ai_consultation_finished", at: c.End}
	switch c.Outcome {
	case "approved", "taken_over":
		by := d.Closing[0]
		last.part, last.admin, last.words = c.Sent, by.Reviewer, [4]string{by.Final, by.Sent}
	case "timed_out_sent":
		last.part, last.words = c.Sent, [4]string{d.Closing[1].Final, d.Closing[1].Sent}
	default:
		last.words[0] = d.Closing[1].Final
	}
	return append(list, last)
}

// ConsultationEvent is one event of an ended consultation, with that consultation.
type ConsultationEvent struct {
	hitlEvent
	of   *event.Consultation
	said *event.Dialogue
}

// FindEndedEvents returns the events of a conversation's ended consultations, oldest first, with the newest rounds of each.
func (w *Desk) FindEndedEvents(num int32) []ConsultationEvent {
	var list []ConsultationEvent
	for _, c := range w.allConsultations(num) {
		if c.End > w.UnixNow() {
			continue
		}
		d := w.Setup.Origin.Dialogue(&c)
		for _, e := range consultationEvents(&c, d) {
			if e.round == 0 || e.round > c.Rounds-servedRounds {
				list = append(list, ConsultationEvent{e, &c, d})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b ConsultationEvent) int { return cmp.Compare(a.at, b.at) })
	return list
}

// allConsultations returns the consultations of a conversation in the order of their beginning. An open one ends as superseded a second after
// the next begins (workspace-api 3.2).
func (w *Desk) allConsultations(num int32) []event.Consultation {
	opened := &w.ConversationLog[w.Threads[num].Newest.Opened]
	born := w.Maker.DrawBeginning(opened)
	list := append(w.Maker.DrawConsultations(num, born.Parts), w.ServedConsultations[num]...)
	slices.SortStableFunc(list, func(a, b event.Consultation) int { return cmp.Compare(a.At, b.At) })
	for i := range list[:max(0, len(list)-1)] {
		if next := list[i+1].At; next < list[i].End {
			list[i].End, list[i].Outcome = next+1, "superseded"
		}
	}
	return list
}

// Write writes an event. With redacted its text fields are null.
func (e *ConsultationEvent) Write(p *jsontext.Writer, redacted bool) {
	say := func(name, words string) {
		if redacted {
			words = ""
		}
		p.TextOrNull(name, words)
	}
	p.OpenItem()
	p.TextOrNull("hitl_cycle_id", e.said.Cycle)
	p.TextOrNull("event_type", e.kind)
	p.TextOrNull("conversation_part_id", core.NumberText(e.part))
	p.TextOrNull("rule_id", e.said.Rule.ID)
	p.TextOrNull("rule_name", e.said.Rule.Name)
	p.TimeOrNull("created_at", e.at)
	p.Open("data")
	switch e.kind {
	case "ai_consultation_started":
		p.TextOrNull("channel", "inbox")
		p.TimeOrNull("rule_threshold_percent", e.said.Rule.Threshold)
		p.Int("confidence_percent", e.said.Confidence)
		for i, name := range []string{"sharp_ask", "ask_rationale", "issue_summary", "customer_question"} {
			say(name, e.words[i])
		}
	case "ai_draft_proposed":
		say("draft", e.words[0])
	case "ai_teammate_input_received":
		p.Int("round_index", int64(e.round))
		say("teammate_input", e.words[0])
		p.TextOrNull("reviewer_admin_id", core.NumberText(e.admin))
		p.TextOrNull("regeneration_outcome", e.outcome)
	case "ai_draft_revised":
		p.Int("round_index", int64(e.round))
		say("revised_draft", e.words[0])
		p.TextOrNull("regeneration_outcome", e.outcome)
	default:
		e.writeClosing(p, say)
	}
	p.Close()
	p.Close()
}

// completeRounds is how many rounds the last event can contain in full: with more, its texts are partial (trap T73).
const completeRounds = 20

// writeClosing writes the fields of the last event of a consultation.
func (e *ConsultationEvent) writeClosing(p *jsontext.Writer, say func(name, words string)) {
	p.TextOrNull("outcome", e.of.Outcome)
	kind := ""
	if e.of.Outcome == "approved" {
		kind = []string{"original", "revised"}[min(1, e.of.Rounds)]
	}
	p.TextOrNull("approved_draft_type", kind)
	say("final_draft", e.words[0])
	say("sent_text", e.words[1])
	p.TextOrNull("reviewer_admin_id", core.NumberText(e.admin))
	p.Int("duration_seconds", e.of.End-e.of.At)
	p.Int("rounds_count", int64(e.of.Rounds))
	p.Bool("payload_truncated", e.of.Rounds > completeRounds)
}

// IsRedacted reports whether any text of a conversation was redacted.
func (c *Conversation) IsRedacted() bool {
	return c.sourceOrEmpty().Redacted || slices.ContainsFunc(c.Parts, func(p event.Part) bool { return p.Redacted })
}
