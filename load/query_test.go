package load_test

import (
	"errors"
	"testing"

	"aqueduck/load"

	"github.com/google/go-cmp/cmp"
)

// TestS24QueryReachesNothingButTheFile tries what a statement could try.
func TestS24QueryReachesNothingButTheFile(t *testing.T) {
	t.Parallel()
	w := published(t)
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
		"",
	} {
		err := load.Query(t.Context(), w.dir.Current(), statement, func([]string, []any) error { return nil })
		if err == nil {
			t.Errorf("%q was allowed", statement)
		}
	}
	for _, statement := range []string{"FROM people", "DESCRIBE people", "SUMMARIZE people", "EXPLAIN FROM people", "SHOW TABLES", "WITH x AS (FROM people) FROM x", "VALUES (1)"} {
		if err := load.Query(t.Context(), w.dir.Current(), statement, func([]string, []any) error { return nil }); err != nil {
			t.Errorf("%q: %v", statement, err)
		}
	}
}

func TestQueryGivesNamesThenRows(t *testing.T) {
	t.Parallel()
	w := published(t)
	var got [][]any
	query := "SELECT id, region FROM people WHERE id = "
	visit := func(columns []string, row []any) error {
		line := []any{columns[0], columns[1]}
		got = append(got, append(line, row...))
		return nil
	}
	for _, id := range []string{"'1'", "'none'"} {
		must(t, load.Query(t.Context(), w.dir.Link(), query+id, visit))
	}
	want := [][]any{{"id", "region"}, {"id", "region", "1", "eu"}, {"id", "region"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("visits (-want +got):\n%s", diff)
	}
	stop := errors.New("enough")
	if err := load.Query(t.Context(), w.dir.Current(), query+"'1'", func([]string, []any) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("error %v, want that of visit", err)
	}
}

func TestQueryBeforeTheFirstPublish(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t, load.Options{})
	if err := load.Query(t.Context(), w.dir.Current(), "SELECT 1", nil); !errors.Is(err, load.ErrNothingPublished) {
		t.Errorf("error %v, want ErrNothingPublished", err)
	}
}
