package duck_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"aqueduck/load/internal/duck"
)

func openMemory(t *testing.T) *duck.DB {
	t.Helper()
	db, err := duck.Open(t.Context(), duck.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := db.Exec(t.Context(), "CREATE TABLE people AS SELECT 1 AS id, 'a' AS name, [1, 2] AS list"); err != nil {
		t.Fatal(err)
	}
	return db
}

// TestS49StatementsAreCheckedByTheirCalls hides calls everywhere that SQL allows one. None is bound: a setting that one
// of them changes while it is bound keeps its value.
func TestS49StatementsAreCheckedByTheirCalls(t *testing.T) {
	t.Parallel()
	db := openMemory(t)
	for _, tc := range []struct{ name, sql, called string }{
		{"behind FROM", "FROM enable_logging()", "enable_logging"},
		{"in another case", "SELECT * FROM Enable_Logging(level := 'trace')", "enable_logging"},
		{"in quotes", `SELECT * FROM "ENABLE_LOGGING"()`, "enable_logging"},
		{"with its schema", `FROM system."main".enable_logging()`, "enable_logging"},
		{"to a file", "FROM enable_profiling(save_location := '/tmp/x')", "enable_profiling"},
		{"in a subquery", "SELECT (SELECT count(*) FROM checkpoint('memory'))", "checkpoint"},
		{"in IN", "FROM people WHERE id IN (SELECT 1 FROM force_checkpoint())", "force_checkpoint"},
		{"in EXISTS", "FROM people WHERE EXISTS (FROM truncate_duckdb_logs())", "truncate_duckdb_logs"},
		{"in a CTE", "WITH a AS MATERIALIZED (FROM disable_logging()) SELECT 1", "disable_logging"},
		{"in a recursive CTE", "WITH RECURSIVE a(n) AS (SELECT 1 UNION ALL SELECT sleep_ms(n) FROM a) FROM a", "sleep_ms"},
		{"in a join", "FROM people LEFT JOIN LATERAL (FROM glob(people.name)) ON true", "glob"},
		{"in a condition of a join", "FROM people a JOIN people b ON write_log(a.name) IS NULL", "write_log"},
		{"in VALUES", "VALUES (1), (nextval('s'))", "nextval"},
		{"in a set operation", "SELECT 1 UNION ALL BY NAME SELECT write_log('x')", "write_log"},
		{"in LIMIT", "FROM people LIMIT sleep_ms(1)", "sleep_ms"},
		{"in OFFSET", "FROM people OFFSET sleep_ms(1)", "sleep_ms"},
		{"in ORDER BY", "FROM people ORDER BY write_log(name)", "write_log"},
		{"in GROUP BY", "SELECT 1 FROM people GROUP BY GROUPING SETS ((id), (write_log(name)))", "write_log"},
		{"in HAVING", "SELECT id FROM people GROUP BY ALL HAVING write_log(id::VARCHAR) IS NULL", "write_log"},
		{"in QUALIFY", "FROM people QUALIFY row_number() OVER (ORDER BY write_log(name)) = 1", "write_log"},
		{"in a window", "SELECT sum(id) OVER w FROM people WINDOW w AS (ORDER BY id ROWS BETWEEN nextval('s') PRECEDING AND CURRENT ROW)", "nextval"},
		{"in FILTER", "SELECT count(*) FILTER (write_log(name) IS NULL) FROM people", "write_log"},
		{"in DISTINCT ON", "SELECT DISTINCT ON (write_log(name)) id FROM people", "write_log"},
		{"in a lambda", "SELECT list_transform(list, lambda x: write_log(x::VARCHAR)) FROM people", "write_log"},
		{"in an old lambda", "SELECT list_filter(list, x -> write_log(x::VARCHAR) IS NULL) FROM people", "write_log"},
		{"in a comprehension", "SELECT [x FOR x IN list IF write_log(x::VARCHAR) IS NULL] FROM people", "write_log"},
		{"in COLUMNS", "SELECT COLUMNS(c -> write_log(c) IS NULL) FROM people", "write_log"},
		{"in REPLACE", "SELECT * REPLACE (write_log(name) AS name) FROM people", "write_log"},
		{"as a method", "SELECT name.write_log() FROM people", "write_log"},
		{"as a method of a method", "SELECT (name.upper()).write_log() FROM people", "write_log"},
		{"in a struct", "SELECT {'a': {'b': [write_log('x')]}}", "write_log"},
		{"in CASE", "SELECT CASE WHEN true THEN 1 ELSE sleep_ms(1) END", "sleep_ms"},
		{"under a cast", "SELECT TRY_CAST(write_log('x') AS INTEGER)", "write_log"},
		{"in TRY", "SELECT TRY(write_log('x'))", "write_log"},
		{"as an argument of a table function", "FROM range(nextval('s'))", "nextval"},
		{"as a named argument", "FROM range(1) SELECT struct_pack(a := write_log('x'))", "write_log"},
		{"in PIVOT", "FROM people PIVOT (sum(write_log(name)) FOR id IN (1))", "write_log"},
		{"in a description", "DESCRIBE FROM enable_logging()", "enable_logging"},
		{"in a summary", "SUMMARIZE FROM enable_logging()", "enable_logging"},
		{"in a description in FROM", "FROM (DESCRIBE FROM enable_logging())", "enable_logging"},
		{"explained", "EXPLAIN FROM enable_logging()", "enable_logging"},
		{"explained and run", "/* a /* b */ */ explain -- c\n ANALYZE FROM enable_logging()", "enable_logging"},
		{"explained with options", "EXPLAIN (ANALYZE, FORMAT json) FROM enable_logging()", "enable_logging"},
		{"behind an odd option", "EXPLAIN (analyze) (FROM enable_logging())", "enable_logging"},
		{"SQL as a value", "FROM query('FROM enable_logging()')", "query"},
		{"a relation as a value", "FROM query_table('duckdb_logs')", "query_table"},
		{"a plan as a value", "SELECT json_serialize_plan('FROM enable_logging()')", "json_serialize_plan"},
		{"a tree as a value", "FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))", "json_execute_serialized_sql"},
		{"a macro with a relation as a value", "FROM histogram('duckdb_logs', level)", "histogram"},
		{"an aggregate as a value", "SELECT list_aggr([1], 'sum_no_overflow')", "sum_no_overflow"},
		{"an aggregate as a value of a method", "SELECT list.list_aggregate('sum_no_overflow') FROM people", "sum_no_overflow"},
		{"an aggregate that is worked out", "SELECT list_aggr([1], 'sum' || '_no_overflow')", "list_aggr"},
		{"a file", "FROM read_csv('/etc/passwd')", "read_csv"},
		{"a new way to files", "FROM read_anything_new('/etc/passwd')", "read_anything_new"},
		{"a view of DuckDB", "FROM duckdb_logs", "duckdb_logs"},
		{"a view of DuckDB with its schema", `SELECT 1 WHERE 1 IN (SELECT 1 FROM system.main."DuckDB_Logs")`, "DuckDB_Logs"},
		{"an address", "FROM arrow_scan(1::POINTER, 1::POINTER, 1::POINTER)", "arrow_scan"},
		{"insides", "SELECT __internal_decompress_string(1::UTINYINT)", "__internal_decompress_string"},
		{"another parser", "FROM enable_peg_parser()", "enable_peg_parser"},
		{"secrets", "FROM which_secret('s3://x', 's3')", "which_secret"},
	} {
		reads, err := db.Reads(tc.sql)
		var refused *duck.Refused
		if reads || !errors.As(err, &refused) || refused.Name != tc.called {
			t.Errorf("%s: %s: %t, %v; want a refusal of %s", tc.name, tc.sql, reads, err, tc.called)
		}
	}
	var on string
	if err := db.Scan(t.Context(), "SELECT value FROM duckdb_settings() WHERE name = 'enable_logging'", nil, &on); err != nil || on != "0" && on != "false" {
		t.Errorf("logging is %s, %v", on, err)
	}
}

func TestS49OnlyOneStatementThatReadsIsTaken(t *testing.T) {
	t.Parallel()
	db := openMemory(t)
	for _, sql := range []string{
		"CALL enable_logging()", "PRAGMA enable_profiling", "PRAGMA version", "SET threads = 2", "RESET threads", "ATTACH 'x'", "DETACH x", "USE main",
		"COPY people TO 'x'", "EXPORT DATABASE 'x'", "IMPORT DATABASE 'x'", "INSTALL x", "LOAD x", "CHECKPOINT", "VACUUM", "ANALYZE people", "BEGIN", "COMMIT",
		"CREATE MACRO m() AS 1", "CREATE TABLE t (i INT)", "DROP TABLE people", "INSERT INTO people VALUES (1)", "UPDATE people SET id = 2", "DELETE FROM people",
		"MERGE INTO people USING people p ON true WHEN MATCHED THEN DELETE", "ALTER TABLE people ADD COLUMN x INT", "PREPARE p AS SELECT 1", "EXECUTE p",
		"EXPLAIN DELETE FROM people", "EXPLAIN (FORMAT json) CALL enable_logging()", "EXPLAIN ANALYZE COPY people TO 'x'", "EXPLAIN EXPLAIN SELECT 1",
		"SELECT 1; SELECT 2", "SELECT 1; CALL enable_logging()", "FROM people PIVOT (sum(id) FOR name IN (SELECT 'a'))", "PIVOT people ON name", "", " -- nothing", "SELECT 1\x00; DELETE FROM people",
		"CREATE SECRET s (TYPE http)", "COMMENT ON TABLE people IS 'x'", "SET VARIABLE x = 1", "UPDATE EXTENSIONS", "KILL 1",
	} {
		if reads, err := db.Reads(sql); reads {
			t.Errorf("%q was taken (%v)", sql, err)
		}
	}
	for _, sql := range []string{
		"SELECT 1;", "FROM people", "TABLE people", "VALUES (1)", "WITH a AS (FROM people) FROM a", "DESCRIBE people", "SUMMARIZE people", "SHOW TABLES", "SHOW ALL TABLES",
		"EXPLAIN FROM people", "EXPLAIN ANALYZE FROM people", "EXPLAIN (FORMAT json) FROM people", "EXPLAIN (SELECT 1)", "explain/**/SELECT 1", "FROM people PIVOT (sum(id) FOR name IN ('a'))",
		"FROM people UNPIVOT (n FOR c IN (id))", "SELECT list_aggr(list, 'sum'), list.list_aggr('max'), list_sum(list), name.upper() FROM people",
		"SELECT list_transform(list, lambda x: x + 1), [x FOR x IN list IF x > 1], name COLLATE de, name LIKE 'a%', name ~ 'a', CURRENT_DATE, now() AT TIME ZONE 'UTC' FROM people",
		"FROM duckdb_tables() UNION ALL FROM duckdb_tables()", "FROM information_schema.tables", "FROM pragma_table_info('people')", "SELECT * FROM unnest([1])", "FROM range(3)",
		`SELECT '{"a": 1}'::JSON ->> 'a', {'a': 1}.a, MAP {'a': 1}['a'], quantile_cont(id, 0.5) OVER (ORDER BY id), count() FROM people GROUP BY id, name`,
		"SELECT row_number() OVER (), lag(id) OVER (ORDER BY id) FROM people QUALIFY row_number() OVER () = 1", "FROM people ASOF JOIN people b ON people.id >= b.id", "FROM people TABLESAMPLE 1 ROWS",
	} {
		if reads, err := db.Reads(sql); !reads || err != nil {
			t.Errorf("%q was not taken: %v", sql, err)
		}
	}
}

// TestS49ARefusalNamesTheLine counts lines of the text as it stands, whatever stands before the call.
func TestS49ARefusalNamesTheLine(t *testing.T) {
	t.Parallel()
	db := openMemory(t)
	_, err := db.Reads("EXPLAIN\n-- ä\nSELECT 1,\n  sleep_ms(5)")
	if want := "it calls sleep_ms() in line 4, which is not allowed here: that waits, and holds up whoever waits for the answer"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	_, err = db.Reads("SELECT 1,\n  äö ! FROM\n x y z")
	if err == nil || !strings.Contains(err.Error(), "Parser Error: syntax error") || !strings.HasSuffix(err.Error(), "\n\nLINE 3:  x y z\n             ^") {
		t.Errorf("error %v", err)
	}
	_, err = db.Reads("SELECT " + strings.Repeat("(", 100_000) + "1")
	if err == nil || len(err.Error()) > 300 {
		t.Errorf("error %.500v", err)
	}
	_, err = db.Reads("SELECT uper(name) FROM people")
	if err == nil || !strings.Contains(err.Error(), "Did you mean \"upper\"") {
		t.Errorf("error %v", err)
	}
}

// TestS49TheProgramsOwnSQLCallsAllowedFunctionsOnly judges the SQL of its streams, models and saved queries as a user's.
func TestS49TheProgramsOwnSQLCallsAllowedFunctionsOnly(t *testing.T) {
	t.Parallel()
	db := openMemory(t)
	n := 0
	for _, dir := range []string{"schemas", "transform/models", "docs/queries"} {
		files, err := filepath.Glob(filepath.Join("../../..", dir, "*.sql"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s has no SQL: %v", dir, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			filled := strings.NewReplacer("{schema}", "s", "{raw}", "r", "{models}", "m", "{timezone}", "'UTC'", "{office_timezone}", "'UTC'", "{office_hours}", "(VALUES (1))", "{office_holidays}", "(VALUES (1))").Replace(string(text))
			for _, statement := range regexp.MustCompile(`(?m);\s*$|^-- relation:.*$`).Split(filled, -1) {
				var refused *duck.Refused
				if _, err := db.Reads(statement); errors.As(err, &refused) {
					t.Errorf("%s: %v", file, err)
				} else if err != nil && strings.Contains(err.Error(), "Parser Error") {
					t.Errorf("%s is not judged: %v", file, err)
				}
				n++
			}
		}
	}
	if n < 50 {
		t.Errorf("%d statements were judged", n)
	}
}
