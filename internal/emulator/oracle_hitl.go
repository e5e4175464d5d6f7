package emulator

import (
	"strconv"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
)

// hitlEvents gives a row for each event of a consultation that is over. readable tells those that an answer holds: of a
// consultation the newest ten rounds, of a redacted conversation none or all.
func (o *oracle) hitlEvents(yield func(map[string]any) bool) {
	later := map[int32][]event.Consultation{}
	for _, c := range o.hitl {
		later[c.Conv] = append(later[c.Conv], c)
	}
	o.lists(yield, func(t *told) (rows []map[string]any) {
		all := append(o.conv.Consultations(t.Num, t.Beginning.Parts), later[t.Num]...)
		mute := t.redacted || t.last(func(p *event.Part) bool { return p.Redacted }) != nil
		for i := range all {
			c := superseded(all, i)
			if c.End > o.at {
				continue
			}
			d := population.Dialogue(o.seed, &c)
			for _, e := range consultationEvents(&c, d) {
				row := hitlRow(&e, &c, d, mute)
				row["readable"] = (e.round == 0 || c.Rounds-e.round < 10) && !(mute && hitlHidden(o.knobs.HitlRedacted, t.Num))
				rows = append(rows, row)
			}
		}
		return rows
	})
}

// superseded is a consultation as it ended: the first that began after it, while it was outstanding, replaced it.
func superseded(all []event.Consultation, place int) event.Consultation {
	c := all[place]
	for i := range all {
		after := all[i].At > all[place].At || all[i].At == all[place].At && i > place
		if i != place && after && all[i].At < c.End {
			c.End, c.Outcome = all[i].At+1, "superseded"
		}
	}
	return c
}

// hitlRow is an event with its data flattened.
func hitlRow(e *hitlEvent, c *event.Consultation, d *event.Dialogue, mute bool) map[string]any {
	id, rule := d.Cycle, d.Rule
	row := map[string]any{"hitl_cycle_id": id, "event_type": e.kind, "conversation_part_id": nil, "rule_id": orNull(rule.ID),
		"rule_name": orNull(rule.Name), "created_at": e.at}
	for _, column := range []string{"channel", "rule_threshold_percent", "confidence_percent", "round_index", "reviewer_admin_id",
		"regeneration_outcome", "outcome", "approved_draft_type", "duration_seconds", "rounds_count", "payload_truncated", "sharp_ask",
		"ask_rationale", "issue_summary", "customer_question", "draft", "teammate_input", "revised_draft", "final_draft", "sent_text"} {
		row[column] = nil
	}
	if e.part != 0 {
		row["conversation_part_id"] = strconv.FormatInt(e.part, 10)
	}
	if e.admin != 0 {
		row["reviewer_admin_id"] = strconv.FormatInt(e.admin, 10)
	}
	if e.round != 0 {
		row["round_index"], row["regeneration_outcome"] = int64(e.round), e.outcome
	}
	names := map[string][]string{"ai_consultation_started": {"sharp_ask", "ask_rationale", "issue_summary", "customer_question"},
		"ai_draft_proposed": {"draft"}, "ai_teammate_input_received": {"teammate_input"}, "ai_draft_revised": {"revised_draft"},
		"ai_consultation_finished": {"final_draft", "sent_text"}}[e.kind]
	for i, name := range names {
		if !mute {
			row[name] = orNull(e.words[i])
		}
	}
	switch e.kind {
	case "ai_consultation_started":
		row["channel"], row["rule_threshold_percent"], row["confidence_percent"] = "inbox", orNull(rule.Threshold), d.Confidence
	case "ai_consultation_finished":
		row["outcome"], row["duration_seconds"], row["rounds_count"], row["payload_truncated"] = c.Outcome, c.End-c.At, int64(c.Rounds), c.Rounds > hitlFull
		if c.Outcome == "approved" {
			row["approved_draft_type"] = map[bool]string{true: "revised", false: "original"}[c.Rounds > 0]
		}
	}
	return row
}
