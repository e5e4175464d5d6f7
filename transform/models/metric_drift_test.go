package models_test

import "testing"

func TestMetricDriftIsOursBesideTheExports(t *testing.T) {
	t.Parallel()
	g := newGolden(t, append(goldenCases(), insertRows("reporting_conversation", "conversation_id|time_to_first_response_seconds",
		"bot|2400", "hidden|1800.4", "skip|660", "saturday|600", "removed|", "outbound|n/a", "capped|12", "merged|900", "merged|899", "of nobody|7", "|8"))...)
	g.expectRows("SELECT conversation_id, measure, ours, ours_office, theirs, round(drift, 1), agrees, why FROM models.metric_drift WHERE source = 'export'",
		"bot|first_response|2400|2400|2400|0|true|",
		"hidden|first_response|1800|1800|1800.4|-0.4|true|",
		"skip|first_response|600|600|660|-60|false|other",
		"saturday|first_response|112140|600|600|111540|false|office hours",
		"capped|first_response|||12||false|capped", "merged|first_response|900|900|900|0|true|")
}

// TestMetricDriftIsOursBesideTheStatistics has each reason once.
func TestMetricDriftIsOursBesideTheStatistics(t *testing.T) {
	t.Parallel()
	g := newGolden(t,
		insertRows("conversations_all", "id|created_at|state|source_author_type|statistics_count_conversation_parts|statistics_first_admin_reply_at|statistics_time_to_first_close|statistics_count_reopens|statistics_count_assignments",
			"same    |2026-10-19 10:00:00|closed|user |2|2026-10-19 10:10:00|1200|0|0",
			"words   |2026-10-19 10:00:00|closed|user |2|2026-10-19 10:30:00|    | |",
			"redacted|2026-10-19 10:00:00|open  |user |2|2026-10-19 10:30:00|    | |",
			"outbound|2026-10-19 10:00:00|open  |admin|3|2026-10-19 10:00:30|    | |",
			"creation|2026-10-19 10:00:00|closed|admin|2|                   |1200| |",
			"snooze  |2026-10-19 10:00:00|open  |user |3|                   |    |0|",
			"none    |2026-10-19 10:00:00|open  |user | |                   |    | |",
			"agent   |2026-10-19 10:00:00|open  |user |2|2026-10-19 10:00:05|    | |",
			"imported|2026-10-19 10:00:00|open  |user |2|2026-10-19 10:10:00|    | |",
			"choice  |2026-10-19 10:00:00|open  |bot  |3|2026-10-19 10:40:00|    | |",
			"close   |2026-10-19 10:00:00|open  |user |3|                   |    | |",
			"other   |2026-10-19 10:00:00|open  |user |1|2026-10-19 10:50:00|    | |5"),
		insertParts(`
			same     | 2026-10-19 10:10:00 | comment by admin 1 | open   | | words
			same     | 2026-10-19 10:20:00 | close by admin 1   | closed
			words    | 2026-10-19 10:10:00 | close by admin 1   | closed | | Done.
			words    | 2026-10-19 10:30:00 | comment by admin 1 | closed | | words
			redacted | 2026-10-19 10:10:00 | comment by admin 1 | open   | | redacted
			redacted | 2026-10-19 10:30:00 | comment by admin 1 | open   | | words
			outbound | 2026-10-19 10:00:30 | comment by admin 1 | open   | | PS
			outbound | 2026-10-19 10:10:00 | comment by user u  | open   | | words
			outbound | 2026-10-19 10:20:00 | comment by admin 1 | open   | | words
			creation | 2026-10-19 10:10:00 | comment by user u  | open   | | words
			creation | 2026-10-19 10:20:00 | close by admin 1   | closed
			agent    | 2026-10-19 10:00:05 | comment by ai 9 | open | | words
			agent    | 2026-10-19 10:10:00 | comment by admin 1 | open   | | words
			imported | 2026-10-18 10:00:00 | comment by user u  | open   | | words
			imported | 2026-10-19 10:10:00 | comment by admin 1 | open   | | words
			choice   | 2026-10-19 10:10:00 | quick_reply by user u | open | | words
			choice   | 2026-10-19 10:20:00 | comment by user u  | open   | | words
			choice   | 2026-10-19 10:30:00 | comment by admin 1 | open   | | words
			close    | 2026-10-19 10:10:00 | close by admin 1   | closed
			close    | 2026-10-19 10:20:00 | comment by user u  | open   | | words
			close    | 2026-10-19 10:30:00 | comment by admin 1 | open   | | words
			snooze   | 2026-10-19 10:10:00 | close by admin 1   | closed
			snooze   | 2026-10-19 10:20:00 | snoozed by admin 1 | snoozed
			snooze   | 2026-10-19 10:30:00 | open by admin 1    | open
			none     | 2026-10-19 10:10:00 | comment by admin 1 | open   | | words
			other    | 2026-10-19 10:40:00 | comment by admin 1 | open   | | words`),
		"UPDATE main.conversation_parts SET author_type = 'admin' WHERE conversation_id = 'agent' AND from_ai_agent", // it signs as a teammate
		"UPDATE main.conversations_all SET statistics_first_contact_reply_at = created_at WHERE id = 'imported'",
		"UPDATE main.conversations_all SET statistics_first_contact_reply_at = created_at + INTERVAL 20 MINUTE WHERE id = 'choice'",
		"UPDATE main.conversations_all SET statistics_median_time_to_reply = 1800 WHERE id = 'close'")
	g.expectRows(`SELECT conversation_id, measure, ours, theirs, drift, agrees, why FROM models.metric_drift
		WHERE measure IN ('first_response', 'time_to_first_close', 'reopens', 'assignments') AND theirs IS NOT NULL`,
		"same|first_response|600|600|0|true|", "same|time_to_first_close|1200|1200|0|true|", "same|reopens|0|0|0|true|", "same|assignments|0|0|0|true|",
		"words|first_response|600|1800|-1200|false|words", "redacted|first_response|600|1800|-1200|false|redacted",
		"outbound|first_response|1200|30|1170|false|outbound", "creation|time_to_first_close|600|1200|-600|false|from creation",
		"agent|first_response|600|5|595|false|ai agent", "snooze|reopens|1|0|1|false|snooze", "imported|first_response|600|600|0|true|", "choice|first_response|1800|2400|-600|false|quick reply", "other|first_response|2400|3000|-600|false|other", "other|assignments|0|5|-5|false|other")
	g.expectRows("SELECT DISTINCT measure, ours, theirs, agrees FROM models.metric_drift WHERE conversation_id = 'redacted' AND measure = 'first_contact_reply'", "first_contact_reply|0||false")
	g.expectRows(`SELECT conversation_id, measure, ours, theirs, why FROM models.metric_drift WHERE measure IN ('first_contact_reply', 'median_reply_time') AND theirs IS NOT NULL`,
		"imported|first_contact_reply|-86400|0|imported", "choice|first_contact_reply|600|1200|quick reply", "close|median_reply_time|600|1800|close")
	g.expectRows("FROM models.metric_drift WHERE conversation_id = 'none'") // without statistics there is nothing to compare
}

// TestMetricDriftTakesTheColumnsThatADatasetHas makes the view anew over datasets of other columns, as a publish does.
func TestMetricDriftTakesTheColumnsThatADatasetHas(t *testing.T) {
	t.Parallel()
	g := newGolden(t, goldenCases()...)
	view := g.rowTexts("SELECT sql FROM duckdb_views() WHERE schema_name = 'models' AND view_name = 'metric_drift'")[0]
	for columns, want := range map[string][]string{
		"conversation_id VARCHAR, time_to_first_close_seconds VARCHAR": {"bot|first_close|300|300|true"},
		"conversation_id VARCHAR, time_to_first_close_seconds BIGINT":  {"bot|first_close|300|300|true"},
		"conversation_id VARCHAR, other VARCHAR":                       nil,
	} {
		g.execSQL("DROP VIEW models.metric_drift")
		g.execSQL("DROP TABLE main.reporting_conversation")
		g.execSQL("CREATE TABLE main.reporting_conversation (" + columns + ")")
		g.execSQL(view)
		g.execSQL("INSERT INTO main.reporting_conversation VALUES ('bot', '300')")
		g.expectRows(`SELECT conversation_id, measure, ours, theirs, agrees FROM models.metric_drift WHERE source = 'export'`, want...)
	}
}

// TestMetricDriftAddsUpToItsBase compares all measures of a whole workspace with what they are made from.
func TestMetricDriftAddsUpToItsBase(t *testing.T) {
	t.Parallel()
	g := openFilled(t)
	g.expectRows(`SELECT count(*) FROM models.metric_drift WHERE conversation_id NOT IN (SELECT id FROM main.conversations) OR agrees <> (why IS NULL)`, "0")
	g.expectRows("SELECT count(DISTINCT conversation_id) FROM models.metric_drift WHERE source = 'statistics'",
		g.rowTexts("SELECT count(*) FROM main.conversations WHERE statistics_count_conversation_parts IS NOT NULL")...)
	g.expectRows("SELECT bool_and(agrees) FROM models.metric_drift WHERE source = 'statistics' AND measure IN ('first_close', 'last_close', 'assignments') AND why IS DISTINCT FROM 'capped'", "true")
	g.expectRows("SELECT count(*), count(*) > 0 FROM models.metric_drift WHERE source = 'export' AND measure = 'first_response'",
		g.rowTexts(`SELECT count(DISTINCT conversation_id), true FROM main.reporting_conversation SEMI JOIN main.conversations ON conversations.id = conversation_id
			WHERE try_cast(time_to_first_response_seconds AS DOUBLE) IS NOT NULL`)...)
}
