package duck_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"aqueduck/load/internal/duck"
)

// TestARewrittenTableKeepsItsRowsInOrder, with the types of its columns. Of several steps of a column the first that holds counts.
func TestARewrittenTableKeepsItsRowsInOrder(t *testing.T) {
	t.Parallel()
	db, err := duck.Open(t.Context(), duck.Options{Path: filepath.Join(t.TempDir(), "a.duckdb")})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	exec := func(statement string) {
		t.Helper()
		if _, err := db.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	text := func(query string) (got string) {
		t.Helper()
		if err := db.Scan(t.Context(), query, nil, &got); err != nil {
			t.Fatal(err)
		}
		return got
	}
	exec(`CREATE TABLE main.things AS SELECT i AS id, 'n' || i AS name, CASE WHEN i % 2 = 0 THEN '{"a":1.10}'::JSON END AS more, TIMESTAMPTZ '2024-01-01 00:00:00Z' AS _synced_at, 'r' AS _run_id FROM range(40000) r(i)`)
	louder, err := db.Define(1, func(texts []string) (string, bool) { return strings.ToUpper(texts[0]), texts[0] != "n4" })
	if err != nil {
		t.Fatal(err)
	}
	steps := []duck.Step{
		{Column: "name", Value: louder + "(name)", Where: "t.id % 4 = 0", Stored: "{value}"},
		{Column: "name", Value: "'never'", Where: "id % 8 = 0", Stored: "{value}"},
	}
	for i := range 200 { // more than one query takes
		steps = append(steps, duck.Step{Column: "more", Value: "NULL", Where: fmt.Sprintf("id < 0 AND %d > 0", i), Stored: "{value}"})
	}
	if n, err := db.RewriteTable(t.Context(), "main", "things", steps, nil, "2024-01-02 00:00:00Z", "s"); err != nil || n != 10_000 {
		t.Errorf("%d changes, %v", n, err)
	}
	got := text(`SELECT concat_ws(' ', count(*), bool_and(id = rowid), count(*) FILTER (name = 'N' || id AND _run_id = 's' AND _synced_at > TIMESTAMPTZ '2024-01-01 12:00:00Z'),
		count(*) FILTER (name = 'n' || id AND _run_id = 'r'), count(*) FILTER (name IS NULL), any_value(typeof(more)), max(more::VARCHAR)) FROM main.things`)
	if got != `40000 true 9999 30000 1 JSON {"a":1.10}` {
		t.Errorf("the table has %s", got)
	}
	if n, err := db.RewriteTable(t.Context(), "main", "things", steps[2:], nil, "2024-01-03 00:00:00Z", "u"); n != 0 || err != nil || text("SELECT count(*)::VARCHAR FROM duckdb_tables()") != "1" {
		t.Errorf("without a change: %d, %v", n, err)
	}
}
