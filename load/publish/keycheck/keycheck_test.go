package keycheck

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/lane"
	"aqueduck/load/internal/duck"
	"aqueduck/transform"
)

// TestKeysOfManyRowsAreComparedInLittleMemory gives DuckDB 25 MB: that is what a publish of many changes may have left. The keys at once need more than
// 60, their hashes more than 25.
func TestKeysOfManyRowsAreComparedInLittleMemory(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	ctx := t.Context()
	dir := t.TempDir()
	open := func(memory int64) *duck.DB {
		db, err := duck.Open(ctx, duck.Options{Path: filepath.Join(dir, "many.duckdb"), TempDir: dir, Memory: memory})
		if err != nil {
			t.Fatal(err)
		}
		return db
	}
	const rows = 5 * rowsPerCheck
	full := open(0)
	for _, statement := range []string{createParts, insertParts(0, rows, "01:00")} {
		if _, err := full.Exec(ctx, statement); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(full.Checkpoint(ctx), full.Close()); err != nil {
		t.Fatal(err)
	}
	db := open(25_000_000)
	defer db.Close()
	if err := RequireUnique(ctx, db, "main", parts, rows, time.Time{}); err != nil {
		t.Error(err)
	}
	const later = rowsPerCheck / 4
	if _, err := db.Exec(ctx, insertParts(rows, rows+later-1, "02:00")+"; "+insertParts(rows/2, rows/2+1, "02:00")); err != nil {
		t.Fatal(err)
	}
	for _, checked := range []time.Time{{}, time.Date(2026, 1, 1, 1, 0, 0, 0, time.UTC)} {
		requireRefused(t, RequireUnique(ctx, db, "main", parts, rows+later, checked))
	}
}

const createParts = "CREATE TABLE parts (conversation_id VARCHAR, id VARCHAR, _synced_at TIMESTAMPTZ)"

var parts = transform.Table{Name: "parts", Key: []string{"conversation_id", "id"}}

func insertParts(from, to int, at string) string {
	return fmt.Sprintf("INSERT INTO parts SELECT md5((range // 12)::VARCHAR), md5(range::VARCHAR), TIMESTAMPTZ '2026-01-01 %s:00+00' FROM range(%d, %d)", at, from, to)
}

func requireRefused(t *testing.T, err error) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), "main.parts has a key 2 times") {
		t.Errorf("a key that is there twice: %v", err)
	}
}

// TestKeysOfLaterRowsAreComparedWithAllOthers has a table with so many rows that only keys of later ones are compared, with those before and with each other.
func TestKeysOfLaterRowsAreComparedWithAllOthers(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, err := duck.Open(ctx, duck.Options{Path: filepath.Join(t.TempDir(), "parts.duckdb")})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	const rows = rowsPerJoin + 1
	checked := time.Date(2026, 1, 1, 1, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		statement string
		rows      int64
		refused   bool
	}{
		{createParts + "; " + insertParts(0, rows, "01:00"), rows, false},
		{insertParts(rows, rows+5, "02:00"), rows + 5, false},
		{"BEGIN; " + insertParts(7, 8, "02:00"), rows + 6, true},
		{"ROLLBACK; " + insertParts(rows+9, rows+10, "02:00") + "; " + insertParts(rows+9, rows+10, "03:00"), rows + 7, true},
	} {
		if _, err := db.Exec(ctx, c.statement); err != nil {
			t.Fatal(err)
		}
		if err := RequireUnique(ctx, db, "main", parts, c.rows, checked); c.refused {
			requireRefused(t, err)
		} else if err != nil {
			t.Error(err)
		}
	}
}
