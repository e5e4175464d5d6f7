package models_test

import (
	"path/filepath"
	"strings"
	"testing"

	"aqueduck/schemas"
	"aqueduck/transform/models"
)

// TestEveryModelIsThereAndDocumented reads the file of a run over all streams: no model failed, none was left out, each has
// its key, and nothing in the file is without a comment.
func TestEveryModelIsThereAndDocumented(t *testing.T) {
	t.Parallel()
	all, err := models.Builtin()
	must(t, err)
	g := openFilled(t)
	for _, m := range all {
		if base := filepath.Base(m.File); base != m.Name+".sql" || len(m.Key) == 0 {
			t.Errorf("%s: model %s with key %v", m.File, m.Name, m.Key)
		}
		if !strings.HasPrefix(m.Doc, "One row ") {
			t.Errorf("%s: its first sentence is not its grain: %s", m.Name, m.Doc)
		}
		g.expectRows("SELECT count(*) FROM information_schema.tables WHERE table_schema = 'models' AND table_name = '"+m.Name+"'", "1")
		g.expectRows("SELECT count(*) FROM (SELECT 1 FROM models."+m.Name+" GROUP BY "+strings.Join(m.Key, ", ")+" HAVING count(*) > 1)", "0")
		g.expectRows("SELECT count(*) FROM models."+m.Name+" WHERE "+strings.Join(m.Key, " IS NULL OR ")+" IS NULL", "0")
	}
	g.expectRows("SELECT schema_name, table_name, column_name FROM duckdb_columns() WHERE NOT internal AND coalesce(comment, '') = ''")
	g.expectRows("SELECT schema_name, view_name FROM duckdb_views() WHERE NOT internal AND coalesce(comment, '') = ''")
	g.expectRows("SELECT schema_name, table_name FROM duckdb_tables() WHERE NOT internal AND coalesce(comment, '') = ''")
}

// TestEveryRelationHasItsKey reads the file of a run over all streams: the key that a relation of a publish names has no value twice. Those that only choose among the rows of one stored
// table have that table's key, and name none.
func TestEveryRelationHasItsKey(t *testing.T) {
	t.Parallel()
	catalogue, err := schemas.Builtin()
	must(t, err)
	g := openFilled(t)
	keys := 0
	for _, s := range catalogue.Streams() {
		if s.PublishAs == "" {
			continue
		}
		relations, err := catalogue.Relations(s.PublishAs)
		must(t, err)
		for _, r := range relations {
			if len(r.Key) == 0 {
				continue
			}
			keys++
			g.expectRows("SELECT count(*) FROM (SELECT 1 FROM main."+r.Name+" GROUP BY "+strings.Join(r.Key, ", ")+" HAVING count(*) > 1)", "0")
			g.expectRows("SELECT count(*) > 0 FROM main."+r.Name, "true")
		}
	}
	if keys < 10 {
		t.Errorf("%d relations name their keys", keys)
	}
}

// TestModelsNameTheSettingThatTheyNeed reads the comments of the published file: an office column that is null must say which setting it misses.
func TestModelsNameTheSettingThatTheyNeed(t *testing.T) {
	t.Parallel()
	g := openFilled(t)
	g.expectRows(`SELECT table_name, column_name FROM duckdb_columns() WHERE schema_name = 'models' AND column_name LIKE '%\_office' ESCAPE '\'
		AND comment NOT LIKE '%warehouse.office_hours%'`)
	g.expectRows(`SELECT name FROM (SELECT view_name AS name, comment FROM duckdb_views() WHERE schema_name = 'models'
			UNION ALL SELECT table_name, comment FROM duckdb_tables() WHERE schema_name = 'models')
		WHERE comment LIKE '%warehouse.office_hours%'`,
		append(g.rowTexts(`SELECT DISTINCT table_name FROM duckdb_columns() WHERE schema_name = 'models' AND column_name LIKE '%\_office' ESCAPE '\'`), "office_hours")...)
}

func TestOfficeHoursFollowTheClockOfTheirZone(t *testing.T) {
	t.Parallel()
	g := openFilled(t)
	// In 2026 Dublin's clocks go back on Sunday, 25 October.
	g.expectRows("SELECT strftime(timezone('UTC', opens_at), '%a %d %H:%M'), epoch(ends_at) - epoch(opens_at) FROM models.office_hours WHERE opens_at BETWEEN '2026-10-22' AND '2026-10-28'",
		"Thu 22 08:00|28800", "Fri 23 08:00|28800", "Mon 26 09:00|28800", "Tue 27 09:00|28800")
	g.expectRows("SELECT count(*) FROM models.office_hours o JOIN models.office_hours n ON n.open_before = o.open_before + 28800", g.rowTexts("SELECT count(*) - 1 FROM models.office_hours")[0])
}

func TestContactCurrentRollsMergedContactsUp(t *testing.T) {
	t.Parallel()
	g := newGolden(t,
		`INSERT INTO _raw.contacts_raw BY NAME SELECT * FROM (VALUES
			('a', 'user', TIMESTAMPTZ '2026-03-01 00:00:00Z'), ('b', 'lead', TIMESTAMPTZ '2026-01-01 00:00:00Z'), ('c', 'lead', TIMESTAMPTZ '2026-02-01 00:00:00Z'),
			('d', 'user', TIMESTAMPTZ '2026-04-01 00:00:00Z')) AS v(id, role, created_at)`,
		`INSERT INTO main.contact_lifecycle BY NAME SELECT * FROM (VALUES
			('b', 'merged', 'c', 'event', 'search'), ('c', 'merged', 'a', 'event', 'search'), ('d', 'archived', NULL, 'inactive list', 'search'))
			AS v(id, lifecycle, merged_into_id, reason, record_from)`)
	g.expectRows("SELECT contact_id, lifecycle, merged_contacts, strftime(timezone('UTC', first_seen_at), '%m-%d') FROM models.contact_current",
		"a|active|2|01-01", "d|archived|0|04-01")
}
