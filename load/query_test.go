package load_test

import (
	"errors"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"aqueduck/load"
	"aqueduck/load/committest"
	"aqueduck/load/failure"
	"aqueduck/load/read"
)

// TestS24QueryReachesNothingButTheFile tries what a statement could try.
// Holds: S49.
func TestS24QueryReachesNothingButTheFile(t *testing.T) {
	t.Parallel()
	w := publishedWarehouse(t)
	for _, statement := range []string{
		"SELECT * FROM read_text('/etc/passwd')",
		"SELECT * FROM read_csv('/etc/passwd')",
		"FROM '/etc/passwd'",
		"SELECT * FROM glob('/*')",
		"COPY people TO '/tmp/out.csv'",
		"ATTACH '/tmp/x.duckdb'",
		"INSTALL httpfs",
		"LOAD httpfs",
		"SET enable_external_access = true",
		"SET memory_limit = '100GB'",
		"CREATE TABLE mine (i INT)",
		"CREATE TEMP TABLE mine (i INT)",
		"DELETE FROM people_all",
		"INSERT INTO people_all (id) VALUES ('x')",
		"CHECKPOINT",
		"SELECT 1; SELECT 2",
		"PREPARE p AS DELETE FROM people_all",
		"EXPLAIN ANALYZE DELETE FROM people_all",
		"BEGIN",
		"FROM read_blob('/etc/passwd')",
		"FROM read_duckdb('/etc/passwd')",
		"FROM parquet_metadata('/etc/passwd')",
		"FROM sniff_csv('/etc/passwd')",
		"FROM query('DELETE FROM people_all')",
		"EXPLAIN ANALYZE COPY people TO '/tmp/out.csv'",
		"EXPORT DATABASE '/tmp/out'",
		"CREATE SECRET s (TYPE http)",
		"PRAGMA enable_profiling",
		"CALL enable_logging()",
		"FROM enable_logging()",
		"FROM enable_profiling(save_location := '/tmp/profile')",
		"SELECT * FROM people WHERE id IN (SELECT path FROM duckdb_logs)",
		"SELECT getenv('HOME')",
		"SELECT * FROM (SELECT 1); DELETE FROM people_all; SELECT * FROM (SELECT 2)",
		"",
	} {
		err := read.Query(t.Context(), w.dir.Current(), statement, func([]string, []any) error { return nil })
		if err == nil || read.Parquet(t.Context(), w.dir.Current(), statement, func() {}, io.Discard) == nil {
			t.Errorf("%q was allowed", statement)
		}
	}
	for _, statement := range []string{"FROM people", "DESCRIBE people", "SUMMARIZE people", "EXPLAIN FROM people", "SHOW TABLES", "WITH x AS (FROM people) FROM x", "VALUES (1)"} {
		if err := read.Query(t.Context(), w.dir.Current(), statement, func([]string, []any) error { return nil }); err != nil {
			t.Errorf("%q: %v", statement, err)
		}
		if err := read.Parquet(t.Context(), w.dir.Current(), statement, func() {}, io.Discard); err != nil {
			t.Errorf("%q as Parquet: %v", statement, err)
		}
	}
}

// TestS24TheSQLOfAStreamFileOnlyReads runs what a file of `over: {view: …}` could hold on the database that is written: where a
// statement goes through that does more than read, a row is lost, a file is read, or the log is gone into the file.
// Holds: S49.
func TestS24TheSQLOfAStreamFileOnlyReads(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t, load.Options{})
	w.ensureStream(t, committest.Stream())
	w.commitPeople(t, 0, committest.Person{Region: "eu", ID: "1", Updated: 5})
	log := w.LogSize()
	for _, query := range []string{
		"SELECT 1); DELETE FROM {schema}.people_all; SELECT * FROM (SELECT 2",
		"SELECT 1); COMMIT; DELETE FROM {schema}.people_all; SELECT * FROM (SELECT 2",
		"SELECT 1) --\n; DELETE FROM {schema}.people_all; SELECT * FROM (SELECT 2",
		"SELECT content FROM read_text('/etc/passwd')",
		"FROM glob('/etc/*')",
		"SELECT 1 FROM checkpoint('warehouse')",
		"SELECT 1 FROM force_checkpoint('warehouse')",
		"SELECT 1 FROM query('DELETE FROM people_all')",
		"SELECT 1 FROM enable_logging()",
		"SELECT id FROM {schema}.people_all ORDER BY (SELECT 1 FROM enable_profiling(save_location := '/tmp/profile'))",
		"DELETE FROM {schema}.people_all RETURNING id",
		"SELECT 1); SET enable_external_access = true; SELECT * FROM (SELECT 2",
	} {
		if ids, err := w.Facts.IDs(t.Context(), "main", query); err == nil {
			t.Errorf("%q gave %v", query, ids)
		}
		if _, _, err := w.Facts.Expected(t.Context(), "main", query); err == nil {
			t.Errorf("%q was allowed for a batch", query)
		}
	}
	if got := w.LogSize(); got != log {
		t.Errorf("the log has %d bytes, had %d", got, log)
	}
	if ids, err := w.Facts.IDs(t.Context(), "main", "SELECT id FROM {schema}.people_all; "); err != nil || len(ids) != 1 {
		t.Errorf("a query that reads gave %v, %v", ids, err)
	}
}

func TestQueryGivesNamesThenRows(t *testing.T) {
	t.Parallel()
	w := publishedWarehouse(t)
	var got [][]any
	query := "SELECT id, region FROM people WHERE id = "
	visit := func(columns []string, row []any) error {
		line := []any{columns[0], columns[1]}
		got = append(got, append(line, row...))
		return nil
	}
	for _, id := range []string{"'1'", "'none'"} {
		must(t, read.Query(t.Context(), w.dir.Link(), query+id, visit))
	}
	want := [][]any{{"id", "region"}, {"id", "region", "1", "eu"}, {"id", "region"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("visits (-want +got):\n%s", diff)
	}
	stop := errors.New("enough")
	if err := read.Query(t.Context(), w.dir.Current(), query+"'1'", func([]string, []any) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("error %v, want that of visit", err)
	}
}

func TestQueryBeforeTheFirstPublish(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t, load.Options{})
	if err := read.Query(t.Context(), w.dir.Current(), "SELECT 1", nil); !errors.Is(err, failure.ErrNothingPublished) {
		t.Errorf("error %v, want ErrNothingPublished", err)
	}
}
