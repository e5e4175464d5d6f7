package duck_test

import (
	"errors"
	"testing"

	"aqueduck/load/internal/duck"
)

// TestSelectsMustNameSchemas gives statements, and the table without a schema that each reads; "" where it reads none.
func TestSelectsMustNameSchemas(t *testing.T) {
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
		{"SELECT id FROM main.contacts", "", 0},
		{"SELECT 1\nFROM contacts", "contacts", 2},
		{`FROM "main"."contacts" JOIN "contacts" USING (id)`, "contacts", 1},
		{"SELECT (SELECT max(id) FROM tags) FROM main.contacts", "tags", 1},
		{"WITH recent AS (FROM main.contacts) FROM RECENT", "", 0},
		{"WITH recent AS (FROM contacts) FROM recent", "contacts", 1},
		{"WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 3) FROM n", "", 0},
		{"FROM main.contacts WHERE EXISTS (WITH inner_one AS (SELECT 1) FROM inner_one)", "", 0},
		{"FROM range(3) AS contacts", "", 0},
		{"FROM (VALUES (1)) AS contacts(id)", "", 0},
		{"SELECT contacts.id FROM main.contacts", "", 0},
		{"FROM main.contacts PIVOT (count(*) FOR role IN ('user'))", "", 0},
		{"FROM contacts PIVOT (count(*) FOR role IN ('user'))", "contacts", 1},
	} {
		err := db.RequireSchemas(tc.sql)
		var refused *duck.Refused
		if tc.table == "" && err != nil || tc.table != "" && (!errors.As(err, &refused) || refused.Name != tc.table || refused.Line != tc.line) {
			t.Errorf("%s: %v; want a refusal of %q in line %d", tc.sql, err, tc.table, tc.line)
		}
	}
}
