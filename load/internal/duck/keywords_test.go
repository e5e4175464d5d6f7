package duck_test

import (
	"database/sql"
	"strings"
	"testing"

	"aqueduck/internal/goldentest"
	"aqueduck/load/internal/duck"
)

// TestKeywordsAreThoseOfDuckDB: it says of each whether a query has to quote it as the name of a schema. The configuration's tests,
// which link no database, hold the names of workspaces against it.
func TestKeywordsAreThoseOfDuckDB(t *testing.T) {
	t.Parallel()
	db, err := duck.Open(t.Context(), duck.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var list strings.Builder
	const words = `SELECT word, json_serialize_sql('FROM ' || word || '.things') ->> 'error' FROM
		(SELECT keyword_name AS word FROM duckdb_keywords() UNION SELECT 'main') ORDER BY 1`
	err = db.Each(t.Context(), words, nil, func(rows *sql.Rows) error {
		var word, quoted string
		if err := rows.Scan(&word, &quoted); err != nil {
			return err
		}
		list.WriteString(word + " " + map[string]string{"true": "quoted", "false": "plain"}[quoted] + "\n")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	goldentest.Compare(t, "testdata/keywords.txt", list.String())
}
