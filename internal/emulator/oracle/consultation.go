package oracle

import "aqueduck/internal/emulator/event"

// consultationRows yields a row for each event of an ended consultation. readable marks the events that an answer contains: the newest ten
// rounds of a consultation, and of a redacted conversation none or all.
func consultationRows(o *Oracle, yield func(Row) bool) {
	later := map[int32][]event.Consultation{}
	for _, c := range o.log.Consultations {
		later[c.Conv] = append(later[c.Conv], c)
	}
	ofConversations(func(t *replayedThread, o *Oracle) (rows []Row) {
		all := append(o.log.Facts.Consultations(t.Num, t.Beginning.Parts), later[t.Num]...)
		redacted := t.redacted || t.lastPart(func(p *event.Part) bool { return p.Redacted }) != nil
		hidden := redacted && (o.terms.Redacted == event.RedactedHidden || o.terms.Redacted == event.RedactedByTurns && t.Num%2 == 0)
		for i := range all {
			c := endedConsultation(all, i)
			if c.End > o.at {
				continue
			}
			for _, row := range consultationEvents(&c, o.log.Facts.Dialogue(&c)) {
				round, _ := row["round_index"].(int64)
				row["readable"] = (round == 0 || int64(c.Rounds)-round < 10) && !hidden
				if redacted {
					for _, column := range wordColumns {
						row[column] = nil
					}
				}
				rows = append(rows, row)
			}
		}
		return rows
	})(o, yield)
}

// endedConsultation returns a consultation with its end. The first consultation that began while it was open replaced it.
func endedConsultation(all []event.Consultation, place int) event.Consultation {
	c := all[place]
	for i := range all {
		after := all[i].At > all[place].At || all[i].At == all[place].At && i > place
		if i != place && after && all[i].At < c.End {
			c.End, c.Outcome = all[i].At+1, "superseded"
		}
	}
	return c
}

// wordColumns are the columns with texts.
var wordColumns = []string{"sharp_ask", "ask_rationale", "issue_summary", "customer_question", "draft", "teammate_input", "revised_draft", "final_draft", "sent_text"}

// detailColumns are the other columns that only some events have.
var detailColumns = []string{"channel", "rule_threshold_percent", "confidence_percent", "round_index", "reviewer_admin_id", "regeneration_outcome",
	"outcome", "approved_draft_type", "duration_seconds", "rounds_count", "payload_truncated", "conversation_part_id"}

// consultationEvents returns the events of a consultation in order.
func consultationEvents(c *event.Consultation, d *event.Dialogue) (rows []Row) {
	tell := func(kind string, at int64, says Row) {
		row := Row{"hitl_cycle_id": d.Cycle, "event_type": kind, "rule_id": orNull(d.Rule.ID), "rule_name": orNull(d.Rule.Name), "created_at": at}
		for _, column := range append(wordColumns[:len(wordColumns):len(wordColumns)], detailColumns...) {
			row[column] = says[column]
		}
		rows = append(rows, row)
	}
	about := orNull(c.Part)
	if about != nil {
		about = idText(c.Part)
	}
	tell("ai_consultation_started", c.At, Row{"conversation_part_id": about, "channel": "inbox", "rule_threshold_percent": orNull(d.Rule.Threshold),
		"confidence_percent": d.Confidence, "sharp_ask": d.Asked[0], "ask_rationale": d.Asked[1], "issue_summary": d.Asked[2], "customer_question": d.Asked[3]})
	// The draft comes five seconds later; the rounds are spread evenly over the rest.
	begun := c.At + 5
	if begun > c.End {
		begun = c.End
	}
	tell("ai_draft_proposed", begun, Row{"conversation_part_id": about, "draft": d.Draft})
	for i, r := range d.Rounds {
		round := int64(i + 1)
		at := begun + (c.End-begun)*round/int64(len(d.Rounds)+1)
		says := Row{"conversation_part_id": about, "round_index": round, "teammate_input": r.Input, "reviewer_admin_id": idText(r.Reviewer),
			"regeneration_outcome": map[bool]string{true: "failed", false: "regenerated"}[r.Failed]}
		if r.Elsewhere {
			says["conversation_part_id"] = nil
		}
		tell("ai_teammate_input_received", at, says)
		if !r.Failed {
			tell("ai_draft_revised", min(at+r.Delay, c.End), Row{"round_index": round, "revised_draft": r.Revised, "regeneration_outcome": "regenerated"})
		}
	}
	tell("ai_consultation_finished", c.End, finishedRow(c, d))
	return rows
}

// finishedRow returns the last event of a consultation: who decided, the outcome, and the text that was sent.
func finishedRow(c *event.Consultation, d *event.Dialogue) Row {
	says := Row{"outcome": c.Outcome, "duration_seconds": c.End - c.At, "rounds_count": int64(c.Rounds), "payload_truncated": c.Rounds > 20,
		"final_draft": orNull(d.Closing[1].Final)}
	sent := func(words string) {
		says["sent_text"] = orNull(words)
		if c.Sent != 0 {
			says["conversation_part_id"] = idText(c.Sent)
		}
	}
	switch c.Outcome {
	case "approved", "taken_over":
		says["reviewer_admin_id"], says["final_draft"] = idText(d.Closing[0].Reviewer), orNull(d.Closing[0].Final)
		sent(d.Closing[0].Sent)
	case "timed_out_sent":
		sent(d.Closing[1].Sent)
	}
	if c.Outcome == "approved" {
		says["approved_draft_type"] = map[bool]string{true: "revised", false: "original"}[c.Rounds > 0]
	}
	return says
}
