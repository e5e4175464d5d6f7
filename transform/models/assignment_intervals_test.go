package models_test

import "testing"

func TestAssignmentIntervalsFollowTheTruthTable(t *testing.T) {
	t.Parallel()
	g := newGolden(t, goldenCases()...)
	g.expectRows(`SELECT conversation_id, part_id, strftime(began_at, '%H:%M:%S'), strftime(ended_at, '%H:%M:%S'), admin_id, team_id, admin_known, team_known, owned_seconds
		FROM models.assignment_intervals`,
		"hidden|2|09:20:00|09:30:00|2||true|true|600",
		"hidden|3|09:30:00||2|t1|true|true|", // a team leaves the teammate untouched; a close ends nothing
		"skip|3|12:30:00||2||true|true|",
		"robin|1|08:00:10|08:30:10||t1|true|true|1800",
		"robin|2|08:30:10|10:00:00|3|t2|true|true|5390",
		"robin|5|10:00:00||4|t2|true|true|",
		"removed|1|09:10:00|09:20:00|1|t1|true|true|600",
		"removed|2|09:20:00|09:30:00|1||true|true|600",
		"removed|3|09:30:00|09:40:00|1|t2|true|true|600",
		"removed|4|09:40:00|09:50:00||t2|true|true|600",
		"removed|5|09:50:00|10:00:00|2|t2|true|true|600", // then nobody is in charge
		"redacted|1|09:30:00||1||true|true|",
		"old|1|12:10:00|12:20:00||t1|false|true|600",
		"old|2|12:20:00|12:40:00|1||true|false|1200") // then nothing is known
	g.expectRows("SELECT admin_id, sum(owned_seconds) FROM models.assignment_intervals WHERE conversation_id = 'removed' AND admin_id IS NOT NULL GROUP BY ALL", "1|1800", "2|600")
	g.expectRows("SELECT team_id, sum(owned_seconds) FROM models.assignment_intervals WHERE conversation_id = 'removed' AND team_id IS NOT NULL GROUP BY ALL", "t1|600", "t2|1800")
}

func TestAssignmentIntervalsOfBotsAndOfOtherVersions(t *testing.T) {
	t.Parallel()
	g := newGolden(t,
		insertRows("conversations_all", "id|created_at", "a|2026-10-19 10:00:00", "b|2026-10-19 10:00:00", "c|2026-10-19 10:00:00"),
		insertParts(`
			a | 2026-10-19 10:00:00 | assignment by admin 1 | | bot 7 7 - | | 2.17
			a | 2026-10-19 10:00:00 | assignment by admin 1 | | bot 7 7 - | | 2.17
			a | 2026-10-19 10:01:00 | assignment by admin 1 | | nobody_admin - - - | | 2.17
			a | 2026-10-19 10:02:00 | assignment by admin 1 | | team 3 - 3 | | 2.17
			b | 2026-10-19 10:00:00 | assignment by admin 1 | | team 3 - - | | 2.9
			b | 2026-10-19 10:01:00 | assignment by admin 1 | | nobody_admin - - - | | 2.9
			b | 2026-10-19 10:02:00 | assignment by admin 1 | | admin 5 5 - | | 2.17
			b | 2026-10-19 10:03:00 | assignment by admin 1 | | team 3 - 3 | | 3.0
			c | 2026-10-19 10:00:00 | assignment by admin 1 | | nobody_admin - 0 - | |
			gone | 2026-10-19 10:00:00 | assignment by admin 1 | | admin 5 5 - | |`))
	g.expectRows("SELECT conversation_id, part_id, admin_id, team_id, admin_known, team_known, owned_seconds FROM models.assignment_intervals",
		"a|1|7||true|true|0", "a|2|7||true|true|60", // the same again begins another stretch
		"a|4||3|true|true|",
		"b|1||3|false|true|60",
		"b|3|5||true|false|60", // whether the team is still there is not known until a part tells
		"b|4|5|3|true|true|")
}

// TestAssignmentIntervalsEndWithThePresentAssignee compares the last stretch of each conversation with what it says of itself.
func TestAssignmentIntervalsEndWithThePresentAssignee(t *testing.T) {
	t.Parallel()
	g := openFilled(t)
	g.expectRows(`SELECT c.id, c.admin_assignee_id, i.admin_id, c.team_assignee_id, i.team_id FROM main.conversations c
		LEFT JOIN models.assignment_intervals i ON i.conversation_id = c.id AND i.ended_at IS NULL
		WHERE nullif(c.admin_assignee_id, '0') IS DISTINCT FROM i.admin_id OR nullif(c.team_assignee_id, '0') IS DISTINCT FROM i.team_id`)
	g.expectRows("SELECT count(*) > 20, count(ended_at) > 10, bool_and(owned_seconds >= 0), bool_and(admin_known AND team_known) FROM models.assignment_intervals", "true|true|true|true")
}
