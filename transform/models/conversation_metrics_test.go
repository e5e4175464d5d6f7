package models_test

import "testing"

func TestConversationMetricsHaveTimesOfEvents(t *testing.T) {
	t.Parallel()
	g := newGolden(t, goldenCases()...)
	g.expectRows(`SELECT conversation_id, strftime(first_contact_reply_at, '%d %H:%M:%S'), strftime(first_human_response_at, '%d %H:%M:%S'), strftime(first_ai_response_at, '%d %H:%M:%S'),
		strftime(first_close_at, '%d %H:%M:%S'), strftime(last_close_at, '%d %H:%M:%S'), strftime(first_admin_close_at, '%d %H:%M:%S'), reopens FROM models.conversation_metrics`,
		"bot|19 10:00:00|19 10:40:00|19 10:00:30|19 10:05:00|19 11:00:00|19 11:00:00|1",
		"hidden|20 09:00:00|20 09:30:00||20 10:00:00|20 10:00:00|20 10:00:00|0",
		"skip|21 12:00:00|21 12:10:00||21 12:20:00|21 12:20:00|21 12:20:00|0",
		"robin|22 08:00:00|22 08:50:00||22 09:00:00|22 10:20:00|22 09:00:00|1",
		"removed|23 09:00:00||||||0",
		"capped|12 10:00:00||12 10:10:00||||0", // begun by the workspace
		"saturday|23 15:50:00|24 22:59:00||26 09:30:00|26 09:30:00|26 09:30:00|0",
		"outbound|||||||0",
		"merged|13 09:00:00|13 09:15:00||13 09:20:00|13 09:20:00|13 09:20:00|0",
		"merged2|16 09:00:00|16 09:30:00||16 10:00:00|16 10:00:00|16 10:00:00|0",
		"deleted|14 09:00:00|14 09:45:00||14 09:50:00|14 09:50:00|14 09:50:00|0",
		"redacted|15 09:00:00|15 09:30:00|||||0",
		"rated|20 14:00:00|20 14:10:00||20 14:20:00|20 14:20:00|20 14:20:00|0",
		"old|16 12:00:00|16 12:50:00|||||0",
		"snoozed|27 10:00:00|||29 00:00:00|29 00:00:00|29 00:00:00|0",
		"midnight|29 00:00:00||||||0")
	g.expectRows("SELECT created_date FROM models.conversation_metrics WHERE conversation_id = 'outbound'", "2026-10-19 00:00:00 +0000 UTC") // 00:30 in Dublin
}

func TestConversationMetricsCountAssignmentsAndHandling(t *testing.T) {
	t.Parallel()
	g := newGolden(t, goldenCases()...)
	g.expectRows(`SELECT conversation_id, assignments, unassignments, strftime(first_assignment_at, '%H:%M:%S'), strftime(last_assignment_at, '%H:%M:%S'), handling_time, queued_time
		FROM models.conversation_metrics WHERE assignments > 0 OR handling_time IS NOT NULL`,
		"hidden|2|0|09:20:00|09:30:00|2400|",     // 600 to the team, which leaves the teammate in charge, and 1800 to the close
		"skip|1|0|12:30:00|12:30:00||",           // assigned after the close
		"robin|3|0|08:00:10|10:00:00|2990|1800",  // 1790 to the close and 1200 after the reopening; 1800 in the team's queue
		"removed|3|3|09:10:00|09:50:00|2400|600", // 1800 of the first teammate, 600 of the team alone, 600 of the second teammate
		"redacted|1|0|09:30:00|09:30:00||",       // it still lasts
		"old|2|1|12:10:00|12:20:00|1200|")        // whether a teammate had it beside the team is not known
}

func TestConversationMetricsTakeTimeByTheCalendarAndByOfficeHours(t *testing.T) {
	t.Parallel()
	g := newGolden(t, goldenCases()...)
	g.expectRows(`SELECT conversation_id, time_to_first_response_calendar, time_to_first_response_office, time_to_first_close, time_to_first_close_office, time_to_first_close_from_creation,
		time_to_last_close, time_to_last_close_office, time_to_last_close_from_creation FROM models.conversation_metrics
		WHERE time_to_first_response_calendar IS NOT NULL OR time_to_first_close_from_creation IS NOT NULL`,
		"bot|2400|2400|300|300|300|3600|3600|3600",
		"hidden|1800|1800|3600|3600|3600|3600|3600|3600",
		"skip|600|600|1200|1200|1200|1200|1200|1200",
		"robin|3000|3000|3600|3600|3600|8400|8400|8400",
		// Friday 16:50 to Saturday 23:59 in Dublin: 31 h 9 min, of which 10 minutes are office hours. To Monday 09:30 of the
		// other time: 7 h 10 min + 24 h + 25 h + 9 h 30 min = 65 h 40 min, and 10 + 30 minutes.
		"saturday|112140|600|236400|2400|236400|236400|2400|236400",
		"merged|900|900|1200|1200|1200|1200|1200|1200",
		"merged2|1800|1800|3600|3600|3600|3600|3600|3600",
		"deleted|2700|2700|3000|3000|3000|3000|3000|3000",
		"redacted|1800|1800||||||",
		"rated|600|600|1200|1200|1200|1200|1200|1200",
		"old|3000|3000||||||",
		// Tuesday 10:00 to Thursday 00:00, 38 h: 7 h of Tuesday and 8 of Wednesday.
		"snoozed|||136800|54000|136800|136800|54000|136800")
}

func TestConversationMetricsOfAContactWhoWritesAfterTheClose(t *testing.T) {
	t.Parallel()
	g := newGolden(t,
		insertRows("conversations_all", "id|created_at|source_author_type", "a|2026-10-19 10:00:00|admin", "b|2026-10-19 10:00:00|bot"),
		insertParts(`
			a | 2026-10-19 10:10:00 | close by bot 70    | closed
			a | 2026-10-19 10:20:00 | comment by lead l  | open
			b | 2026-10-19 10:10:00 | close by bot 70    | closed
			b | 2026-10-19 10:20:00 | comment by user u  | open
			b | 2026-10-19 10:40:00 | close by user u    | closed`))
	g.expectRows(`SELECT conversation_id, strftime(first_contact_reply_at, '%H:%M'), time_to_first_close, time_to_first_close_office, time_to_first_close_from_creation,
		time_to_last_close, time_to_last_close_office, time_to_last_close_from_creation, first_admin_close_at, reopens FROM models.conversation_metrics`,
		"a|10:20|||600|||600||1", "b|10:20|||600|1200|1200|2400||1")
}

func TestConversationMetricsHaveMediansOfWaits(t *testing.T) {
	t.Parallel()
	g := newGolden(t, goldenCases()...)
	g.expectRows(`SELECT conversation_id, waits, answered_waits, median_reply_time, median_reply_time_office, median_reply_time_any, median_reply_time_any_office,
		strftime(waiting_since, '%d %H:%M') FROM models.conversation_metrics`,
		"bot|2|2|600|600|315|315|", // a bot after 30 seconds, a human after 600
		"hidden|2|1|1800|1800|1800|1800|",
		"skip|1|1|600|600|600|600|", "robin|1|1|3000|3000|3000|3000|", "removed|1|0|||||23 09:00",
		"capped|1|1|||600|600|",               // the AI agent alone
		"saturday|2|2|117735|750|117735|750|", // 112140 and 123330; 600 and 900
		"outbound|0|0|||||", "merged|1|1|900|900|900|900|", "merged2|1|1|1800|1800|1800|1800|", "deleted|1|1|2700|2700|2700|2700|",
		"redacted|2|2|2700|2700|2700|2700|", // 1800 and 3600
		"rated|1|1|600|600|600|600|", "old|1|1|3000|3000|3000|3000|", "snoozed|1|0|||||", "midnight|1|0|||||29 00:00")
}

func TestConversationMetricsHaveRatingsAndMissingParts(t *testing.T) {
	t.Parallel()
	g := newGolden(t, goldenCases()...)
	g.expectRows("SELECT conversation_id, rating_requested, rating, satisfied FROM models.conversation_metrics WHERE rating_requested IS NOT NULL OR satisfied IS NOT NULL",
		"skip|true|4|true", "robin|true|3|false", "rated|true||")
	g.expectRows("SELECT conversation_id, parts_stored, parts_reported, parts_capped FROM models.conversation_metrics WHERE parts_capped IS DISTINCT FROM false OR parts_stored = 0",
		"capped|2|1200|true", "outbound|0|0|false", "midnight|0||")
}

func TestConversationMetricsWithoutOfficeHoursHaveNoneOfTheirMeasures(t *testing.T) {
	t.Parallel()
	g := newGolden(t, goldenCases()...)
	g.execSQL("DELETE FROM models.office_hours")
	g.expectRows(`SELECT count(*), count(time_to_first_response_office), count(time_to_first_close_office), count(time_to_last_close_office), count(median_reply_time_office),
		count(time_to_first_response_calendar) FROM models.conversation_metrics`, "16|0|0|0|0|11")
}

// TestConversationMetricsAddUpToTheirBase reads what a whole workspace was stored as: as many rows as conversations, sums that are
// those of the parts, and where the source measures the same, what the source says.
func TestConversationMetricsAddUpToTheirBase(t *testing.T) {
	t.Parallel()
	g := openFilled(t)
	of := "FROM main.conversation_parts WHERE conversation_id IN (SELECT id FROM main.conversations)"
	g.expectRows("SELECT count(*), sum(parts_stored), sum(assignments), count(median_reply_time) > 0 FROM models.conversation_metrics",
		g.rowTexts("SELECT (SELECT count(*) FROM main.conversations), count(*), count(*) FILTER (assigned_to_type IN ('admin', 'team', 'bot')), true "+of)...)
	g.expectRows("SELECT sum(waits), sum(answered_waits), count(waiting_since) FROM models.conversation_metrics",
		g.rowTexts("SELECT count(*), count(answered_at), count(*) FILTER (answered_at IS NULL AND closed_at IS NULL) FROM models.reply_pairs")...)
	g.expectRows("SELECT count(rating_requested), count(rating), count(*) FILTER (satisfied) FROM models.conversation_metrics",
		g.rowTexts("SELECT count(*), count(rating), count(*) FILTER (satisfied) FROM models.csat")...)
	// The emulator's statistics know no words with a close, no first response after the contact's first message, and no reopening by a snooze.
	g.expectRows(`SELECT m.conversation_id FROM models.conversation_metrics m JOIN main.conversations c ON c.id = m.conversation_id WHERE c.statistics_count_reopens IS NOT NULL AND NOT coalesce(m.parts_capped, false)
		AND (m.reopens < c.statistics_count_reopens OR m.assignments <> c.statistics_count_assignments OR m.first_close_at IS DISTINCT FROM c.statistics_first_close_at
		OR m.last_close_at IS DISTINCT FROM c.statistics_last_close_at OR m.waiting_since IS DISTINCT FROM c.waiting_since
		OR c.source_author_type IN ('user', 'lead') AND m.first_human_response_at > c.statistics_first_admin_reply_at)`)
}

// TestConversationMetricsBeginWithTheContactsMessage: D3. What the workspace sends before the contact writes is no response.
func TestConversationMetricsBeginWithTheContactsMessage(t *testing.T) {
	t.Parallel()
	g := newGolden(t,
		insertRows("conversations_all", "id|created_at|source_author_type", "sent|2026-10-19 10:00:00|admin", "silent|2026-10-19 10:00:00|admin", "older|2026-10-19 10:00:00|user"),
		insertParts(`
			sent   | 2026-10-19 10:00:30 | comment by admin 1 | | | PS
			sent   | 2026-10-21 10:00:00 | comment by user u  | | | Tell me more.
			sent   | 2026-10-21 10:20:00 | comment by admin 1 | | | Gladly.
			silent | 2026-10-19 10:00:30 | comment by admin 1 | | | PS
			older  | 2026-10-18 10:00:00 | comment by admin 1 | | | imported, from before the conversation
			older  | 2026-10-18 11:00:00 | close by admin 1   |
			older  | 2026-10-19 10:05:00 | comment by admin 1 | | | Hello.`))
	g.expectRows(`SELECT conversation_id, time_to_first_response_calendar, time_to_first_response_office, time_to_first_response_from_creation, time_to_first_close_from_creation
		FROM models.conversation_metrics`, "sent|1200|1200|174000|", "silent||||", "older|300|300|300|")
}

// TestConversationMetricsCountWordsWithACloseAsAResponse: D1, D9 and D10. Tags without text are no words, and the AI agent is no admin.
func TestConversationMetricsCountWordsWithACloseAsAResponse(t *testing.T) {
	t.Parallel()
	g := newGolden(t,
		insertRows("conversations_all", "id|created_at|source_author_type", "close|2026-10-19 10:00:00|user", "snooze|2026-10-19 10:00:00|user", "empty|2026-10-19 10:00:00|user", "agent|2026-10-19 10:00:00|user"),
		insertParts(`
			close  | 2026-10-19 10:10:00 | close by admin 1   | closed  | | Your refund is done.
			snooze | 2026-10-19 10:20:00 | snoozed by admin 1 | snoozed | | Back on Monday.
			empty  | 2026-10-19 10:30:00 | close by admin 1   | closed  | | <p></p>
			agent  | 2026-10-19 10:40:00 | close by admin 1   | closed  | | words of the agent`),
		"UPDATE main.conversation_parts SET is_ai_answer = true WHERE body = 'words of the agent'")
	g.expectRows(`SELECT conversation_id, time_to_first_response_calendar, time_to_first_close, strftime(first_admin_close_at, '%H:%M'), answered_waits FROM models.conversation_metrics`,
		"close|600|600|10:10|1", "snooze|1200|||1", "empty||1800|10:30|0", "agent||2400||0")
}

// TestConversationMetricsCountAChoiceAsTheContactsMessage: D11.
func TestConversationMetricsCountAChoiceAsTheContactsMessage(t *testing.T) {
	t.Parallel()
	g := newGolden(t,
		insertRows("conversations_all", "id|created_at|source_author_type", "a|2026-10-19 10:00:00|bot"),
		insertParts(`
			a | 2026-10-19 10:01:00 | quick_reply by lead l
			a | 2026-10-19 10:11:00 | comment by admin 1 | | | Hello.`))
	g.expectRows("SELECT strftime(first_contact_reply_at, '%H:%M'), waits, answered_waits, median_reply_time FROM models.conversation_metrics", "10:01|1|1|600")
}

// TestConversationMetricsHandleWhatIsOpenWithATeammate: D4. Three hours in the queue of a team and ten minutes with a teammate are ten minutes; a snooze does
// not count, and what was reopened does.
func TestConversationMetricsHandleWhatIsOpenWithATeammate(t *testing.T) {
	t.Parallel()
	g := newGolden(t,
		insertRows("conversations_all", "id|created_at|state|source_author_type", "queue|2026-10-19 10:00:00|closed|user", "snooze|2026-10-19 10:00:00|closed|user", "again|2026-10-19 10:00:00|closed|user", "bot|2026-10-19 10:00:00|closed|user"),
		insertParts(`
			queue  | 2026-10-19 10:00:00 | assignment by bot 70 | open | team t1 - t1 | | 2.17
			queue  | 2026-10-19 13:00:00 | assignment by bot 70 | open | admin 1 1 - | | 2.17
			queue  | 2026-10-19 13:10:00 | close by admin 1 | closed
			snooze | 2026-10-19 10:00:00 | assignment by bot 70 | open | admin 1 1 - | | 2.17
			snooze | 2026-10-19 10:05:00 | snoozed by admin 1 | snoozed
			snooze | 2026-10-22 10:05:00 | open by admin 1 | open
			snooze | 2026-10-22 10:10:00 | close by admin 1 | closed
			again  | 2026-10-19 10:00:00 | assignment by bot 70 | open | admin 1 1 - | | 2.17
			again  | 2026-10-19 11:00:00 | close by admin 1 | closed
			again  | 2026-10-20 10:00:00 | open by admin 1 | open
			again  | 2026-10-20 11:00:00 | close by admin 1 | closed
			bot    | 2026-10-19 10:00:00 | assignment by bot 70 | open | bot 70 70 - | | 2.17
			bot    | 2026-10-19 11:00:00 | close by bot 70 | closed`))
	g.expectRows("SELECT conversation_id, handling_time, queued_time, reopens FROM models.conversation_metrics", "queue|600|10800|0", "snooze|600||0", "again|7200||1", "bot|||0")
}

// TestConversationMetricsTakePartsOfOneSecondInOrder: an admin's words just before the contact's, in one second, answer nothing, as in reply_pairs.
func TestConversationMetricsTakePartsOfOneSecondInOrder(t *testing.T) {
	t.Parallel()
	g := newGolden(t,
		insertRows("conversations_all", "id|created_at|updated_at|state|source_author_type",
			"before|2026-10-21 10:00:00|2026-10-21 11:00:00|open|admin", "after|2026-10-21 10:00:00|2026-10-21 11:00:00|open|admin",
			"opening|2026-10-21 10:05:00|2026-10-21 11:00:00|open|user", "nobody|2026-10-21 10:05:00|2026-10-21 11:00:00|open|admin"),
		insertParts(`
			before  | 2026-10-21 10:05:00 | comment by admin 1 | | | PS
			before  | 2026-10-21 10:05:00 | comment by user u  | | | Yes?
			after   | 2026-10-21 10:05:00 | comment by user u  | | | Yes?
			after   | 2026-10-21 10:05:00 | comment by admin 1 | | | Yes.
			opening | 2026-10-21 10:05:00 | comment by admin 1 | | | Hello.
			nobody  | 2026-10-21 10:05:00 | comment by admin 1 | | | PS`))
	g.expectRows("SELECT m.conversation_id, strftime(first_contact_reply_at, '%H:%M'), strftime(first_human_response_at, '%H:%M'), time_to_first_response_calendar, answered_waits, resolved_by FROM models.conversation_metrics m JOIN models.first_contact_resolution USING (conversation_id)",
		"before|10:05|||0|", "after|10:05|10:05|0|1|human", "opening|10:05|10:05|0|1|human", "nobody||||0|")
}
