package load

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"aqueduck/load/internal/clause"
	"aqueduck/load/internal/duck"
	"aqueduck/load/internal/workdb"
	"aqueduck/schemas"
	"aqueduck/transform"
)

// copyDay makes the daily copy of a table equal to the table. Rows that the day's copy already has with the same content
// stay, so that a second run of the day writes only what changed.
func (w *Sweeps) copyDay(ctx context.Context, schema string, t transform.Table, sw Sweep, stamp time.Time) (int64, error) {
	c := sw.Copies
	if c.Name == "" {
		return 0, nil
	}
	copies, table, day := duck.Table(schema, c.Name), clause.Stored(schema, t), duck.Name(schemas.SnapshotDate)
	// A clock may jump backwards. The copy of a past day is never replaced: no source has that day any more (T205).
	var newest sql.NullTime
	if err := w.checkpoints.db.DB.Scan(ctx, "SELECT max("+day+") FROM "+copies, nil, &newest); err != nil {
		return 0, fmt.Errorf("find the newest copy: %w", err)
	}
	if newest.Time.After(sw.Day) {
		sw.Day = newest.Time
	}
	today := duck.Text(sw.Day.Format(time.DateOnly)) + "::DATE"
	same := clause.Matches("t.", t.Key, "c.", t.Key) + " AND t." + transform.HashColumn + " IS NOT DISTINCT FROM c." + transform.HashColumn
	outdated := fmt.Sprintf("c.%s = %s AND NOT EXISTS (SELECT 1 FROM %s t WHERE t.%s IS NULL AND %s)", day, today, table, transform.GoneColumn, same)
	probe := workdb.Probe{SQL: "SELECT 1 FROM " + copies + " c WHERE " + outdated}
	deleted, err := w.checkpoints.db.ExecIfAny(ctx, probe, "DELETE FROM "+copies+" c WHERE "+outdated)
	if err != nil {
		return 0, fmt.Errorf("delete the previous copy of the day: %w", err)
	}
	var names []string
	for _, column := range c.Columns[1 : len(c.Columns)-2] { // without the date, and what each commit gives its rows
		names = append(names, column.Name)
	}
	columns := duck.Names("", names)
	missing := fmt.Sprintf("FROM %s t WHERE t.%s IS NULL AND NOT EXISTS (SELECT 1 FROM %s c WHERE c.%s = %s AND %s)",
		table, transform.GoneColumn, copies, day, today, clause.Matches("t.", t.Key, "c.", t.Key))
	added, err := w.checkpoints.db.ExecIfAny(ctx, workdb.Probe{SQL: "SELECT 1 " + missing}, fmt.Sprintf("INSERT INTO %s (%s, %s, %s, %s) SELECT %s, %s, $1, $2 %s",
		copies, day, columns, transform.SyncedAtColumn, transform.RunIDColumn, today, columns, missing), stamp, w.checkpoints.db.RunID())
	if err != nil {
		return 0, fmt.Errorf("copy the day: %w", err)
	}
	if added+deleted == 0 {
		return 0, nil
	}
	return added, w.checkpoints.db.CountRows(ctx, schema, c.Name, added-deleted, stamp)
}
