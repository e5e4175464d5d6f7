package emulator

import (
	"cmp"
	"slices"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/jsontext"
	"aqueduck/internal/emulator/knobs"
	"aqueduck/internal/emulator/population"
)

// hitlEvents is GET /conversations/{id}/hitl_events: the events of all consultations that have ended, oldest first
// (workspace-api 4.11). It is not paged.
func hitlEvents(w *server, q *request) answer {
	w.mu.Lock()
	defer w.mu.Unlock()
	num, known := w.thread(q.id)
	if !known {
		return notFound("Conversation")
	}
	e := w.threads[num].now
	mute := w.drawer().draw(e).redacted()
	var list []ended
	if !w.k().EmptyLists && !(mute && hitlHidden(w.k().HitlRedacted, num)) {
		list = w.ended(num)
	}
	p := &jsontext.Writer{Bytes: openList(nil, "list", "data")}
	for _, one := range list {
		one.write(p, mute)
	}
	p.End()
	p.Close()
	return ok(p.Bytes)
}

// hitlHidden says whether a redacted conversation tells of no consultation; the others tell of them without words.
func hitlHidden(how knobs.Sometimes, num int32) bool {
	return how == knobs.Always || how == knobs.ByTurns && num%2 == 0
}

// ended is one event with the consultation that it is of.
type ended struct {
	hitlEvent
	of   *event.Consultation
	said *event.Dialogue
}

// ended gives the events of a conversation's consultations that are over, oldest first. Of each one the newest rounds are
// there.
func (w *talkDesk) ended(num int32) []ended {
	var list []ended
	for _, c := range w.consultations(num) {
		if c.End > w.now() {
			continue
		}
		d := population.Dialogue(w.cfg.Seed, &c)
		for _, e := range consultationEvents(&c, d) {
			if e.round == 0 || e.round > c.Rounds-hitlServed {
				list = append(list, ended{e, &c, d})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b ended) int { return cmp.Compare(a.at, b.at) })
	return list
}

// consultations are those of a conversation in the order of their beginning. One that is outstanding when the next begins
// ends a second later, superseded (workspace-api 3.2).
func (w *talkDesk) consultations(num int32) []event.Consultation {
	opened := &w.said[w.threads[num].now.born]
	born := w.conv.Begin(opened)
	list := append(w.conv.Consultations(num, born.Parts), w.asked[num]...)
	slices.SortStableFunc(list, func(a, b event.Consultation) int { return cmp.Compare(a.At, b.At) })
	for i := range list[:max(0, len(list)-1)] {
		if next := list[i+1].At; next < list[i].End {
			list[i].End, list[i].Outcome = next+1, "superseded"
		}
	}
	return list
}

// write writes an event; mute is one of a redacted conversation, whose text fields are null.
func (e *ended) write(p *jsontext.Writer, mute bool) {
	say := func(name, words string) {
		if mute {
			words = ""
		}
		p.Text(name, words)
	}
	p.Item()
	p.Text("hitl_cycle_id", e.said.Cycle)
	p.Text("event_type", e.kind)
	p.Text("conversation_part_id", number(e.part))
	p.Text("rule_id", e.said.Rule.ID)
	p.Text("rule_name", e.said.Rule.Name)
	p.Time("created_at", e.at)
	p.Open("data")
	switch e.kind {
	case "ai_consultation_started":
		p.Text("channel", "inbox")
		p.Time("rule_threshold_percent", e.said.Rule.Threshold)
		p.Int("confidence_percent", e.said.Confidence)
		for i, name := range []string{"sharp_ask", "ask_rationale", "issue_summary", "customer_question"} {
			say(name, e.words[i])
		}
	case "ai_draft_proposed":
		say("draft", e.words[0])
	case "ai_teammate_input_received":
		p.Int("round_index", int64(e.round))
		say("teammate_input", e.words[0])
		p.Text("reviewer_admin_id", number(e.admin))
		p.Text("regeneration_outcome", e.outcome)
	case "ai_draft_revised":
		p.Int("round_index", int64(e.round))
		say("revised_draft", e.words[0])
		p.Text("regeneration_outcome", e.outcome)
	default:
		e.finish(p, say)
	}
	p.Close()
	p.Close()
}

// hitlFull is how many rounds fit into the last event: after more its texts are partial (trap T73).
const hitlFull = 20

// finish writes what the last event of a consultation tells.
func (e *ended) finish(p *jsontext.Writer, say func(name, words string)) {
	p.Text("outcome", e.of.Outcome)
	kind := ""
	if e.of.Outcome == "approved" {
		kind = []string{"original", "revised"}[min(1, e.of.Rounds)]
	}
	p.Text("approved_draft_type", kind)
	say("final_draft", e.words[0])
	say("sent_text", e.words[1])
	p.Text("reviewer_admin_id", number(e.admin))
	p.Int("duration_seconds", e.of.End-e.of.At)
	p.Int("rounds_count", int64(e.of.Rounds))
	p.Flag("payload_truncated", e.of.Rounds > hitlFull)
}

// redacted says whether words were taken out of a conversation.
func (c *conversation) redacted() bool {
	return c.begun().Redacted || slices.ContainsFunc(c.Parts, func(p event.Part) bool { return p.Redacted })
}
