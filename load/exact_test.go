package load_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"aqueduck/load/read"
)

// queryOddFile gives the rows of a statement on a file with a table of odd values, each value with its Go type.
func queryOddFile(t *testing.T, statement string) (names []string, rows [][]string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "odd.duckdb")
	db, err := sql.Open("duckdb", file)
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Exec(`CREATE TABLE odd AS SELECT i, format('{{"n": {}}}', 9007199254740993 + i)::JSON AS j FROM range(1000) r(i)`)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	err = read.Query(t.Context(), file, statement, func(columns []string, row []any) error {
		if row == nil {
			names = append(names, columns...)
			return nil
		}
		texts := make([]string, len(row))
		for i, v := range row {
			texts[i] = fmt.Sprintf("%T %v", v, v)
			if raw, ok := v.(json.RawMessage); ok {
				texts[i] = "JSON " + string(raw)
			}
		}
		rows = append(rows, texts)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names, rows
}

func TestQueryGivesValuesExact(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, sql, want string }{
		{"JSON", `SELECT j FROM odd LIMIT 1`, `JSON {"n": 9007199254740993}`},
		{"JSON before a comment", "SELECT j FROM odd LIMIT 1; -- why not", `JSON {"n": 9007199254740993}`},
		{"no JSON", `SELECT NULL::JSON`, `<nil> <nil>`},
		{"JSON null", `SELECT 'null'::JSON`, `JSON null`},
		{"JSON inside", `SELECT {'b': [j], 'a': 1} FROM odd LIMIT 1`, `JSON {"b":[{"n":9007199254740993}],"a":1}`},
		{"JSON beside what it has no word for", `SELECT {'a': 'NaN'::DOUBLE, 'j': '1'::JSON}`, `string {"a":NaN,"j":1}`},
		{"list", `SELECT [DATE '2024-02-29', NULL]`, `JSON ["2024-02-29",null]`},
		{"struct", `SELECT {'b': 9007199254740993, 'a': 'x'}`, `JSON {"b":9007199254740993,"a":"x"}`},
		{"map", `SELECT MAP {'b': 1::HUGEINT}`, `JSON {"b":1}`},
		{"list of decimals", `SELECT [12345678901234567890.10::DECIMAL(30,2)]`, `[]interface {} [12345678901234567890.1]`},
		{"a word like it", `SELECT 'a'::ENUM('a', 'JSON')`, `string a`},
		{"integer", `SELECT 9007199254740993`, `int64 9007199254740993`},
		{"huge integer", `SELECT 170141183460469231731687303715884105727::HUGEINT`, `*big.Int 170141183460469231731687303715884105727`},
		{"decimal", `SELECT 12345678901234567890.10::DECIMAL(30,2)`, `json.Number 12345678901234567890.10`},
		{"date", `SELECT DATE '2024-02-29'`, `string 2024-02-29`},
		{"time", `SELECT TIME '10:00:01.5'`, `string 10:00:01.5`},
		{"interval", `SELECT INTERVAL '1 day 2 hours'`, `string 1 day 02:00:00`},
		{"UUID", `SELECT '00000000-0000-4000-8000-000000000001'::UUID`, `string 00000000-0000-4000-8000-000000000001`},
		{"blob", `SELECT '\xFFa'::BLOB`, `string \xFFa`},
		{"instant", `SELECT TIMESTAMPTZ '2024-02-29 10:00:00Z'`, `time.Time 2024-02-29 10:00:00 +0000 UTC`},
		{"time without a zone", `SELECT TIMESTAMP '2024-02-29 10:00:00.5'`, `string 2024-02-29T10:00:00.5`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, rows := queryOddFile(t, tc.sql)
			if diff := cmp.Diff([][]string{{tc.want}}, rows); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestQueryKeepsNamesAndOrderOfExactColumns(t *testing.T) {
	t.Parallel()
	names, rows := queryOddFile(t, `SELECT 100 * i + k AS "a", j AS "a", i AS "B c" FROM odd, range(100) r(k) ORDER BY 1 DESC`)
	if diff := cmp.Diff([]string{"a", "a", "B c"}, names); diff != "" {
		t.Error(diff)
	}
	for n, row := range rows {
		if want := fmt.Sprintf("int64 %d", 99_999-n); row[0] != want {
			t.Fatalf("row %d begins with %s, want %s", n, row[0], want)
		}
	}
	if len(rows) != 100_000 {
		t.Errorf("got %d rows", len(rows))
	}
}

func TestQueryRunsStatementsThatCannotBeDescribed(t *testing.T) {
	t.Parallel()
	for _, statement := range []string{"EXPLAIN SELECT j FROM odd", "DESCRIBE odd", "SUMMARIZE odd", "SHOW TABLES", "FROM odd LIMIT 1",
		"PIVOT (SELECT i % 2 AS k, '1'::JSON AS j FROM odd) ON k IN (0, 1) USING count(*) GROUP BY j"} {
		if _, rows := queryOddFile(t, statement); len(rows) == 0 {
			t.Errorf("%s: no rows", statement)
		}
	}
}

func TestAReaderGivesEveryAnswerExact(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "odd.duckdb")
	db, err := sql.Open("duckdb", file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(`CREATE TABLE answer AS SELECT DATE '2026-11-01' AS day; CREATE VIEW told AS FROM answer`); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := read.OpenReader(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, tc := range []struct{ sql, want string }{
		{`SELECT '{"n": 9007199254740993}'::JSON`, `json.RawMessage {"n": 9007199254740993}`},
		{`SELECT 0.10::DECIMAL(9,2), '{"n": 9007199254740995}'::JSON`, `json.Number 0.10 json.RawMessage {"n": 9007199254740995}`},
		{`SELECT DATE '2026-11-22'`, `string 2026-11-22`},
		{`FROM answer`, `string 2026-11-01`}, // which is a table of the file
		{`SELECT a.day, t.day FROM answer a JOIN told t USING (day)`, `string 2026-11-01 string 2026-11-01`},
		{`SELECT string_agg(table_name, ' ' ORDER BY table_name) FROM information_schema.tables`, `string answer told`},
	} {
		err := r.Query(t.Context(), tc.sql, func(_ []string, row []any) error {
			var got []string
			for _, v := range row {
				got = append(got, fmt.Sprintf("%T %s", v, v))
			}
			if row != nil && strings.Join(got, " ") != tc.want {
				t.Errorf("%s: got %s, want %s", tc.sql, got, tc.want)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
