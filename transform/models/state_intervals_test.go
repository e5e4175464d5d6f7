package models_test

import "testing"

// Holds: T75.
func TestStateIntervalsAreWhatPartsTell(t *testing.T) {
	t.Parallel()
	g := newGolden(t, goldenCases()...)
	g.expectRows("SELECT conversation_id, number, state, strftime(began_at, '%d %H:%M'), strftime(ended_at, '%d %H:%M'), reopened FROM models.state_intervals",
		"bot|1|open|19 10:00|19 10:05|false", "bot|2|closed|19 10:05|19 10:30|false", "bot|3|open|19 10:30|19 11:00|true", "bot|4|closed|19 11:00||false",
		"hidden|1|open|20 09:00|20 10:00|false", "hidden|2|closed|20 10:00||false",
		"skip|1|open|21 12:00|21 12:20|false", "skip|2|closed|21 12:20||false", // an assignment that skips reopening
		"robin|1|open|22 08:00|22 09:00|false", "robin|2|closed|22 09:00|22 10:00|false", "robin|3|open|22 10:00|22 10:20|true", "robin|4|closed|22 10:20||false",
		"removed|1|open|23 09:00||false", "capped|1|sent|01 10:00|12 10:00|false", "capped|2|open|12 10:00||false", // the workspace began it

		"saturday|1|open|23 15:50|26 09:30|false", "saturday|2|closed|26 09:30||false",
		"outbound|1|closed|18 23:30||false", // no part tells anything
		"merged|1|open|13 09:00|13 09:20|false", "merged|2|closed|13 09:20||false",
		"merged2|1|open|16 09:00|16 10:00|false", "merged2|2|closed|16 10:00||false", // by the types of its parts
		"deleted|1|open|14 09:00|14 09:50|false", "deleted|2|closed|14 09:50||false",
		"redacted|1|open|15 09:00||false",
		"rated|1|open|20 14:00|20 14:20|false", "rated|2|closed|20 14:20||false",
		"old|1|open|16 12:00||false",
		"snoozed|1|open|27 10:00|27 12:00|false", "snoozed|2|snoozed|27 12:00|29 00:00|false", "snoozed|3|closed|29 00:00||false",
		"midnight|1|open|29 00:00||false")
}

func TestStateIntervalsEndWithTheStateOfTheConversation(t *testing.T) {
	t.Parallel()
	g := newGolden(t,
		insertRows("conversations_all", "id|created_at|updated_at|state",
			"a|2026-10-19 10:00:00|2026-10-19 12:00:00|closed", // closed without a part
			"b|2026-10-19 10:00:00|2026-10-19 10:30:00|open",   // its last change is before its last part
			"c|2026-10-19 10:00:00||",
			"d|2026-10-19 10:00:00|2026-10-19 12:00:00|snoozed"), // no part tells anything
		insertParts(`
			a | 2026-10-19 11:00:00 | comment by admin 1 | open | | words
			b | 2026-10-19 11:00:00 | close by admin 1   | closed
			c | 2026-10-19 11:00:00 | snoozed by admin 1 |
			c | 2026-10-19 11:10:00 | comment by user u  |
			c | 2026-10-19 11:20:00 | close by admin 1   |
			c | 2026-10-19 11:30:00 | assignment by admin 1 | | admin 2 2 -
			c | 2026-10-19 11:40:00 | assign_and_reopen by admin 1 | | admin 2 2 -
			c | 2026-10-19 11:50:00 | close by admin 1   |
			c | 2026-10-19 11:55:00 | snoozed by admin 1 |
			c | 2026-10-19 12:00:00 | open by admin 1    |
			d | 2026-10-19 11:00:00 | note by admin 1    |`))
	g.expectRows("SELECT conversation_id, state, strftime(began_at, '%H:%M'), strftime(ended_at, '%H:%M'), reopened FROM models.state_intervals",
		"a|open|10:00|12:00|false", "a|closed|12:00||false",
		"b|open|10:00|11:00|false", "b|closed|11:00|11:00|false", "b|open|11:00||true",
		"c|open|10:00|11:00|false", "c|snoozed|11:00|11:10|false", "c|open|11:10|11:20|false", "c|closed|11:20|11:40|false", "c|open|11:40|11:50|true",
		"c|closed|11:50|11:55|false", "c|snoozed|11:55|12:00|true", "c|open|12:00||false", // it left the closed ones once (D2)
		"d|snoozed|10:00||false")
}

func TestStateIntervalsAddUpToTheirBase(t *testing.T) {
	t.Parallel()
	g := openFilled(t)
	g.expectRows("SELECT id, state FROM main.conversations", g.rowTexts("SELECT conversation_id, CASE WHEN state = 'sent' THEN 'open' ELSE state END FROM models.state_intervals WHERE ended_at IS NULL")...)
	g.expectRows(`SELECT conversation_id FROM models.state_intervals s WHERE state = 'sent' AND ended_at IS NULL
		AND EXISTS (FROM models.conversation_messages m WHERE m.conversation_id = s.conversation_id AND m.author_kind = 'contact')`)
	g.expectRows("SELECT count(*) FROM models.state_intervals WHERE ended_at < began_at", "0")
	g.expectRows("SELECT count(*) FROM models.state_intervals WHERE number = 1", g.rowTexts("SELECT count(*) FROM main.conversations")...)
}

// TestStateIntervalsOfWhatTheWorkspaceSentAreOpenOnceSomebodyWaits: D7.
func TestStateIntervalsOfWhatTheWorkspaceSentAreOpenOnceSomebodyWaits(t *testing.T) {
	t.Parallel()
	g := newGolden(t,
		insertRows("conversations_all", "id|created_at|updated_at|state|source_author_type",
			"silent |2026-01-19 10:00:00|2026-05-19 10:00:00|open  |admin",
			"reply  |2026-01-19 10:00:00|2026-05-19 10:00:00|open  |bot",
			"choice |2026-01-19 10:00:00|2026-05-19 10:00:00|open  |bot",
			"own    |2026-01-19 10:00:00|2026-05-19 10:00:00|open  |admin",
			"closed |2026-01-19 10:00:00|2026-05-19 10:00:00|closed|admin",
			"unknown|2026-01-19 10:00:00|2026-05-19 10:00:00|open  |"),
		insertParts(`
			silent | 2026-01-19 10:01:00 | comment by admin 1    |      | | PS
			reply  | 2026-05-19 10:00:00 | comment by user u     |      | | Yes?
			choice | 2026-05-19 10:00:00 | quick_reply by user u |
			own    | 2026-02-19 10:00:00 | comment by admin 1    | open | | PS
			closed | 2026-02-19 10:00:00 | close by admin 1      |`))
	g.expectRows("SELECT conversation_id, state, strftime(began_at, '%m-%d'), strftime(ended_at, '%m-%d') FROM models.state_intervals",
		"silent|sent|01-19|",
		"reply|sent|01-19|05-19", "reply|open|05-19|", "choice|sent|01-19|05-19", "choice|open|05-19|",
		"own|sent|01-19|02-19", "own|open|02-19|",
		"closed|sent|01-19|02-19", "closed|closed|02-19|",
		"unknown|open|01-19|")
	g.expectRows("SELECT backlog FROM models.backlog_daily WHERE backlog_date = '2026-02-01'", "1") // nobody waits for the others
}

func TestStateIntervalsOfSeveralImportedPartsDoNotGoBack(t *testing.T) {
	t.Parallel()
	g := newGolden(t,
		insertRows("conversations_all", "id|created_at|updated_at|state|source_author_type", "two|2026-10-20 10:00:00|2026-10-22 10:00:00|open|user"),
		insertParts(`
			two | 2026-10-14 09:00:00 | close by admin 1      | closed
			two | 2026-10-19 09:00:00 | comment by user u     | open | | Hello?
			two | 2026-10-19 09:30:00 | assignment by admin 1 | open | admin 1 1 -
			two | 2026-10-22 10:00:00 | comment by admin 1    | open | | Hello.`))
	g.expectRows("SELECT number, state, strftime(began_at, '%d %H:%M'), strftime(ended_at, '%d %H:%M'), reopened FROM models.state_intervals",
		"1|open|20 10:00|20 10:00|false", "2|closed|20 10:00|20 10:00|false", "3|open|20 10:00||true")
	g.expectRows("SELECT backlog FROM models.backlog_daily WHERE backlog_date = '2026-10-21'", "1")
}
