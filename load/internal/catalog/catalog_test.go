package catalog

import (
	"testing"

	"aqueduck/load/internal/duck"
)

// TestTheFingerprintFollowsTheColumnsOfTables changes columns, rows and comments, in schemas that count and in another one.
func TestTheFingerprintFollowsTheColumnsOfTables(t *testing.T) {
	t.Parallel()
	db, err := duck.Open(t.Context(), duck.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	last := ""
	for _, step := range []struct {
		statement string
		changed   bool
	}{
		{"CREATE SCHEMA _raw; CREATE SCHEMA other; CREATE TABLE t (a INTEGER); CREATE TABLE _raw.t (a INTEGER)", true},
		{"INSERT INTO t VALUES (1)", false},
		{"COMMENT ON TABLE t IS 'A table.'", false},
		{"CREATE TABLE other.t (a INTEGER)", false},
		{"ALTER TABLE _raw.t ALTER a TYPE VARCHAR", true},
		{"ALTER TABLE t ADD b INTEGER", true},
		{"ALTER TABLE t RENAME b TO c", true},
		{"DROP TABLE t", true},
	} {
		if _, err := db.Exec(t.Context(), step.statement); err != nil {
			t.Fatal(err)
		}
		got, err := Fingerprint(t.Context(), db, "main", "_raw")
		if err != nil || (got != last) != step.changed {
			t.Errorf("after %s: %s, was %s, %v; want changed %t", step.statement, got, last, err, step.changed)
		}
		last = got
	}
}
