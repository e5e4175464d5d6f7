package load_test

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/load"
	"aqueduck/load/committest"
	"aqueduck/load/failure"
	"aqueduck/load/layout"
	"aqueduck/load/read"
	"aqueduck/schemas"
	"aqueduck/transform"
)

// TestAnOlderWarehouseIsUpgradedWithoutLosingARow opens a published file of every format there was, as the program of its
// time wrote it, and compares what was in it.
// Holds: F26.
func TestAnOlderWarehouseIsUpgradedWithoutLosingARow(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/format*.duckdb.gz")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			old := filepath.Join(t.TempDir(), "old.duckdb")
			unzipFile(t, old, file)
			w := &testWarehouse{dir: layout.Dir(t.TempDir()), now: time.Date(2026, 12, 1, 2, 0, 0, 0, time.UTC)}
			unzipFile(t, filepath.Join(string(w.dir), "warehouse.duckdb"), file)
			w.options = load.Options{RunID: "now", Now: func() time.Time { return w.now }}
			must(t, load.Prepare(w.dir))
			w.openWork(t)
			before, after := tableSums(t, old), workTableSums(t, w)
			for table, rows := range before {
				if after[table] != rows {
					t.Errorf("%s: %s, was %s", table, after[table], rows)
				}
			}
			contacts := "main.contacts_raw" // since format 5, it is in the raw schema
			if before["_raw.contacts_raw"] != "" {
				contacts = "_raw.contacts_raw"
			}
			if len(before) < 12 || strings.HasPrefix(before[contacts], "0 rows ") || before[contacts] == "" {
				t.Errorf("the old file had %v", before)
			}
			// It then works like any other: new tables, a commit, and a restart without an upgrade.
			w.ensureStream(t, committest.Stream())
			w.commitPeople(t, 0, committest.Person{Region: "eu", ID: "1", Updated: 5})
			base, err := w.Checkpoints.Checkpoint(t.Context(), "main", "people")
			must(t, err)
			must(t, w.Checkpoints.MoveManually(t.Context(), base, load.Checkpoint{Workspace: "main", Stream: "people", Seq: base.Seq + 1, State: "{}"}, "reset", "ana@desk"))
			w.Restart(t)
			if moves := w.Rows(t, "_sync", "moves"); len(moves) != 1 || moves[0]["moved_by"] != "ana@desk" {
				t.Errorf("moves by hand: %v", moves)
			}
			if got := workTableSums(t, w); got[contacts] != before[contacts] || w.Restored != "" {
				t.Errorf("after a restart: %s, %s", got[contacts], w.Restored)
			}
			must(t, w.Close())
		})
	}
}

// TestTablesOfAnOlderWarehouseMoveToTheRawSchema opens a published file that has all tables in the workspace's schema. The
// tables that only relations read move with all rows, once, and readers find them under the old names.
// Holds: F26.
func TestTablesOfAnOlderWarehouseMoveToTheRawSchema(t *testing.T) {
	t.Parallel()
	builtin, err := schemas.Builtin()
	must(t, err)
	var tables []transform.Table
	for _, name := range []string{"contacts", "contacts_by_id", "deleted_contacts", "contact_activities"} {
		s, ok := builtin.Stream(name)
		if !ok {
			t.Fatal(name)
		}
		tables = append(tables, transform.Tables(s)...)
	}
	old := filepath.Join(t.TempDir(), "old.duckdb")
	unzipFile(t, old, "testdata/format4.duckdb.gz")
	w := &testWarehouse{dir: layout.Dir(t.TempDir()), now: time.Date(2026, 12, 1, 2, 0, 0, 0, time.UTC)}
	unzipFile(t, filepath.Join(string(w.dir), "warehouse.duckdb"), "testdata/format4.duckdb.gz")
	w.options = load.Options{RunID: "now", Now: func() time.Time { return w.now }}
	must(t, load.Prepare(w.dir))
	w.openWork(t)
	before := tableSums(t, old)
	for range 2 { // the second time there is nothing to move
		changes, err := w.Tables.Ensure(t.Context(), "main", tables)
		must(t, err)
		if len(changes) > 0 {
			t.Errorf("changed: %v", changes)
		}
		after, filled := workTableSums(t, w), 0
		for _, table := range tables {
			was, place, other := before["main."+table.Name], "main.", "_raw."
			if table.Raw {
				place, other = other, place
			}
			if after[place+table.Name] != was || after[other+table.Name] != "" {
				t.Errorf("%s: %q in %s and %q in %s; was %q", table.Name, after[place+table.Name], place, after[other+table.Name], other, was)
			}
			if table.Raw && !strings.HasPrefix(was, "0 rows") {
				filled++
				if n := len(w.Rows(t, "main", table.Name)); !strings.HasPrefix(was, fmt.Sprintf("%d rows ", n)) {
					t.Errorf("%s: %d rows under its old name, %s before", table.Name, n, was)
				}
			}
		}
		if filled < 5 {
			t.Errorf("only %d of the moved tables have rows", filled)
		}
	}
	must(t, w.Close())
}

// TestANewerWarehouseIsRefused leaves a file of a newer program as it is.
// Holds: F26.
func TestANewerWarehouseIsRefused(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t, load.Options{})
	must(t, w.SetFormat(t.Context(), "99"))
	must(t, w.Close())
	before, err := os.ReadFile(w.dir.Database())
	must(t, err)
	if _, err := load.OpenWork(t.Context(), w.dir, w.options); !errors.Is(err, failure.ErrFormat) || !strings.Contains(err.Error(), "format 99") {
		t.Errorf("a newer database: %v", err)
	}
	if after, err := os.ReadFile(w.dir.Database()); err != nil || string(after) != string(before) {
		t.Errorf("the refused database was changed: %v", err)
	}
}

func unzipFile(t testing.TB, to, from string) {
	t.Helper()
	f, err := os.Open(from)
	must(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	must(t, err)
	text, err := io.ReadAll(z)
	must(t, err)
	must(t, os.WriteFile(to, text, 0o600))
}

// tablesOf lists every table with the columns that it had in all formats: contents counts the rows and sums
// them up.
const tablesOf = `SELECT schema_name || '.' || table_name AS name, string_agg('"' || column_name || '"', ',' ORDER BY column_index) AS columns
	FROM duckdb_columns() WHERE database_name = current_database() AND NOT internal AND (schema_name, table_name) NOT IN (SELECT (schema_name, view_name) FROM duckdb_views())
	AND column_name NOT IN ('stream', 'path', 'example_type', 'value', 'new_rejected')
	AND (table_name, column_name) NOT IN (('publishes', 'what'), ('publishes', 'replaces')) GROUP BY ALL`

// tableSums gives, by table, the number of rows and a sum over the columns that all formats have.
func tableSums(t testing.TB, file string) map[string]string {
	t.Helper()
	ask := func(sql string, visit func(row []any)) {
		must(t, read.Query(t.Context(), file, sql, func(_ []string, row []any) error {
			if row != nil {
				visit(row)
			}
			return nil
		}))
	}
	tables := map[string]string{}
	var sums []string
	ask(tablesOf, func(row []any) {
		sums = append(sums, fmt.Sprintf("SELECT '%[1]s', count(*) || ' rows ' || coalesce(md5(string_agg(r::VARCHAR, '|' ORDER BY r::VARCHAR)), '') FROM (SELECT %[2]s FROM %[1]s) r", row[0], row[1]))
	})
	ask(strings.Join(sums, " UNION ALL "), func(row []any) { tables[row[0].(string)] = row[1].(string) })
	return tables
}

// workTableSums gives tableSums of the work database, by a copy of it.
func workTableSums(t testing.TB, w *testWarehouse) map[string]string {
	t.Helper()
	must(t, w.Fold(t.Context()))
	must(t, w.Close())
	defer w.openWork(t)
	text, err := os.ReadFile(w.dir.Database())
	must(t, err)
	file := filepath.Join(t.TempDir(), "copy.duckdb")
	must(t, os.WriteFile(file, text, 0o600))
	return tableSums(t, file)
}

// TestT122NewFieldsAreNotedOnce commits the same schema drift twice.
// Holds: F13.
func TestT122NewFieldsAreNotedOnce(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t, load.Options{})
	w.ensureStream(t, committest.Stream())
	news := []transform.SchemaDrift{{Table: "people_all", Path: "plan.name", Type: "text"}, {Table: "people_all", Column: "updated_at", Path: "updated_at", Type: "bool"},
		{Table: "people_all", Column: "name", Path: "name", Type: transform.DriftWord, Word: "one"}, {Table: "people_all", Column: "name", Path: "name", Type: transform.DriftWord, Word: "two"}}
	for range 2 {
		base, err := w.Checkpoints.Checkpoint(t.Context(), "main", "people")
		must(t, err)
		next := base
		next.Seq++
		batches := committest.Batches(0, committest.Person{Region: "eu", ID: "1", Updated: 5})
		batches[0].SchemaDrift = news
		_, err = w.Commit(t.Context(), "main", "people", base, next, batches)
		committest.Release(batches)
		must(t, err)
		w.now = w.now.Add(400 * 24 * time.Hour)
		must(t, w.Records.SaveRun(t.Context(), load.Run{RunID: "another"}, nil, nil, nil)) // SaveRun deletes old records
	}
	got, err := w.Facts.IDs(t.Context(), "main", "SELECT concat_ws('|', stream, table_name, column_name, path, example_type, epoch(recorded_at)::BIGINT, CASE WHEN example_type = 'word' THEN change END) FROM _sync.schema_changes WHERE path IS NOT NULL")
	must(t, err)
	slices.Sort(got)
	const at = "|1793498400"
	if want := []string{"people|people_all|name|name|word" + at + "|a new word: one", "people|people_all|name|name|word" + at + "|a new word: two", "people|people_all|updated_at|updated_at|bool" + at, "people|people_all||plan.name|text" + at}; !slices.Equal(got, want) {
		t.Errorf("noted: %q", got)
	}
	known, err := w.Facts.KnownDrift(t.Context(), "main", "people")
	must(t, err)
	if len(known) != 2 || known[[3]string{"people_all", "name", "name"}] {
		t.Errorf("a word counts as a known misfit: %v", known)
	}
}
