package duck_test

import (
	"path/filepath"
	"strings"
	"testing"

	"aqueduck/load/internal/duck"
)

// TestARewrittenTableKeepsItsRowsInOrder, with the types of its columns. A query that loses a row changes nothing.
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
	rewrite := func(where string) (n int64, err error) {
		return n, db.Transaction(t.Context(), func() error {
			n, err = db.RewriteTable(t.Context(), "main", "things", "SELECT * REPLACE ("+duck.Stamped+") FROM (SELECT * REPLACE (CASE WHEN id % 4 = 0 THEN "+louder+
				"(name) ELSE name END AS name), (id % 4 = 0)::INT AS __changes FROM main.things WHERE "+where+")", "2024-01-02 00:00:00Z", "s")
			return err
		})
	}
	const whole = "SELECT md5(string_agg(things::VARCHAR, '|' ORDER BY rowid)) FROM main.things"
	before := text(whole)
	if n, err := rewrite("id > 0"); err == nil || n != 0 || text(whole) != before {
		t.Errorf("a query that loses a row: %d changes, %v", n, err)
	}
	if n, err := rewrite("true"); err != nil || n != 10_000 {
		t.Errorf("%d changes, %v", n, err)
	}
	got := text(`SELECT concat_ws(' ', count(*), bool_and(id = rowid), count(*) FILTER (name = 'N' || id AND _run_id = 's' AND _synced_at > TIMESTAMPTZ '2024-01-01 12:00:00Z'),
		count(*) FILTER (name = 'n' || id AND _run_id = 'r'), count(*) FILTER (name IS NULL), any_value(typeof(more)), max(more::VARCHAR)) FROM main.things`)
	if got != `40000 true 9999 30000 1 JSON {"a":1.10}` {
		t.Errorf("the table has %s", got)
	}
	if n, err := db.RewriteTable(t.Context(), "main", "things", "SELECT *, 0 AS __changes FROM main.things"); n != 0 || err != nil || text("SELECT count(*)::VARCHAR FROM duckdb_tables()") != "1" {
		t.Errorf("without a change: %d, %v", n, err)
	}
}
