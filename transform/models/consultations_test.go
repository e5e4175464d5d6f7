package models_test

import "testing"

// aDraft are the events of a consultation that began on 1 July at 23:30 UTC, was proposed an answer and ended after so many seconds.
func aDraft(cycle, draft, sent, outcome, rounds string) string {
	return insertRows("hitl_events", "conversation_id|hitl_cycle_id|event_type|round_index|created_at|draft|sent_text|outcome|duration_seconds|rounds_count|payload_truncated|reviewer_admin_id",
		"c1|"+cycle+"|ai_consultation_started|0|2026-07-01 23:30:00|||||||",
		"c1|"+cycle+"|ai_draft_proposed|0|2026-07-01 23:30:05|"+draft+"||||||",
		"c1|"+cycle+"|ai_consultation_finished|0|2026-07-01 23:35:00||"+sent+"|"+outcome+"|299|"+rounds+"||7")
}

// feedbackRounds are rounds of feedback from one to another.
func feedbackRounds(cycle, from, to string) string {
	return `INSERT INTO main.hitl_events BY NAME SELECT 'c1' AS conversation_id, '` + cycle + `' AS hitl_cycle_id, unnest(['ai_teammate_input_received', 'ai_draft_revised']) AS event_type,
		n AS round_index, TIMESTAMPTZ '2026-07-01 23:31:00' + n * INTERVAL 1 SECOND AS created_at, 'better' AS revised_draft FROM range(` + from + `, ` + to + ` + 1) AS r(n)`
}

func TestConsultationsMeasureDurationRoundsAndEdits(t *testing.T) {
	t.Parallel()
	g := newGolden(t,
		insertRows("admins_all", "id|name|_gone_at", "7|Deleted Dan|2026-07-20"),
		aDraft("as drafted", "Hello", "Hello", "approved", "0"),
		aDraft("edited", "Hello", "Hello you", "approved", "2"), feedbackRounds("edited", "1", "2"),
		aDraft("capped", "Hello", "better", "timed_out_sent", "12"), feedbackRounds("capped", "3", "12"), // the source sends the newest ten
		aDraft("superseded", "Hello", "", "superseded", "0"),
		aDraft("not whole", "Hel", "Hello", "approved", "0"), "UPDATE main.hitl_events SET payload_truncated = true WHERE hitl_cycle_id = 'not whole' AND sent_text IS NOT NULL",
		aDraft("redacted", "", "", "approved", "0"),
		aDraft("proposed again", "Hello", "Hello", "approved", "0"), insertRows("hitl_events", "conversation_id|hitl_cycle_id|event_type|round_index|created_at|draft",
			"c1|proposed again|ai_draft_proposed|0|2026-07-01 23:32:00|Howdy"), // the first one is what was edited or not
		aDraft("not ended", "Hello", "", "", ""), "DELETE FROM main.hitl_events WHERE hitl_cycle_id = 'not ended' AND event_type = 'ai_consultation_finished'")
	// From 23:30:00 to 23:35:00; the day is Dublin's, an hour ahead. The source itself counts 299 seconds.
	g.expectRows("SELECT hitl_cycle_id, outcome, duration, duration_seconds, rounds_count, rounds_stored, rounds_missing, rounds_truncated, edited, reviewer_admin_id, strftime(started_date, '%m-%d') FROM models.consultations",
		"as drafted|approved|300|299|0|0|0|false|false|7|07-02",
		"edited|approved|300|299|2|2|0|false|true|7|07-02",
		"capped|timed_out_sent|300|299|12|10|2|true|true|7|07-02",
		"superseded|superseded|300|299|0|0|0|false||7|07-02",
		"not whole|approved|300|299|0|0|0|false||7|07-02",
		"redacted|approved|300|299|0|0|0|false||7|07-02",
		"proposed again|approved|300|299|0|0|0|false|false|7|07-02",
		"not ended|||||0|||||07-02")
}

func TestConsultationsAreThoseOfTheBase(t *testing.T) {
	t.Parallel()
	g := openFilled(t)
	g.expectRows("SELECT count(*), count(DISTINCT hitl_cycle_id), sum(duration), sum(rounds_stored), count_if(edited) FROM models.consultations",
		g.rowTexts("SELECT count(*), count(*), sum(duration_seconds), sum(rounds_stored), count_if(sent_text <> draft) FROM main.consultations")...)
	g.expectRows("SELECT count(DISTINCT hitl_cycle_id) = (SELECT count(*) FROM models.consultations) FROM main.hitl_events", "true")
}
