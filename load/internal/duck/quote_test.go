package duck_test

import (
	"database/sql"
	"strings"
	"testing"
	"unicode/utf8"

	"aqueduck/load/internal/duck"
)

// FuzzQuote has DuckDB read a quoted name and a quoted text: each is one identifier, or one text, and nothing else.
// Holds: S23.
func FuzzQuote(f *testing.F) {
	for _, s := range []string{
		"id", "Plan", "PLAN ", `"`, `""`, `"; DROP TABLE t; --`, `x" FROM (SELECT 1) t; DELETE FROM t; --`, "'", "''", `'; DROP TABLE t; --`, `\`, `\'`, `\"`,
		"select", "a.b", "$1", "?", "--", "/*", "é", "👩‍💻", "\u202e", " ", "\t\n\r", "\x01", "{schema}", "%s", "__proto__", "a\x00b", strings.Repeat("n", 10_000), strings.Repeat(`"`, 999),
	} {
		f.Add(s)
	}
	db, err := duck.Open(f.Context(), duck.Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() {
		if err := db.Close(); err != nil {
			f.Error(err)
		}
	})
	if _, err := db.Exec(f.Context(), "CREATE TABLE t AS SELECT 1 AS i"); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if s == "" || !utf8.ValidString(s) {
			t.Skip("names come out of JSON and CSV mended, and none is empty")
		}
		rows := 0
		err := db.Each(t.Context(), "SELECT i AS "+duck.Name(s)+", "+duck.Text(s)+" AS v FROM t AS "+duck.Name(s), nil, func(got *sql.Rows) error {
			columns, err := got.Columns()
			if err != nil {
				return err
			}
			var i int
			var text string
			if err := got.Scan(&i, &text); err != nil {
				return err
			}
			rows++
			if len(columns) != 2 || columns[0] != s || text != s {
				t.Errorf("%q was read as the name %q and the text %q", s, columns, text)
			}
			return nil
		})
		if refused := err != nil && strings.Contains(s, "\x00"); refused {
			return // it does not become another name
		}
		if err != nil || rows != 1 {
			t.Errorf("%q: %d rows, %v", s, rows, err)
		}
	})
}
