package duck_test

import (
	"context"
	"errors"
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
	_, err = duck.Remember(db, "broken", nil, func() (int, error) { return 1, context.Canceled })
	if again, ok := duck.Remember(db, "broken", nil, func() (int, error) { return 2, nil }); !errors.Is(err, context.Canceled) || ok != nil || again != 2 {
		t.Errorf("after a failed reading: %d, %v", again, ok)
	}
}
