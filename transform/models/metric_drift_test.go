package models_test

import "testing"

func TestMetricDriftIsOursBesideTheExports(t *testing.T) {
	t.Parallel()
	g := newGolden(t, append(goldenCases(), insertRows("reporting_conversation", "conversation_id|time_to_first_response_seconds",
		"bot|2400", "hidden|1800.4", "skip|660", "saturday|600", "removed|", "outbound|n/a", "capped|12", "merged|900", "merged|899", "of nobody|7", "|8"))...)
	g.expectRows("SELECT conversation_id, export_rows, first_response_ours_calendar, first_response_ours_office, first_response_export, round(first_response_drift, 1), agrees FROM models.metric_drift",
		"bot|1|2400|2400|2400|0|true",
		"hidden|1|1800|1800|1800.4|-0.4|true",
		"skip|1|600|600|660|-60|false",
		"saturday|1|112140|600|600|111540|false", // the source takes office hours out
		"removed|1|||||", "outbound|1|||||", "capped|1|||12||", "merged|2|900|900|900|0|true")
	g.expectRows("SELECT count(first_close_ours_calendar), count(first_close_export), count(first_close_drift) FROM models.metric_drift", "5|0|0") // the dataset has no such column
}

// TestMetricDriftTakesTheColumnsThatADatasetHas makes the view anew over datasets of other columns, as a publish does.
func TestMetricDriftTakesTheColumnsThatADatasetHas(t *testing.T) {
	t.Parallel()
	g := newGolden(t, goldenCases()...)
	view := g.rowTexts("SELECT sql FROM duckdb_views() WHERE schema_name = 'models' AND view_name = 'metric_drift'")[0]
	for columns, want := range map[string]string{
		"conversation_id VARCHAR, time_to_first_close_seconds VARCHAR": "bot||||300|0|true",
		"conversation_id VARCHAR, time_to_first_close_seconds BIGINT":  "bot||||300|0|true",
		"conversation_id VARCHAR, other VARCHAR":                       "bot||||||",
	} {
		g.execSQL("DROP VIEW models.metric_drift")
		g.execSQL("DROP TABLE main.reporting_conversation")
		g.execSQL("CREATE TABLE main.reporting_conversation (" + columns + ")")
		g.execSQL(view)
		g.execSQL("INSERT INTO main.reporting_conversation VALUES ('bot', '300')")
		g.expectRows(`SELECT conversation_id, first_response_export, first_response_drift, NULL, first_close_export, first_close_drift, agrees FROM models.metric_drift`, want)
	}
}

// TestMetricDriftHasTheConversationsOfBoth reads both from the emulator, whose export is a third less than ours for some.
func TestMetricDriftHasTheConversationsOfBoth(t *testing.T) {
	t.Parallel()
	g := openFilled(t)
	g.expectRows(`SELECT count(*) FROM models.metric_drift WHERE conversation_id NOT IN (SELECT id FROM main.conversations) OR conversation_id NOT IN (SELECT conversation_id FROM main.reporting_conversation)`, "0")
	g.expectRows(`SELECT count(*) = (SELECT count(*) FROM main.conversations SEMI JOIN main.reporting_conversation ON conversation_id = id), count(*) > 9,
		bool_and(export_rows = 1), count(*) FILTER (agrees) > 0, count(*) FILTER (NOT agrees) > 0,
		count(*) FILTER (first_response_drift NOT BETWEEN 0 AND first_response_ours_calendar // 3 + 1)
		FROM models.metric_drift`, "true|true|true|true|true|0")
}
