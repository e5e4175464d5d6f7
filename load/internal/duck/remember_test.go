package duck_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"testing"

	"aqueduck/load/internal/duck"
)

// TestWhatIsRememberedIsReadAgainAfterAChange writes a table in each way in which a statement can name it, and rolls a change back.
func TestWhatIsRememberedIsReadAgainAfterAChange(t *testing.T) {
	t.Parallel()
	db, err := duck.Open(t.Context(), duck.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	exec := func(statement string) {
		t.Helper()
		if _, err := db.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	exec("CREATE SCHEMA _sync")
	exec("CREATE TABLE _sync.meta (key VARCHAR)")
	exec("CREATE TABLE _sync.metals (key VARCHAR)")
	reads := 0
	count := func() (n int64) {
		t.Helper()
		n, err := duck.Remember(db, "meta", duck.SystemTable("meta"), func() (n int64, err error) {
			reads++
			return n, db.Scan(t.Context(), "SELECT count(*) FROM _sync.meta", nil, &n)
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for i, statement := range []string{"INSERT INTO _sync.meta VALUES ('a')", `INSERT INTO "_sync"."meta" VALUES ('b')`, `INSERT INTO _sync."meta" VALUES ('c')`,
		"CREATE TABLE other (a INTEGER); INSERT INTO _sync.meta VALUES ('d')"} {
		exec(statement)
		if n := count(); n != int64(i+1) {
			t.Errorf("after %s: %d rows", statement, n)
		}
	}
	before := reads
	exec(`INSERT INTO "other" VALUES (1)`)
	if n := count(); n != 4 || reads != before {
		t.Errorf("a statement about another table: %d rows, read %d times more", n, reads-before)
	}
	failed := errors.New("failed")
	err = db.Transaction(t.Context(), func() error {
		exec("INSERT INTO _sync.meta VALUES ('e')")
		if n := count(); n != 5 {
			t.Errorf("inside the transaction: %d rows", n)
		}
		return failed
	})
	if n := count(); n != 4 || !errors.Is(err, failed) {
		t.Errorf("after a rollback: %d rows, %v", n, err)
	}
	before = reads
	err = db.Undone(t.Context(), func() error {
		exec("CREATE TABLE again (a INTEGER)")
		return nil
	})
	if n := count(); n != 4 || err != nil || reads != before {
		t.Errorf("after a rollback of another table: %d rows, read %d times more, %v", n, reads-before, err)
	}
	_, err = duck.Remember(db, "broken", nil, func() (int, error) { return 1, context.Canceled })
	if again, ok := duck.Remember(db, "broken", nil, func() (int, error) { return 2, nil }); !errors.Is(err, context.Canceled) || ok != nil || again != 2 {
		t.Errorf("after a failed reading: %d, %v", again, ok)
	}
}

// TestAWatchedTableIsUnnamedUntilAStatementNamesIt names one of two watched tables, in a transaction that is rolled back.
func TestAWatchedTableIsUnnamedUntilAStatementNamesIt(t *testing.T) {
	t.Parallel()
	db, err := duck.Open(t.Context(), duck.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(t.Context(), "CREATE SCHEMA _sync; CREATE TABLE _sync.meta (key VARCHAR); CREATE TABLE _sync.runs (id VARCHAR)"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"meta", "runs"} {
		db.Watch(name, duck.SystemTable(name))
	}
	if !db.Unnamed("meta") || !db.Unnamed("runs") || db.Unnamed("seen") {
		t.Error("before the first statement: watched tables are named, or another is unnamed")
	}
	failed := errors.New("failed")
	err = db.Transaction(t.Context(), func() error {
		_, err := db.Exec(t.Context(), "INSERT INTO _sync.meta VALUES ('a')")
		return errors.Join(err, failed)
	})
	if !errors.Is(err, failed) || db.Unnamed("meta") || !db.Unnamed("runs") {
		t.Errorf("after a rollback: meta unnamed %t, runs unnamed %t, %v", db.Unnamed("meta"), db.Unnamed("runs"), err)
	}
}

// TestColumnsAreListedAgainAfterADefinition changes the tables of a file in each way that the program does.
func TestColumnsAreListedAgainAfterADefinition(t *testing.T) {
	t.Parallel()
	db, err := duck.Open(t.Context(), duck.Options{Path: t.TempDir() + "/x.duckdb"})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, step := range []struct{ statement, want string }{
		{`CREATE TABLE "main"."a" (id VARCHAR)`, "map[a:[{id VARCHAR}]]"},
		{`ALTER TABLE "main"."a" ADD COLUMN n BIGINT`, "map[a:[{id VARCHAR} {n BIGINT}]]"},
		{`ALTER TABLE "main"."a" ALTER COLUMN n TYPE DOUBLE`, "map[a:[{id VARCHAR} {n DOUBLE}]]"},
		{`CREATE OR REPLACE VIEW "main"."b" AS SELECT n FROM "main"."a"`, "map[a:[{id VARCHAR} {n DOUBLE}] b:[{n DOUBLE}]]"},
		{`CREATE OR REPLACE TABLE "main"."c" AS SELECT 1 AS i`, "map[a:[{id VARCHAR} {n DOUBLE}] b:[{n DOUBLE}] c:[{i INTEGER}]]"},
		{`CREATE OR REPLACE TEMP TABLE d AS SELECT 1`, "map[a:[{id VARCHAR} {n DOUBLE}] b:[{n DOUBLE}] c:[{i INTEGER}]]"},
		{`DROP VIEW "main"."b"`, "map[a:[{id VARCHAR} {n DOUBLE}] c:[{i INTEGER}]]"},
		{`DROP TABLE "main"."c"`, "map[a:[{id VARCHAR} {n DOUBLE}]]"},
	} {
		if _, err := db.Exec(t.Context(), step.statement); err != nil {
			t.Fatal(err)
		}
		got, err := db.Columns(t.Context(), "main")
		if err != nil || fmt.Sprint(got) != step.want {
			t.Errorf("after %s: %v, want %s, %v", step.statement, got, step.want, err)
		}
		want := maps.Clone(got)
		delete(want, "b")
		if tables, err := db.TableColumns(t.Context(), "main"); err != nil || fmt.Sprint(tables) != fmt.Sprint(want) {
			t.Errorf("of tables alone, after %s: %v, want %v, %v", step.statement, tables, want, err)
		}
	}
}

// TestACopyHasTheDefinitionsOfItsFile lets a second file adopt what is known of the first: its columns, and no rows.
func TestACopyHasTheDefinitionsOfItsFile(t *testing.T) {
	t.Parallel()
	var files [2]*duck.DB
	for i := range files {
		db, err := duck.Open(t.Context(), duck.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		files[i] = db
	}
	if _, err := files[0].Exec(t.Context(), `CREATE TABLE "main"."a" (id VARCHAR)`); err != nil {
		t.Fatal(err)
	}
	read := func(i int) string {
		t.Helper()
		columns, err := files[i].TableColumns(t.Context(), "main")
		rows, errRows := duck.Remember(files[i], "rows", duck.SystemTable("tables"), func() (int, error) { return i, nil })
		if err := errors.Join(err, errRows); err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(columns, rows)
	}
	if got := read(0); got != "map[a:[{id VARCHAR}]] 0" {
		t.Fatal(got)
	}
	files[1].AdoptDefinitions(files[0])
	if got := read(1); got != "map[a:[{id VARCHAR}]] 1" {
		t.Errorf("the other file has %s", got)
	}
	if _, err := files[1].Exec(t.Context(), `CREATE TABLE "main"."b" (id VARCHAR)`); err != nil {
		t.Fatal(err)
	}
	if got := read(1); got != "map[b:[{id VARCHAR}]] 1" {
		t.Errorf("after a table was made it has %s", got)
	}
}
