package duck

import (
	"context"
	"fmt"
)

// Stamped replaces, in a query for RewriteTable, the time and the run of the rows that change, by $1 and $2.
const Stamped = `CASE WHEN __changes > 0 THEN $1::TIMESTAMPTZ ELSE _synced_at END AS _synced_at, CASE WHEN __changes > 0 THEN $2 ELSE _run_id END AS _run_id`

// RewriteTable changes rows of a table, and returns how many values. It copies all rows into a new table, which takes the name of the old one: an UPDATE
// would keep each changed value in memory until the next checkpoint. query gives all rows of the table, in their order, with their new values, and the number of
// values that change (__changes). Where none does, nothing is written. The caller runs it in a transaction.
func (d *DB) RewriteTable(ctx context.Context, schema, table, query string, args ...any) (changes int64, err error) {
	if err := d.Scan(ctx, "SELECT coalesce(sum(__changes), 0)::BIGINT FROM ("+query+")", args, &changes); err != nil || changes == 0 {
		return 0, err
	}
	name, rewritten := Table(schema, table), Table(schema, "__rewritten")
	var rows int64
	if err := d.Scan(ctx, "SELECT count(*) FROM "+name, nil, &rows); err != nil {
		return 0, err
	}
	if _, err := d.Exec(ctx, "CREATE TABLE "+rewritten+" AS FROM "+name+" LIMIT 0"); err != nil {
		return 0, err
	}
	n, err := d.Exec(ctx, "INSERT INTO "+rewritten+" BY NAME SELECT * EXCLUDE (__changes) FROM ("+query+")", args...)
	if err == nil && n != rows {
		err = fmt.Errorf("%d of %d rows were copied", n, rows)
	}
	if err != nil {
		return 0, err
	}
	for _, statement := range []string{"DROP TABLE " + name, "ALTER TABLE " + rewritten + " RENAME TO " + Name(table)} {
		if _, err := d.Exec(ctx, statement); err != nil {
			return 0, err
		}
	}
	return changes, nil
}
