package wear

import (
	"context"
	"fmt"
	"strings"

	"aqueduck/load/internal/duck"
)

// sparseRows is the average number of rows in a row group from which a table of _sync is not rewritten. A full group has
// 122,880 rows.
const sparseRows = 20_000

// spareGroups is the number of row groups that _sync.publishes may have before the tables of _sync are looked at. Each publish adds one, so
// every fourth looks. Measured on a run that changes one contact of 10,000: to look and to rewrite costs a thirtieth of it.
const spareGroups = 4

// CompactSystemTables rewrites the tables of _sync with many small row groups, at every fourth publish. DuckDB writes the rows of each run as a
// separate group, which takes blocks of its own however few they are. Without this, each run adds three blocks or more to the
// file: for its rows in _sync.runs, _sync.publishes and _sync.stream_runs. The next checkpoint frees the deleted groups.
func CompactSystemTables(ctx context.Context, db *duck.DB) error {
	var groups int
	if err := db.Scan(ctx, "SELECT count(DISTINCT row_group_id) FROM pragma_storage_info('_sync.publishes')", nil, &groups); err != nil || groups < spareGroups {
		return err
	}
	sparse, err := sparseTables(ctx, db)
	if err != nil {
		return fmt.Errorf("count the row groups of _sync: %w", err)
	}
	return db.Transaction(ctx, func() error {
		for _, name := range sparse {
			statement := fmt.Sprintf("CREATE OR REPLACE TEMP TABLE compacted AS FROM %[1]s; DELETE FROM %[1]s; INSERT INTO %[1]s FROM compacted; DROP TABLE compacted", duck.Table("_sync", name))
			if _, err := db.Exec(ctx, statement); err != nil {
				return fmt.Errorf("rewrite _sync.%s: %w", name, err)
			}
		}
		return nil
	})
}

// sparseTables are the tables of _sync with several row groups of few rows. Those with at most one row are left out: to plan their part costs more.
func sparseTables(ctx context.Context, db *duck.DB) (names []string, err error) {
	filled, err := db.ScanTexts(ctx, "SELECT table_name FROM duckdb_tables() WHERE database_name = $1 AND schema_name = '_sync' AND estimated_size > 1", duck.Catalog)
	var each []string
	for _, filledName := range filled {
		name, table := duck.Text(filledName), duck.Table("_sync", filledName)
		each = append(each, fmt.Sprintf("SELECT %s AS name, count(*) AS live, 0 AS groups FROM %s", name, table),
			fmt.Sprintf("SELECT %s, 0, count(DISTINCT row_group_id) FROM pragma_storage_info(%s)", name, duck.Text(table)))
	}
	if err != nil || len(each) == 0 {
		return nil, err
	}
	return db.ScanTexts(ctx, fmt.Sprintf("SELECT name FROM (%s) GROUP BY name HAVING sum(groups) > 1 AND sum(live) < sum(groups) * %d", strings.Join(each, " UNION ALL "), sparseRows))
}
