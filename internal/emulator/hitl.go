package emulator

import (
	"fmt"
	"slices"
	"time"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
)

// lifeHitl numbers the consultations of life beyond those that conversations were born with.
const lifeHitl = 1000

// hourOfConsultations lets consultations begin in an hour of life. They end as time passes; the conversation does not move.
func (w *talkDesk) hourOfConsultations(base int64) {
	r := event.NewRNG(w.cfg.Seed, event.ForConsultation, 1<<40, uint64(w.hours))
	if len(w.threads) == 0 {
		return
	}
	for range r.N(4) {
		num, one := int32(len(w.threads)-1-r.N(len(w.threads)/3+1)), event.Consultation{At: base + 60 + int64(r.N(population.Busy-60)), Put: base}
		population.PlanConsultation(&one, r)
		one.At, one.End = population.Calm(w.cfg.Start.Unix(), one.At), population.Calm(w.cfg.Start.Unix(), one.End)
		if !w.threads[num].deleted {
			w.consult(num, one)
		}
	}
}

// consult logs a consultation about the conversation's last part.
func (w *talkDesk) consult(num int32, one event.Consultation) {
	one.Conv, one.N = num, lifeHitl+int32(len(w.consulted))
	if parts := w.threads[num].parts; parts > 0 {
		one.Part = event.PartID(num, int(parts)-1)
		one.Sent = one.Part
	}
	w.consulted = append(w.consulted, one)
	w.asked[num] = append(w.asked[num], one)
}

// Consult has the AI agent consult the teammates about a conversation, which takes so long and so many rounds of feedback.
// The outcome is one of the document's; one that is outstanding when the next begins is superseded, whatever it was to be.
func (w *talkOps) Consult(id, outcome string, rounds int, takes time.Duration) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	num, err := w.consulting(id, outcome)
	if err != nil {
		return fmt.Errorf("consult about conversation %s: %w", id, err)
	}
	at := w.now()
	w.consult(num, event.Consultation{At: at, Put: at, End: at + int64(takes/time.Second), Outcome: outcome, Rounds: rounds})
	return nil
}

// FinishConsultation ends the consultation about a conversation that is outstanding, among those that began since hour 0.
func (w *talkOps) FinishConsultation(id, outcome string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	num, err := w.consulting(id, outcome)
	if err != nil {
		return fmt.Errorf("finish a consultation about conversation %s: %w", id, err)
	}
	now := w.now()
	for i := len(w.consulted) - 1; i >= 0; i-- {
		c := w.consulted[i]
		if c.Conv != num || c.At > now || c.End <= now {
			continue
		}
		// Only an end that had not come is changed, so what was true before stays so. The oracle may be reading the old list.
		c.End, c.Outcome = now, outcome
		w.consulted, w.asked[num] = slices.Clone(w.consulted), slices.Clone(w.asked[num])
		w.consulted[i] = c
		w.asked[num][slices.IndexFunc(w.asked[num], func(o event.Consultation) bool { return o.N == c.N })] = c
		return nil
	}
	return fmt.Errorf("finish a consultation about conversation %s: none is outstanding", id)
}

// consulting finds the conversation of a consultation that is to have this outcome.
func (w *talkDesk) consulting(id, outcome string) (int32, error) {
	num, ok := w.thread(id)
	switch {
	case !ok:
		return 0, ErrNoConversation
	case !slices.Contains(population.Outcomes, outcome):
		return 0, fmt.Errorf("no outcome %q", outcome)
	}
	return num, nil
}

// hitlServed is the number of the newest rounds that are served (workspace-api 8).
const hitlServed = 10

// hitlEvent is one event of a consultation. Numbers and texts that its type does not have are left at zero.
type hitlEvent struct {
	kind        string
	at          int64
	part, admin int64
	round       int
	words       [4]string
	outcome     string // of a round: what became of the draft
}

// consultationEvents is what happened in a consultation, oldest first. Feedback and the draft that it leads to are often of the same
// second (trap T71).
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
