package facts

import (
	"errors"
	"path/filepath"
	"testing"

	"aqueduck/internal/lane"
	"aqueduck/load/internal/duck"
)

// TestOrphansOfManyRecordsAreFoundInLittleMemory gives DuckDB 25 MB: that is what the end of a run over many records may have left. The keys of all records, and
// their hashes, need more.
func TestOrphansOfManyRecordsAreFoundInLittleMemory(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	ctx, dir := t.Context(), t.TempDir()
	open := func(memory int64) *duck.DB {
		db, err := duck.Open(ctx, duck.Options{Path: filepath.Join(dir, "many.duckdb"), Memory: memory})
		if err != nil {
			t.Fatal(err)
		}
		return db
	}
	const records = 2*recordsAtOnce + 1
	full := open(0)
	for _, statement := range []string{
		"CREATE TABLE conversations AS SELECT md5(i::VARCHAR) AS id FROM range(1000001) r(i)",
		"CREATE TABLE parts AS SELECT md5((i // 2)::VARCHAR) AS conversation_id FROM range(2000002) r(i) UNION ALL SELECT 'of none' UNION ALL SELECT NULL",
	} {
		if _, err := full.Exec(ctx, statement); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(full.Checkpoint(ctx), full.Close()); err != nil {
		t.Fatal(err)
	}
	db := open(25_000_000)
	defer db.Close()
	n, err := countOrphans(ctx, db, hashesOf("parts", []string{"conversation_id"}), hashesOf("conversations", []string{"id"}), records)
	if err != nil || n != 2 {
		t.Errorf("%d orphans, want 2: %v", n, err)
	}
}
