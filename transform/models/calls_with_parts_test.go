package models_test

import "testing"

func TestCallsWithPartsJoinsConversationTranscriptAndRecording(t *testing.T) {
	t.Parallel()
	g := newGolden(t, people, merged,
		insertRows("admins_all", "id|name|_gone_at", "7|Deleted Dan|2026-07-20"),
		insertRows("conversations_all", "id|created_at|state|_gone_at", "c1|2026-07-01 09:00:00|closed|", "c2|2026-07-02|open|", "c3|2026-07-02|open|2026-07-20"),
		insertRows("calls_all", "id|conversation_id|admin_id|contact_id|initiated_at|answered_at|ended_at|recording_url|_gone_at",
			"merged contact|c1|8|lea|2026-07-01 23:00:00|2026-07-01 23:00:20|2026-07-01 23:05:00|https://r/1|",
			"given up|c1||ann|2026-07-01 10:00:00||2026-07-01 10:00:45||",
			"ringing|c2||ben|2026-07-01 10:00:00||||",
			"talking|c2|8|ben|2026-07-01 10:00:00|2026-07-01 10:00:05|||",
			"deleted conversation|c3|8|ben|2026-07-01 10:00:00|2026-07-01 10:00:00|2026-07-01 10:01:00||",
			"deleted admin||7|ben|2026-07-01 10:00:00|2026-07-01 10:00:10|2026-07-01 10:00:11|https://r/2|",
			"gone|c2|8|ben|2026-07-01 10:00:00||||2026-07-20"),
		// The part about the first call is redacted; that about the second was written anew in the same second, and 10 is after 9.
		insertRows("conversation_parts", "conversation_id|id|part_type|created_at|call_id|text|redacted",
			"c1|5|call_summary|2026-07-01 23:06:00|merged contact||true",
			"c1|9|call_summary|2026-07-01 10:02:00|given up||",
			"c1|10|call_summary|2026-07-01 10:02:00|given up|No answer|",
			"c2|6|comment|2026-07-01 10:02:00|ringing|About the call|"),
		insertRows("call_transcripts_all", "call_id|transcript_status|transcript_text|_gone_at",
			"merged contact|completed||", "deleted admin||Hello|", "talking|failed||",
			"deleted conversation|completed||2026-07-20"),
		insertRows("call_transcript_lines", "call_id|_position|text", "merged contact|0|Hi", "merged contact|1|Bye"))
	g.expectRows("SELECT call_id, contact_id, admin_id, answered, time_to_answer, talk_time, time_to_giving_up, strftime(initiated_date, '%m-%d') FROM models.calls_with_parts",
		"merged contact|ann|8|true|20|280||07-02", // 23:00 is midnight in Dublin's summer
		"given up|ann||false|||45|07-01",
		"ringing|ben||false||||07-01",
		"talking|ben|8|true|5|||07-01",
		"deleted conversation|ben|8|true|0|60||07-01",
		"deleted admin|ben|7|true|10|1||07-01")
	g.expectRows("SELECT call_id, conversation_state, calls_of_conversation, summary_part_id, summary_parts, transcript_status, transcribed, transcript_lines, recorded FROM models.calls_with_parts",
		"merged contact|closed|2|5|1|completed|true|2|true",
		"given up|closed|2|10|2||||false",
		"ringing|open|2||||||false",
		"talking|open|2|||failed|false||false",
		"deleted conversation||1||||||false",
		"deleted admin||||||true||true")
}

func TestCallsWithPartsHasEveryCall(t *testing.T) {
	t.Parallel()
	g := openFilled(t)
	g.expectRows("SELECT count(*), count_if(answered), sum(talk_time) FILTER (recorded), count_if(recorded), sum(transcript_lines) FROM models.calls_with_parts",
		g.rowTexts(`SELECT (SELECT count(*) FROM main.calls), (SELECT count(answered_at) FROM main.calls),
			(SELECT sum(duration_seconds) FROM main.call_recordings), (SELECT count(*) FROM main.call_recordings), (SELECT count(*) FROM main.call_transcript_lines)`)...)
	g.expectRows("SELECT count(*) > 0 FROM models.calls_with_parts WHERE summary_part_id IS NOT NULL AND transcript_lines > 0", "true")
}
