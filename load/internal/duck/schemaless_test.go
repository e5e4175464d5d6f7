package duck_test

import (
	"errors"
	"testing"

	"aqueduck/load/internal/duck"
)

// TestModelsMustNameSchemasByPlaceholders gives statements, and the table without a placeholder that each reads; "" where it reads none.
func TestModelsMustNameSchemasByPlaceholders(t *testing.T) {
	t.Parallel()
	db, err := duck.Open(t.Context(), duck.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, tc := range []struct {
		sql, table string
		line       int
	}{
		{"SELECT id FROM {schema}.contacts", "", 0},
		{"SELECT 1\nFROM contacts", "contacts", 2},
		{`FROM {schema}."contacts" JOIN "contacts" USING (id)`, "contacts", 1},
		{"SELECT (SELECT max(id) FROM tags) FROM {schema}.contacts", "tags", 1},
		{"WITH recent AS (FROM {schema}.contacts) FROM RECENT", "", 0},
		{"WITH recent AS (FROM contacts) FROM recent", "contacts", 1},
		{"WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 3) FROM n", "", 0},
		{"FROM {schema}.contacts WHERE EXISTS (WITH inner_one AS (SELECT 1) FROM inner_one)", "", 0},
		{"FROM range(3) AS contacts", "", 0},
		{"FROM (VALUES (1)) AS contacts(id)", "", 0},
		{"SELECT contacts.id FROM {schema}.contacts", "", 0},
		{"FROM {schema}.contacts PIVOT (count(*) FOR role IN ('user'))", "", 0},
		{"FROM contacts PIVOT (count(*) FOR role IN ('user'))", "contacts", 1},
		{"FROM {schema}.contacts JOIN {models}.people USING (id) JOIN {raw}.contacts_raw USING (id)", "", 0},
		{"FROM {schema}.contacts\nJOIN main.tags USING (id)", "main.tags", 2},
		{`FROM "eu_models"."people"`, "eu_models.people", 1},
		{"FROM warehouse.main.tags", "main.tags", 1},
		{"FROM _sync.runs JOIN information_schema.tables ON true", "", 0},
	} {
		err := db.RequireSchemas(duck.MarkPlaceholders(tc.sql))
		var refused *duck.Refused
		if tc.table == "" && err != nil || tc.table != "" && (!errors.As(err, &refused) || refused.Name != tc.table || refused.Line != tc.line) {
			t.Errorf("%s: %v; want a refusal of %q in line %d", tc.sql, err, tc.table, tc.line)
		}
	}
}
