package publish

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"aqueduck/internal/lane"
	"aqueduck/load/internal/duck"
	"aqueduck/transform"
)

func TestKeysOfManyRowsAreComparedWithinTheMemoryOfAPublish(t *testing.T) {
	lane.SkipHeavy(t)
	ctx := t.Context()
	dir := t.TempDir()
	db, err := duck.Open(ctx, duck.Options{Path: filepath.Join(dir, "many.duckdb"), TempDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	const rows = 5 * rowsPerCheck
	insert := "INSERT INTO parts SELECT md5((range // 12)::VARCHAR), md5(range::VARCHAR) FROM range(%d, %d)"
	for _, statement := range []string{"CREATE TABLE parts (conversation_id VARCHAR, id VARCHAR)", fmt.Sprintf(insert, 0, rows)} {
		if _, err := db.Exec(ctx, statement); err != nil {
			t.Fatal(err)
		}
	}
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
