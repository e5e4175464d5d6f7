package models_test

import "testing"

func TestFirstContactResolutionOfEveryCase(t *testing.T) {
	t.Parallel()
	g := newGolden(t, goldenCases()...)
	g.expectRows("SELECT conversation_id, strftime(first_closed_at, '%d %H:%M'), reopened, strftime(next_conversation_at, '%d %H:%M'), resolved_by, resolved FROM models.first_contact_resolution",
		"bot|19 10:05|true||human|false",
		"hidden|20 10:00|false||human|true",
		"skip|21 12:20|false||human|true", // an assignment that skips reopening is no reopen
		"robin|22 09:00|true||human|false",
		"removed|||||", "capped||||ai|", "redacted||||human|", "old||||human|", "midnight|||||",
		"saturday|26 09:30|false||human|",            // its 7 days are not over on the 30th
		"outbound|18 23:30|false|19 10:00||",         // the contact never wrote in it
		"merged|13 09:20|false|16 09:00|human|false", // its lead is u9 today, who came back after 3 days
		"merged2|16 10:00|false||human|true",
		"deleted|14 09:50|false|23 15:50|human|true", // u7 came back after 9 days
		"rated|20 14:20|false|21 12:00|human|false",
		"snoozed|29 00:00|false|||false") // nobody answered
}

func TestFirstContactResolutionCountsSevenDaysOfWhoeverTookPart(t *testing.T) {
	t.Parallel()
	g := newGolden(t,
		insertRows("conversations_all", "id|created_at|updated_at|state|source_author_type|source_author_id",
			"exact|2026-10-01 10:00:00|2026-10-01 11:00:00|closed|user|a",
			"a    |2026-10-08 11:00:00|2026-10-08 11:00:00|open  |user|a", // 7 days after the close, to the second
			"late |2026-10-01 10:00:00|2026-10-01 11:00:00|closed|user|b",
			"b    |2026-10-08 11:00:01|2026-10-08 11:00:01|open  |user|b",
			"group|2026-10-01 10:00:00|2026-10-01 11:00:00|closed|user|x",
			"c    |2026-10-02 10:00:00|2026-10-02 10:00:00|open  |lead|y", // by the second of them
			"joint|2026-10-01 10:00:00|2026-10-01 11:00:00|closed|user|p",
			"e    |2026-10-03 10:00:00|2026-10-03 10:00:00|open  |user|q", // by somebody else, who has p in it
			"f    |2026-10-20 10:00:00|2026-10-20 10:00:00|open  |lead|l", // by a lead who is p today, later
			"sent |2026-10-01 10:00:00|2026-10-01 11:00:00|closed|user|d",
			"d    |2026-10-02 10:00:00|2026-10-02 10:00:00|open  |admin|1", // by the workspace
			"reply|2026-10-01 10:00:00|2026-10-01 11:00:00|closed|admin|1",
			"none |2026-10-01 10:00:00|2026-10-20 11:00:00|closed|user|n"),
		insertParts(`
			exact | 2026-10-01 11:00:00 | close by admin 1 | closed | | Done.
			late  | 2026-10-01 11:00:00 | close by admin 1 | closed | | Done.
			group | 2026-10-01 11:00:00 | close by admin 1 | closed | | Done.
			joint | 2026-10-01 11:00:00 | close by admin 1 | closed | | Done.
			sent  | 2026-10-01 11:00:00 | close by admin 1 | closed | | Done.
			reply | 2026-10-01 10:30:00 | comment by user e | open
			reply | 2026-10-01 11:00:00 | close by admin 1 | closed | | Done.
			none  | 2026-10-01 11:00:00 | close by admin 1 | closed | | Done.`),
		insertRows("conversation_contacts", "conversation_id|contact_id", "exact|a", "a|a", "late|b", "b|b", "group|x", "group|y", "c|y", "joint|p", "e|p", "e|q", "f|l", "sent|d", "d|d", "reply|e"),
		insertRows("_raw.contacts_raw", "id|role", "l|lead", "p|user"), insertRows("contact_lifecycle", "id|lifecycle|merged_into_id|reason|record_from", "l|merged|p|event|search"))
	g.expectRows("SELECT conversation_id, resolved FROM models.first_contact_resolution WHERE first_closed_at IS NOT NULL",
		"exact|false", "late|true", "group|false", "joint|true", "sent|true", "reply|true", "none|true")
	g.expectRows("SELECT strftime(next_conversation_at, '%d %H:%M') FROM models.first_contact_resolution WHERE conversation_id = 'joint'", "20 10:00")
}

func TestFirstContactResolutionAddsUpToItsBase(t *testing.T) {
	t.Parallel()
	g := openFilled(t)
	g.expectRows("SELECT conversation_id FROM models.first_contact_resolution", g.rowTexts("SELECT id FROM main.conversations")...)
	g.expectRows("SELECT count(*) FROM models.first_contact_resolution f JOIN models.conversation_metrics m USING (conversation_id) WHERE f.resolved AND (m.reopens > 0 OR m.first_contact_reply_at IS NULL)", "0")
	g.expectRows("SELECT DISTINCT resolved FROM models.first_contact_resolution", "true", "false", "")
}

// TestFirstContactResolutionNeedsAnAnswerAndAClosedConversation: D2 and D5. Silence, and the words of a workflow, resolve nothing; nor does a conversation
// that left the closed ones by way of a snooze.
func TestFirstContactResolutionNeedsAnAnswerAndAClosedConversation(t *testing.T) {
	t.Parallel()
	const read = "2026-10-30 12:00:00"
	g := newGolden(t,
		insertRows("conversations_all", "id|created_at|updated_at|state|source_author_type|_synced_at",
			"human   |2026-10-01 10:00:00|2026-10-01 11:00:00|closed|user |"+read,
			"agent   |2026-10-01 10:00:00|2026-10-01 11:00:00|closed|user |"+read,
			"workflow|2026-10-01 10:00:00|2026-10-01 11:00:00|closed|user |"+read,
			"silence |2026-10-01 10:00:00|2026-10-01 11:00:00|closed|user |"+read,
			"before  |2026-10-01 10:00:00|2026-10-01 11:00:00|closed|admin|"+read, // the workspace wrote before the contact only
			"snoozed |2026-10-01 10:00:00|2026-10-01 13:00:00|open  |user |"+read),
		insertParts(`
			human    | 2026-10-01 10:30:00 | comment by bot 70  | open   | | What is it about?
			human    | 2026-10-01 11:00:00 | close by admin 1   | closed | | Done.
			agent    | 2026-10-01 10:30:00 | comment by ai 71   | open   | | Like this.
			agent    | 2026-10-01 11:00:00 | close by bot 70    | closed
			workflow | 2026-10-01 10:30:00 | comment by bot 70  | open   | | What is it about?
			workflow | 2026-10-01 11:00:00 | close by bot 70    | closed
			silence  | 2026-10-01 11:00:00 | close by admin 1   | closed
			before   | 2026-10-01 10:10:00 | comment by admin 1 | open   | | PS
			before   | 2026-10-01 10:30:00 | comment by user e  | open   | | Thanks.
			before   | 2026-10-01 11:00:00 | close by admin 1   | closed
			snoozed  | 2026-10-01 11:00:00 | close by admin 1   | closed | | Done.
			snoozed  | 2026-10-01 12:00:00 | snoozed by admin 1 | snoozed
			snoozed  | 2026-10-01 13:00:00 | open by admin 1    | open`))
	g.expectRows("SELECT conversation_id, reopened, resolved_by, resolved FROM models.first_contact_resolution",
		"human|false|human|true", "agent|false|ai|true", "workflow|false|workflow|false", "silence|false||false", "before|false||false", "snoozed|true|human|false")
}
