// Package wear finds and frees the space in a database file that no row needs.
package wear

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"

	"aqueduck/load/internal/duck"
)

// wornRatio is how many times larger than a fresh file a file may be before it is written again.
const wornRatio = 1.5

// smallFile is the number of blocks up to which a file is never worn, and the number that the few new rows of each run
// may take in addition: a small file would otherwise be written again every few nights.
const smallFile = 64

// IsWorn reports whether a file should be written again. It compares the blocks of the file with those that its live rows
// need. DuckDB counts free blocks. Deleted rows stay in their row groups: they are the difference between what a table
// holds and what it shows. The few rows that a night adds to a table also take a nearly empty block each; these are counted where the file
// has grown since.
func IsWorn(ctx context.Context, db *duck.DB) (bool, error) {
	var total, used int64
	err := db.Scan(ctx, "SELECT total_blocks, used_blocks FROM pragma_database_size() WHERE database_name = $1", []any{duck.Catalog}, &total, &used)
	if err != nil || total <= smallFile {
		return false, err
	}
	var stored, live float64
	query := `SELECT coalesce(sum(d.estimated_size * d.column_count), 0)::DOUBLE, coalesce(sum(t.rows * d.column_count), 0)::DOUBLE
		FROM ` + duck.StoredTables + ` WHERE d.database_name = $1`
	if err := db.Scan(ctx, query, []any{duck.Catalog}, &stored, &live); err != nil {
		return false, err
	}
	if stored < live || stored == 0 {
		stored, live = 1, 1
	}
	fresh := float64(used) * live / stored
	if float64(total) > wornRatio*fresh {
		return true, nil
	}
	if known, err := checkedBlocks(ctx, db); err != nil || !hasGrown(known, total) {
		return false, err
	}
	thin, err := thinGroups(ctx, db)
	if err != nil || float64(total) > wornRatio*(fresh-float64(thin))+smallFile {
		return err == nil, err
	}
	return false, noteChecked(ctx, db, total)
}

// checkEvery is the number of blocks by which a small file grows before its nearly empty row groups are counted again: a megabyte, or a hundredth of a
// larger file. Each of them takes a block. To count them costs a fiftieth of a run that changes one contact of 10,000, and 1.3 CPU-seconds over ten million parts.
const checkEvery = 16

// hasGrown reports whether a file has grown by enough since its row groups were counted. One that is smaller was written again in the meantime.
func hasGrown(known, total int64) bool {
	return total < known || total >= known+max(checkEvery, known/100)
}

// checkedKey is the key in _sync.meta of the size in blocks that the file had when its row groups were last counted.
const checkedKey = "blocks with few empty groups"

func checkedBlocks(ctx context.Context, db *duck.DB) (blocks int64, err error) {
	err = db.Scan(ctx, "SELECT coalesce(max(value)::BIGINT, 0) FROM _sync.meta WHERE key = $1", []any{checkedKey}, &blocks)
	return blocks, err
}

func noteChecked(ctx context.Context, db *duck.DB, blocks int64) error {
	if _, err := db.Exec(ctx, "DELETE FROM _sync.meta WHERE key = $1", checkedKey); err != nil {
		return err
	}
	_, err := db.Exec(ctx, "INSERT INTO _sync.meta VALUES ($1, $2)", checkedKey, strconv.FormatInt(blocks, 10))
	return err
}

// thinGroups counts the nearly empty row groups, except one of each table. A table of one row has no other: to plan its part costs more.
func thinGroups(ctx context.Context, db *duck.DB) (thin int64, err error) {
	const full = 2048 // rows: a sixteenth of a group
	var counts []string
	err = db.Each(ctx, "SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = $1 AND estimated_size > 1", []any{duck.Catalog}, func(rows *sql.Rows) error {
		var schema, name string
		err := rows.Scan(&schema, &name)
		counts = append(counts, fmt.Sprintf(`SELECT greatest(count(*) - 1, 0) FROM (SELECT 1 FROM pragma_storage_info(%s)
			WHERE column_id = 0 AND segment_type <> 'VALIDITY' GROUP BY row_group_id HAVING sum("count") < %d)`, duck.Text(duck.Table(schema, name)), full))
		return err
	})
	if err != nil || len(counts) == 0 {
		return 0, err
	}
	err = db.Scan(ctx, "SELECT sum(n)::BIGINT FROM ("+strings.Join(counts, " UNION ALL ")+") t(n)", nil, &thin)
	return thin, err
}
