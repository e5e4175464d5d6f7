package oracle

import "aqueduck/internal/emulator/event"

// fillStatistics fills in the statistics, each computed from all parts.
func (t *replayedThread) fillStatistics(row Row) {
	at := func(p *event.Part) any {
		if p == nil {
			return nil
		}
		return p.At
	}
	since := func(p *event.Part) any {
		if p == nil {
			return nil
		}
		return p.At - t.created
	}
	assigned := t.firstPart(givesCharge)
	figures := Row{
		"time_to_assignment": since(assigned), "time_to_admin_reply": since(t.firstPart(isReply)),
		"first_contact_reply_at": at(t.firstPart(isAsking)), "last_contact_reply_at": at(t.lastPart(isAsking)),
		"first_assignment_at": at(assigned), "last_assignment_at": at(t.lastPart(givesCharge)),
		"first_admin_reply_at": at(t.firstPart(isReply)), "last_admin_reply_at": at(t.lastPart(isReply)),
		"first_close_at": at(t.firstPart(isClose)), "last_close_at": at(t.lastPart(isClose)),
		"last_assignment_admin_reply_at": nil, "last_closed_by_id": nil,
		"count_conversation_parts": int64(len(t.parts)), "count_assignments": int64(0), "count_reopens": int64(0),
		"median_time_to_reply": orNull(t.Median), "handling_time": orNull(t.Handling),
	}
	if t.Asked != 0 {
		figures["first_contact_reply_at"] = t.Asked
		figures["last_contact_reply_at"] = max(t.Asked, orZero(figures["last_contact_reply_at"]))
	}
	if p := t.lastPart(isClose); p != nil {
		figures["last_closed_by_id"] = p.Author.ID
	}
	for _, which := range []string{"first", "last"} { // a close before the contact wrote has no such time
		figures["time_to_"+which+"_close"] = nil
		wrote, is := figures["first_contact_reply_at"].(int64)
		if closed := orZero(figures[which+"_close_at"]); is && closed >= wrote {
			figures["time_to_"+which+"_close"] = closed - wrote
		}
	}
	before, charged := "open", false
	for i := range t.parts {
		p := &t.parts[i]
		if before == "closed" && p.State == "open" {
			figures["count_reopens"] = figures["count_reopens"].(int64) + 1
		}
		if charged && isReply(p) {
			figures["last_assignment_admin_reply_at"] = p.At
		}
		if before = p.State; givesCharge(p) {
			charged = true
			figures["count_assignments"] = figures["count_assignments"].(int64) + 1
		}
	}
	for name, value := range figures {
		if t.Bare {
			value = nil
		}
		row["statistics_"+name] = value
	}
}

// orZero returns a number, and 0 for null.
func orZero(v any) int64 {
	n, _ := v.(int64)
	return n
}

// fillAIColumns fills in what the AI agent did.
func (t *replayedThread) fillAIColumns(row Row) {
	for _, column := range []string{"source_type", "source_title", "last_answer_type", "resolution_state", "rating", "rating_remark",
		"created_at", "updated_at"} {
		row["ai_agent_"+column] = nil
	}
	byAI := func(p *event.Part) bool { return p.Author.AI }
	first, last := t.firstPart(byAI), t.lastPart(byAI)
	if first == nil {
		return
	}
	row["ai_agent_source_type"], row["ai_agent_created_at"], row["ai_agent_updated_at"] = "workflow", first.At, last.At
	if t.lastPart(func(p *event.Part) bool { return p.Author.Answer }) != nil {
		row["ai_agent_last_answer_type"] = "ai_answer"
	}
	if a := t.AI; a != nil { // the initial outcome is drawn
		row["ai_agent_source_title"], row["ai_agent_resolution_state"] = orNull(a.Title), orNull(a.Resolution)
		row["ai_agent_rating"], row["ai_agent_rating_remark"] = orNull(a.Stars), orNull(a.Remark)
	}
}
