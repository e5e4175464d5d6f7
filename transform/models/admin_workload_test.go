package models_test

import "testing"

func TestAdminWorkloadOfEachDay(t *testing.T) {
	t.Parallel()
	g := newGolden(t, goldenCases()...)
	g.expectRows(`SELECT admin_id, strftime(workload_date, '%d'), replies, conversations_replied, notes, closes, assigned, waits_answered, median_reply_time, median_reply_time_office
		FROM models.admin_workload`,
		"1|13|1|1|0|1|0|1|900|900",
		"1|15|2|1|0|0|1|2|2700|2700", // both are redacted: 1800 and 3600
		"1|16|2|2|0|1|1|2|2400|2400", // 1800 and 3000
		"1|19|1|1|0|1|0|1|600|600",   // not the close by the bot
		"1|20|1|1|1|1|0|1|600|600",   // a note and an assignment without a body in one conversation, all else in another
		"1|21|1|1|1|1|0|1|600|600",
		"1|23|0|0|0|0|1|0||",          // by round robin
		"1|24|1|1|0|0|0|1|112140|600", // at 23:59 on Saturday
		"2|20|1|1|0|1|1|1|1800|1800",  // the reply is in an assignment
		"2|21|0|0|0|0|1|0||",
		"2|23|0|0|0|0|1|0||",
		"2|26|1|1|0|1|0|1|123330|900",
		"2|29|0|0|0|1|0|0||", // at midnight
		"3|22|1|1|0|1|1|1|3000|3000",
		"4|22|0|0|0|1|1|0||",
		"99|14|1|1|0|1|0|1|2700|2700") // deleted since
}

func TestAdminWorkloadTakesDaysOfTheWarehouse(t *testing.T) {
	t.Parallel()
	g := newGolden(t,
		insertRows("conversations_all", "id|created_at|source_author_type", "a|2026-10-19 23:20:00|user"),
		insertParts(`a | 2026-10-19 23:30:00 | assignment by admin 5 | | admin 5 5 - | at 00:30 in Dublin`))
	g.expectRows("SELECT admin_id, strftime(workload_date, '%d'), replies, assigned, waits_answered, median_reply_time, median_reply_time_office FROM models.admin_workload", "5|20|1|1|1|600|0")
}

func TestAdminWorkloadExcludesBotsAndTheAIAgent(t *testing.T) {
	t.Parallel()
	g := newGolden(t,
		insertRows("conversations_all", "id|created_at", "a|2026-10-19 10:00:00"),
		insertParts(`
			a | 2026-10-19 10:00:00 | comment by bot 70   | | | words
			a | 2026-10-19 10:00:00 | assignment by bot 70| | bot 70 70 -
			a | 2026-10-19 10:00:00 | close by bot 70     | closed
			a | 2026-10-19 10:00:00 | comment by admin 1  | | | words of the agent
			a | 2026-10-19 10:00:00 | open by admin 1     |`),
		"UPDATE main.conversation_parts SET is_ai_answer = true WHERE body = 'words of the agent'")
	g.expectRows("FROM models.admin_workload")
}

func TestAdminWorkloadAddsUpToItsBase(t *testing.T) {
	t.Parallel()
	g := openFilled(t)
	g.expectRows("SELECT sum(replies), sum(notes), sum(closes), sum(assigned), sum(waits_answered) FROM models.admin_workload",
		g.rowTexts(`SELECT (SELECT count(*) FROM models.conversation_messages WHERE author_kind = 'human' AND part_id <> 'source'), count(*) FILTER (author_type = 'admin' AND part_type = 'note'),
			count(*) FILTER (author_type = 'admin' AND part_type = 'close'), count(*) FILTER (assigned_to_type = 'admin'),
			(SELECT count(*) FROM models.reply_pairs WHERE answered_by = 'human')
			FROM main.conversation_parts WHERE conversation_id IN (SELECT id FROM main.conversations)`)...)
}
