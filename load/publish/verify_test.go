package publish

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

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
	insert := "INSERT INTO parts SELECT md5((range // 12)::VARCHAR), md5(range::VARCHAR) FROM range(%d, %d)"
	full := open(0)
	for _, statement := range []string{"CREATE TABLE parts (conversation_id VARCHAR, id VARCHAR)", fmt.Sprintf(insert, 0, rows)} {
		if _, err := full.Exec(ctx, statement); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(full.Checkpoint(ctx), full.Close()); err != nil {
		t.Fatal(err)
	}
	db := open(25_000_000)
	defer db.Close()
	table := transform.Table{Name: "parts", Key: []string{"conversation_id", "id"}}
	if err := uniqueKeys(ctx, db, "main", table, rows); err != nil {
		t.Error(err)
	}
	if _, err := db.Exec(ctx, fmt.Sprintf(insert, rows/2, rows/2+1)); err != nil {
		t.Fatal(err)
	}
	if err := uniqueKeys(ctx, db, "main", table, rows+1); err == nil || !strings.Contains(err.Error(), "main.parts has a key 2 times") {
		t.Errorf("a key that is there twice: %v", err)
	}
}
