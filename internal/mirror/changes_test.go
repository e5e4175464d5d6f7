//go:build mirror

package mirror

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/lane"
	"aqueduck/load/layout"
)

// changes are the rows of the table of changes of the newest file, as relation:kind:key, read by DuckDB's own reader of Parquet.
func (y *yard) changes() (rows []string) {
	y.t.Helper()
	db, err := sql.Open("duckdb", "")
	must(y.t, err)
	defer db.Close()
	_, query := y.tableSQL(changesName)
	found, err := db.Query("SELECT relation || ':' || kind || coalesce(':' || key, '') FROM (" + query + ") WHERE file = (SELECT max(file) FROM (" + query + ")) ORDER BY ALL")
	must(y.t, err)
	defer found.Close()
	for found.Next() {
		var row string
		must(y.t, found.Scan(&row))
		rows = append(rows, row)
	}
	must(y.t, found.Err())
	return rows
}

// TestChangesNameEachChangedKey: keys of one column and of two, tables without a key, new, rewritten and dropped ones.
func TestChangesNameEachChangedKey(t *testing.T) {
	y := newYard(t)
	y.options.Schemas[0].Keys = map[string][]string{"contacts": {"id"}, "pairs": {"id", "n"}, "nothing": {"since"}, "tags": {"no such column"}}
	y.publish(first + "; CREATE TABLE pairs AS SELECT 'p' || i AS id, i::BIGINT AS n, 0 AS v FROM range(3) r(i)")
	for _, night := range []struct {
		statements string
		want       []string
	}{
		{"SELECT 1", []string{"contact_counts:rewrite", "contacts:rewrite", "nothing:rewrite", "pairs:rewrite", "tags:rewrite"}},
		{"UPDATE contacts SET name = 'renamed' WHERE age IN (3, 4); DELETE FROM contacts WHERE age = 9; INSERT INTO contacts (id) VALUES ('c9000'); UPDATE pairs SET v = 1 WHERE n = 2; DELETE FROM pairs WHERE n = 1",
			[]string{"contact_counts:rewrite", "contacts:delete:c9", "contacts:insert:c9000", "contacts:update:c3", "contacts:update:c4", `pairs:delete:["p1","1"]`, `pairs:update:["p2","2"]`}},
		{"INSERT INTO tags (id) VALUES ('z'); INSERT INTO contacts (id) VALUES ('c3')", []string{"contact_counts:rewrite", "contacts:insert:c3", "tags:rewrite"}},
		{"DELETE FROM contacts WHERE id = 'c3' AND name IS NOT NULL", []string{"contact_counts:rewrite", "contacts:update:c3"}}, // the other one is there
		{"INSERT INTO nothing VALUES ('a', '2026-01-02 03:04:05Z'), ('b', NULL)", []string{"nothing:rewrite"}},
		{"INSERT INTO nothing VALUES ('c', '2026-05-02 03:04:05Z')", []string{"nothing:insert:2026-05-02 03:04:05+00"}},
		{"INSERT INTO nothing VALUES ('d', NULL)", []string{"nothing:rewrite"}},
		{"ALTER TABLE pairs ADD COLUMN w VARCHAR", []string{"pairs:rewrite"}},
		{"DROP TABLE pairs", []string{"pairs:drop"}},
		{"UPDATE contacts SET score = coalesce(score, 0) + 1", []string{"contacts:rewrite"}},
	} {
		y.publish(night.statements)
		y.mirror()
		if got := y.changes(); !slices.Equal(got, night.want) {
			t.Errorf("after %s:\n%q instead of\n%q", night.statements, got, night.want)
		}
		before := y.requests.Load()
		if y.mirror(); y.requests.Load() != before {
			t.Errorf("after %s: a second mirror wrote something", night.statements)
		}
	}
}

// TestAnErasureLeavesNoChangedKey: a key may be data of a person.
// Holds: P8.
func TestAnErasureLeavesNoChangedKey(t *testing.T) {
	y := newYard(t)
	y.options.Schemas[0].Keys = map[string][]string{"mails": {"mail"}}
	y.publish(first + "; CREATE TABLE mails (mail VARCHAR)")
	y.mirror()
	for _, mail := range []string{"other", "zyx@erasable", "more"} {
		y.publish("INSERT INTO mails VALUES ('" + mail + "')")
		y.mirror()
	}
	must(t, layout.ReplaceFile(y.dir, y.dir.Erasures(), []byte("{\"salt\":\"00\"}\n{\"person\":\"1\"}\n")))
	y.publish("DELETE FROM mails WHERE mail = 'zyx@erasable'")
	if y.find([]string{"zyx@erasable"}) < 2 {
		t.Fatal("the test finds nothing in the table of changes: it proves nothing")
	}
	y.mirror()
	if found := y.find([]string{"zyx@erasable"}); found != 0 {
		t.Errorf("%d objects have the key", found)
	}
	if want := []string{"contact_counts:rewrite", "contacts:rewrite", "mails:rewrite", "nothing:rewrite", "tags:rewrite"}; !slices.Equal(y.changes(), want) {
		t.Errorf("%q instead of %q", y.changes(), want)
	}
}

// TestOldChangesLeave: of sixty nights, those of the last thirty days stay, in a few files. All are appended: no snapshot but those of merges replaces a file.
func TestOldChangesLeave(t *testing.T) {
	lane.SkipHeavy(t)
	y := newYard(t)
	y.options.Schemas[0].Keys = map[string][]string{"tags": {"id"}}
	day := time.Now().Add(-100 * 24 * time.Hour)
	y.options.Now = func() time.Time { return day }
	y.publish("CREATE SCHEMA _sync; CREATE TABLE _sync.workspaces AS SELECT 'main' AS schema, 'ws1' AS id; CREATE TABLE tags AS SELECT 'first' AS id")
	y.mirror()
	most := 0
	for n := range 60 {
		day = day.Add(24 * time.Hour)
		y.publish(fmt.Sprintf("INSERT INTO tags VALUES ('t%d')", n))
		y.mirror()
		_, c, of := y.library(changesName)
		held, err := (&mirror{objects: must1(openObjects(t.Context(), y.options))}).readFiles(of)
		must(t, err)
		most = max(most, len(held.data))
		must(t, c.close())
	}
	db, err := sql.Open("duckdb", "")
	must(t, err)
	defer db.Close()
	_, query := y.tableSQL(changesName)
	var rows, newest int
	var oldest time.Time
	must(t, db.QueryRow("SELECT count(*), min(recorded_at), count(DISTINCT key) FILTER (recorded_at >= $1) FROM ("+query+")", day.Add(-keepChanges)).Scan(&rows, &oldest, &newest))
	if newest != 31 || rows > 50 || day.Sub(oldest) > 50*24*time.Hour || most >= 49 {
		t.Errorf("%d rows in at most %d files, of 31 days %d, the oldest of %s, now %s", rows, most, newest, oldest, day)
	}
}

// follower is a reader that has a copy of contacts, and of each file reads the keys that have changed alone.
type follower struct {
	y    *yard
	db   *sql.DB
	read map[string]bool // what mirrors of the table of changes it has read
}

func newFollower(y *yard) *follower {
	db, err := sql.Open("duckdb", "")
	must(y.t, err)
	y.t.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(1)
	_, err = db.Exec("CREATE TABLE contacts (id VARCHAR, text VARCHAR)")
	must(y.t, err)
	return &follower{y, db, map[string]bool{}}
}

// follow reads what is new, and fails when the copy is not equal to the table then.
func (f *follower) follow(when string) {
	t := f.y.t
	t.Helper()
	_, changes := f.y.tableSQL(changesName)
	_, contacts := f.y.tableSQL("contacts")
	now := "(SELECT id, c::VARCHAR AS text FROM (" + contacts + ") c)"
	found, err := f.db.Query("SELECT DISTINCT file || recorded_at::VARCHAR FROM (" + changes + ") ORDER BY ALL")
	must(t, err)
	var fresh []string
	for found.Next() {
		var of string
		must(t, found.Scan(&of))
		if !f.read[of] {
			fresh, f.read[of] = append(fresh, "'"+of+"'"), true
		}
	}
	must(t, found.Err())
	if len(fresh) > 0 {
		changed := "(SELECT * FROM (" + changes + ") WHERE relation = 'contacts' AND file || recorded_at::VARCHAR IN (" + strings.Join(fresh, ", ") + "))"
		for _, statement := range []string{
			"CREATE OR REPLACE TABLE changed AS FROM " + changed,
			"DELETE FROM contacts WHERE id IN (SELECT key FROM changed) OR EXISTS (FROM changed WHERE key IS NULL)",
			"INSERT INTO contacts SELECT * FROM " + now + " WHERE id IN (SELECT key FROM changed) OR EXISTS (FROM changed WHERE key IS NULL)",
		} {
			_, err := f.db.Exec(statement)
			must(t, err)
		}
	}
	var differ int
	must(t, f.db.QueryRow("SELECT count(*) FROM ((FROM contacts EXCEPT ALL FROM "+now+") UNION ALL (FROM "+now+" EXCEPT ALL FROM contacts))").Scan(&differ))
	if differ > 0 {
		t.Fatalf("%s: a reader of the table of changes has %d wrong rows of contacts", when, differ)
	}
}
