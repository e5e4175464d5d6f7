package models_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"aqueduck/internal/emulator"
	"aqueduck/internal/readtest"

	_ "github.com/duckdb/duckdb-go/v2"
)

// config has all models as views, so that they show the rows that a test inserts, and all streams, office hours over a change of the clock, and days of another zone than the tests' sessions.
const config = `version: 1
warehouse:
  dir: data
  timezone: Europe/Dublin
  office_hours: {monday: 09:00-17:00, tuesday: 09:00-17:00, wednesday: 09:00-17:00, thursday: 09:00-17:00, friday: 09:00-17:00}
models: {materialize: []}
workspaces: {main: {base_url: "${WORKSPACE_URL}", token: "${WORKSPACE_TOKEN}"}}
streams: {"reporting_*": {start: 2023-09-01}}
pipelines: {all: {streams: "*"}}
`

// filled is a published file of a small workspace with every table and model.
var filled = readtest.SharedFile{Config: config, Space: func() *emulator.Workspace {
	return emulator.New(emulator.Config{Seed: 5, Contacts: 60, Inactive: 20, Activities: 60, Conversations: 40, Calls: 12, Logs: 20})
}}

// TestMain removes what the tests share.
func TestMain(m *testing.M) {
	code := m.Run()
	if err := filled.Remove(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// goldenWarehouse is a warehouse whose stored rows are made by hand.
type goldenWarehouse struct {
	t  *testing.T
	db *sql.DB
}

// openFilled opens a copy of the filled file.
func openFilled(t *testing.T) *goldenWarehouse {
	t.Helper()
	file, err := filled.PublishedPath()
	must(t, err)
	text, err := os.ReadFile(file)
	must(t, err)
	own := filepath.Join(t.TempDir(), "golden.duckdb")
	must(t, os.WriteFile(own, text, 0o600))
	db, err := sql.Open("duckdb", own+"?threads=1")
	must(t, err)
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { must(t, db.Close()) })
	g := &goldenWarehouse{t, db}
	g.execSQL("SET TimeZone = 'UTC'")
	return g
}

// newGolden opens a copy in which every stored table and every relation made as a table is empty, and puts rows into it.
// Columns that a row does not name are null; _synced_at, _hash and the like are, too.
func newGolden(t *testing.T, inserts ...string) *goldenWarehouse {
	t.Helper()
	g := openFilled(t)
	for _, table := range g.rowTexts("SELECT schema_name || '.' || table_name FROM duckdb_tables() WHERE schema_name IN ('main', '_raw')") {
		g.execSQL("DELETE FROM " + table)
	}
	for _, insert := range inserts {
		g.execSQL(insert)
	}
	return g
}

func (g *goldenWarehouse) execSQL(statement string) {
	g.t.Helper()
	if _, err := g.db.Exec(statement); err != nil {
		g.t.Fatalf("%v\n%s", err, statement)
	}
}

// rowTexts are the values of each row as text, with bars between them; null is empty.
func (g *goldenWarehouse) rowTexts(query string) (all []string) {
	g.t.Helper()
	rows, err := g.db.Query(query)
	if err != nil {
		g.t.Fatalf("%v\n%s", err, query)
	}
	defer func() { must(g.t, rows.Close()) }()
	names, err := rows.Columns()
	must(g.t, err)
	values := make([]any, len(names))
	into := make([]any, len(names))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		must(g.t, rows.Scan(into...))
		cells := make([]string, len(values))
		for i, v := range values {
			if v != nil {
				cells[i] = fmt.Sprint(v)
			}
		}
		all = append(all, strings.Join(cells, "|"))
	}
	must(g.t, rows.Err())
	return all
}

// expectRows fails the test where a query gives other rows, in whatever order.
func (g *goldenWarehouse) expectRows(query string, want ...string) {
	g.t.Helper()
	got := g.rowTexts(query)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		g.t.Errorf("%s\ngot\n  %s\nwant\n  %s", query, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
