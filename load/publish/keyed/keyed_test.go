package keyed_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/load/internal/duck"
	"aqueduck/load/publish/keyed"
)

// TestModelsThatWereMadeAtOtherTimesAreMadeFromTheirOwnChanges makes two tables in one publish. The second was left out of the last one, so more has changed
// for it. It reads the first.
func TestModelsThatWereMadeAtOtherTimesAreMadeFromTheirOwnChanges(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db, err := duck.Open(ctx, duck.Options{Path: filepath.Join(t.TempDir(), "w.duckdb")})
	failOn(t, err)
	t.Cleanup(func() { failOn(t, db.Close()) })
	execute := func(statement string) {
		t.Helper()
		_, err := db.Exec(ctx, statement)
		failOn(t, err)
	}
	execute("CREATE SCHEMA models; CREATE TABLE people AS SELECT i::VARCHAR AS id, 'a' AS name, 'a long text' AS body, TIMESTAMPTZ '2026-01-01 00:00:00+00' AS _synced_at FROM range(9) r(i)")
	source := []keyed.KeyColumn{{Table: "people", Column: "id"}}
	first := keyed.Model{Name: "uppers", Table: true, SQL: "SELECT id, upper(name) AS upper FROM {schema}.people", Key: "id", ChangedBy: source}
	second := keyed.Model{Name: "second", Table: true, SQL: "SELECT people.id, name, upper FROM {schema}.people JOIN {models}.uppers u ON u.id = people.id", Reads: []string{"uppers"}, Key: "id", ChangedBy: source}
	changed := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	states := map[string]string{}
	publish := func(made ...keyed.Model) {
		t.Helper()
		k := keyed.Maker{DB: db, Schema: "main", Models: "models", All: []keyed.Model{first, second}, Stored: map[string]keyed.Stored{"people": {Rows: 9, ChangedAt: changed}},
			Substitute: func(query string) string {
				return strings.NewReplacer("{schema}", "main", "{models}", "models").Replace(query)
			}}
		for _, m := range made {
			old := ""
			if states[m.Name] != "" {
				old = "table"
			}
			states[m.Name], err = k.Make(ctx, m, old, states[m.Name])
			failOn(t, err)
		}
		failOn(t, k.Close(ctx))
	}
	change := func(id string) {
		t.Helper()
		changed = changed.Add(time.Hour)
		execute("UPDATE people SET name = 'b' || id, _synced_at = TIMESTAMPTZ " + duck.Text(changed.Format(time.RFC3339)) + " WHERE id = " + duck.Text(id))
	}
	publish(first, second)
	change("1")
	publish(first)
	change("2")
	publish(first, second)

	wrong, err := db.ScanTexts(ctx, "SELECT coalesce(p.id, s.id) FROM models.second s FULL JOIN people p ON p.id = s.id WHERE s.name IS DISTINCT FROM p.name OR s.upper IS DISTINCT FROM upper(p.name)")
	failOn(t, err)
	left, err := db.ScanTexts(ctx, "SELECT table_name FROM duckdb_tables() WHERE temporary UNION ALL SELECT view_name FROM duckdb_views() WHERE temporary AND NOT internal")
	failOn(t, err)
	if slices.Sort(wrong); len(wrong) > 0 || len(left) > 0 {
		t.Errorf("wrong rows of %v; left are %v", wrong, left)
	}
}

// TestAModelOfManyKeysIsMadeInLittleMemory: the keys of all chunks together would not fit.
func TestAModelOfManyKeysIsMadeInLittleMemory(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db, err := duck.Open(ctx, duck.Options{Path: filepath.Join(t.TempDir(), "w.duckdb"), Memory: 40_000_000})
	failOn(t, err)
	t.Cleanup(func() { failOn(t, db.Close()) })
	const people = 600_000
	_, err = db.Exec(ctx, fmt.Sprintf("CREATE SCHEMA models; CREATE TABLE people AS SELECT 'the id of somebody ' || i AS id FROM range(%d) r(i); CHECKPOINT", people))
	failOn(t, err)
	m := keyed.Model{Name: "ids", Table: true, SQL: "SELECT id FROM {schema}.people", Key: "id", ChangedBy: []keyed.KeyColumn{{Table: "people", Column: "id"}}}
	k := keyed.Maker{DB: db, Schema: "main", Models: "models", All: []keyed.Model{m}, Stored: map[string]keyed.Stored{"people": {Rows: people}}, ChunkRows: people / 20,
		Substitute: func(query string) string {
			return strings.NewReplacer("{schema}", "main", "{models}", "models").Replace(query)
		}}
	_, err = k.Make(ctx, m, "", "")
	failOn(t, err)
	failOn(t, k.Close(ctx))
	var made, distinct int64
	failOn(t, db.Scan(ctx, "SELECT count(*), count(DISTINCT hash(id)) FROM models.ids", nil, &made, &distinct))
	if made != people || distinct != people {
		t.Errorf("%d rows of %d people", made, distinct)
	}
}

func failOn(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
