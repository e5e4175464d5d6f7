package publish

import (
	"context"
	"fmt"

	"aqueduck/load/internal/duck"
	"aqueduck/load/internal/system"
)

// sparseRows is the average number of rows in a row group from which a table of _sync is not rewritten. A full group has
// 122,880 rows.
const sparseRows = 20_000

// compactSystemTables rewrites the tables of _sync with many small row groups. DuckDB writes the rows of each run as a
// separate group, which takes a block of 256 KiB however few they are. Without this, each run adds three blocks to the
// file: for its rows in _sync.runs, _sync.publishes and _sync.stream_runs. The next checkpoint frees the deleted groups.
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
