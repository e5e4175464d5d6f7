package wear

import (
	"fmt"
	"path/filepath"
	"testing"

	"aqueduck/load/internal/duck"
)

// TestF17ManySmallRunsWearAFile adds a row to each of some tables again and again, as nights with few changes do. Each
// time the few new rows of each table take a block. After it is written again, the file is not worn.
func TestF17ManySmallRunsWearAFile(t *testing.T) {
	t.Parallel()
	const tables, nights = 8, 25
	ctx := t.Context()
	db, err := duck.Open(ctx, duck.Options{Path: filepath.Join(t.TempDir(), "worn.duckdb")})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	do := func(statement string) {
		t.Helper()
		if _, err := db.Exec(ctx, statement); err != nil {
			t.Fatal(err)
		}
	}
	worn := func() bool {
		t.Helper()
		worn, err := IsWorn(ctx, db)
		if err != nil {
			t.Fatal(err)
		}
		return worn
	}
	do("CREATE SCHEMA _sync")
	do("CREATE TABLE _sync.meta (key VARCHAR, value VARCHAR)")
	do("CREATE TABLE _sync.tables (schema VARCHAR, table_name VARCHAR, rows BIGINT)")
	for i := range tables {
		do(fmt.Sprintf("CREATE TABLE t%d AS SELECT range i, range::VARCHAR || repeat('word ', 20) s FROM range(3000)", i))
		do(fmt.Sprintf("INSERT INTO _sync.tables VALUES ('main', 't%d', 3000)", i))
	}
	if err := db.Checkpoint(ctx); err != nil {
		t.Fatal(err)
	}
	if worn() {
		t.Error("a new file is worn")
	}
	for range nights {
		for i := range tables {
			do(fmt.Sprintf("INSERT INTO t%d VALUES (1, 'few')", i))
		}
		do("UPDATE _sync.tables SET rows = rows + 1")
		if err := db.Checkpoint(ctx); err != nil {
			t.Fatal(err)
		}
	}
	var blocks, groups int64
	if err := db.Scan(ctx, "SELECT total_blocks, (SELECT count(DISTINCT row_group_id) FROM pragma_storage_info('t0')) FROM pragma_database_size()", nil, &blocks, &groups); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d blocks, %d groups in each table", blocks, groups)
	if !worn() {
		t.Errorf("a file of %d blocks, each with next to nothing, is not worn", blocks)
	}
}

// TestRowGroupsAreCountedAgainWhenAFileHasGrown: a small file by sixteen blocks, a large one by a hundredth.
func TestRowGroupsAreCountedAgainWhenAFileHasGrown(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		known, total int64
		want         bool
	}{
		{0, 65, true}, {100, 100, false}, {100, 115, false}, {100, 116, true}, {100, 99, true},
		{1600, 1616, true}, {100_000, 100_999, false}, {100_000, 101_000, true}, {100_000, 99_999, true},
	} {
		if got := hasGrown(c.known, c.total); got != c.want {
			t.Errorf("%d blocks, then %d: %t, want %t", c.known, c.total, got, c.want)
		}
	}
}
