package publish

import (
	"context"
	"fmt"

	"aqueduck/load/internal/duck"
	"aqueduck/load/internal/system"
)

// sparseRows is how many rows a group of rows has at least, on average, in a table of _sync that is left as it is. A full group has 122,880.
const sparseRows = 20_000

// compactSystemTables rewrites the tables of _sync that the runs added a few rows to, one after the other.
//
// DuckDB writes the rows that a run adds as a group of their own, which takes a block of 256 KiB however few they are: without this each
// run adds three blocks to the file, for one row of _sync.runs, one of _sync.publishes and some of _sync.stream_runs. What is deleted here
// is free for the next checkpoint.
func compactSystemTables(ctx context.Context, db *duck.DB) error {
	return db.Transaction(ctx, func() error {
		for _, t := range system.Tables() {
			table := duck.Table("_sync", t.Name)
			var rows, groups int64
			query := `SELECT (SELECT count(*) FROM ` + table + `), (SELECT count(DISTINCT row_group_id) FROM pragma_storage_info(` + duck.Text(table) + `))`
			if err := db.Scan(ctx, query, nil, &rows, &groups); err != nil {
				return fmt.Errorf("count the row groups of _sync.%s: %w", t.Name, err)
			}
			if groups < 2 || rows >= groups*sparseRows {
				continue
			}
			statement := fmt.Sprintf("CREATE OR REPLACE TEMP TABLE compacted AS FROM %[1]s; DELETE FROM %[1]s; INSERT INTO %[1]s FROM compacted; DROP TABLE compacted", table)
			if _, err := db.Exec(ctx, statement); err != nil {
				return fmt.Errorf("rewrite _sync.%s: %w", t.Name, err)
			}
		}
		return nil
	})
}
