package models_test

import "testing"

func TestAiResolutionIsWhatTheSourceSays(t *testing.T) {
	t.Parallel()
	g := newGolden(t,
		insertRows("conversations_all", "id|created_at|ai_agent_participated|ai_agent_resolution_state|ai_agent_rating|ai_agent_created_at|_gone_at",
			"confirmed|2026-07-01|true|confirmed_resolution|5|2026-07-01 23:00:00|",
			"assumed|2026-07-01|true|assumed_resolution|3|2026-07-01 22:59:59|",
			"to the team|2026-07-01|true|routed_to_team||2026-07-01|",
			"escalated|2026-07-01|true|escalated||2026-07-01|",
			"abandoned|2026-07-01|true|abandoned||2026-07-01|",
			"nothing yet|2026-07-01|true|||2026-07-01|",
			"another word|2026-07-01|true|sung_to_sleep||2026-07-01|",
			"not involved|2026-07-01|false||||",
			"unsaid|2026-07-01|||||",
			"state alone|2026-07-01||assumed_resolution|||",
			"deleted|2026-07-01|true|confirmed_resolution||2026-07-01|2026-07-20"),
		// What people write decides nothing.
		insertRows("conversation_parts", "conversation_id|id|part_type|author_type|text",
			"nothing yet|1|comment|user|Thank you, that is solved!", "not involved|1|comment|bot|I pass you to the team."))
	g.expectRows("SELECT conversation_id, involved, resolved, resolved_confirmed, escalated, ai_agent_satisfied, strftime(ai_agent_date, '%m-%d') FROM models.ai_resolution",
		"confirmed|true|true|true|false|true|07-02", // 23:00 is midnight in Dublin's summer
		"assumed|true|true|false|false|false|07-01",
		"to the team|true|false|false|true||07-01",
		"escalated|true|false|false|true||07-01",
		"abandoned|true|false|false|false||07-01",
		"nothing yet|true|||||07-01",
		"another word|true|||||07-01",
		"not involved|false|||||",
		"unsaid||||||",
		"state alone|true|true|false|false||")
	// Three of eight involved were resolved, one of these confirmed; the deleted conversation is in nothing.
	g.expectRows("SELECT count(*), count_if(involved), count_if(resolved), count_if(resolved_confirmed), count_if(escalated) FROM models.ai_resolution", "10|8|3|1|2")
}

func TestAiResolutionHasEveryConversation(t *testing.T) {
	t.Parallel()
	g := openFilled(t)
	g.expectRows("SELECT count(*), count_if(involved), count_if(resolved OR escalated) FROM models.ai_resolution",
		g.rowTexts("SELECT count(*), count_if(ai_agent_participated), count_if(ai_agent_resolution_state SIMILAR TO '.*_resolution|routed_to_team') FROM main.conversations")...)
}
