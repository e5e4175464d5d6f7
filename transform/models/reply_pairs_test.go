package models_test

import "testing"

func TestReplyPairsAreTheWaitsOfTheContact(t *testing.T) {
	t.Parallel()
	g := newGolden(t, goldenCases()...)
	g.expectRows(`SELECT conversation_id, asked_part_id, strftime(asked_at, '%d %H:%M:%S'), answered_part_id, strftime(answered_at, '%d %H:%M:%S'), answered_by, answered_by_id,
		strftime(closed_at, '%d %H:%M:%S'), reply_time_calendar, reply_time_office FROM models.reply_pairs`,
		"bot|source|19 10:00:00|1|19 10:00:30|workflow|70||30|30",
		"bot|3|19 10:30:00|4|19 10:40:00|human|1||600|600",
		"hidden|source|20 09:00:00|3|20 09:30:00|human|2||1800|1800", // neither the note nor the assignment without a body
		"hidden|4|20 09:50:00|||||20 10:00:00||",
		"skip|source|21 12:00:00|1|21 12:10:00|human|1||600|600",
		"robin|source|22 08:00:00|3|22 08:50:00|human|3||3000|3000",
		"removed|source|23 09:00:00|||||||",
		"capped|1|12 10:00:00|2|12 10:10:00|ai|71||600|600",
		"saturday|source|23 15:50:00|1|24 22:59:00|human|1||112140|600", // the last ten minutes of Friday
		"saturday|2|24 22:59:30|3|26 09:15:00|human|2||123330|900",      // 30 s + 25 h of Sunday + 9 h 15 min; the first 15 minutes of Monday
		"merged|source|13 09:00:00|2|13 09:15:00|human|1||900|900",      // one turn of two messages
		"merged2|source|16 09:00:00|1|16 09:30:00|human|1||1800|1800",
		"deleted|source|14 09:00:00|1|14 09:45:00|human|99||2700|2700",
		"redacted|source|15 09:00:00|1|15 09:30:00|human|1||1800|1800",
		"redacted|2|15 10:00:00|3|15 11:00:00|human|1||3600|3600",
		"rated|source|20 14:00:00|1|20 14:10:00|human|1||600|600",
		"old|source|16 12:00:00|4|16 12:50:00|human|1||3000|3000",
		"snoozed|source|27 10:00:00|||||29 00:00:00||",
		"midnight|source|29 00:00:00|||||||")
	// 23:59:30 of Saturday in Dublin; and the first second of a day there, whose clock is that of UTC again.
	g.expectRows("SELECT conversation_id, strftime(asked_date, '%a %d') FROM models.reply_pairs WHERE conversation_id = 'saturday' AND asked_part_id = '2' OR conversation_id = 'midnight'",
		"saturday|Sat 24", "midnight|Thu 29")
}

func TestReplyPairsOfOneSecondAndOfAuthorsOfEveryKind(t *testing.T) {
	t.Parallel()
	g := newGolden(t,
		insertRows("conversations_all", "id|created_at|source_author_type", "a|2026-10-19 10:00:00|user", "b|2026-10-19 10:00:00|bot"),
		insertParts(`
			a | 2026-10-19 10:00:00 | comment by user u | | | one
			a | 2026-10-19 10:00:00 | comment by team t | | | two
			a | 2026-10-19 10:00:00 | comment by user u | | | three
			a | 2026-10-19 10:00:00 | comment by admin 1 | | | four
			b | 2026-10-19 10:00:00 | comment by admin 1 | | | hello
			b | 2026-10-19 10:00:01 | comment by lead l | | | hello
			b | 2026-10-19 10:00:02 | assign_and_reopen by admin 1 | | admin 2 2 - | hello
			b | 2026-10-19 10:00:03 | comment by lead l | | | hello
			b | 2026-10-19 10:00:04 | assignment by bot 70 | | admin 2 2 - | no admin says this
			b | 2026-10-19 10:00:05 | comment | | | nobody
			b | 2026-10-19 10:00:06 | close by lead l | | | by the contact
			gone | 2026-10-19 10:00:06 | comment by lead l | | | of no conversation`),
		"UPDATE main.conversation_parts SET id = '1' || id WHERE conversation_id = 'a' AND id > '2'") // 13 and 14 come after 2, as numbers do
	g.expectRows("SELECT conversation_id, asked_part_id, answered_part_id, answered_by, reply_time_calendar, closed_at IS NOT NULL FROM models.reply_pairs",
		"a|source|2|workflow|0|false", "a|13|14|human|0|false", "b|2|3|human|1|false", "b|4|||" /* three seconds */ +"|true")
}

func TestReplyPairsAddUpToTheirBase(t *testing.T) {
	t.Parallel()
	g := openFilled(t)
	// Each answered wait has its parts, the right way round.
	g.expectRows(`SELECT count(*) FROM models.reply_pairs r LEFT JOIN main.conversation_parts a ON a.conversation_id = r.conversation_id AND a.id = r.answered_part_id
		WHERE r.answered_at IS DISTINCT FROM a.created_at OR r.reply_time_calendar < 0 OR r.reply_time_office > r.reply_time_calendar OR r.answered_at IS NOT NULL AND r.closed_at IS NOT NULL`, "0")
	g.expectRows("SELECT count(*) > 50, count(DISTINCT answered_by), count(closed_at) > 0 FROM models.reply_pairs", "true|2|true")
}
