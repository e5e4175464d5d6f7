package erase

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"aqueduck/load/internal/clause"
	"aqueduck/load/internal/duck"
	"aqueduck/transform"
)

// IsBefore reports whether the later published file, which Options.Later names, was made from an older one with this name.
// After a rollback it may have been made from another one.
func (w *Erasures) IsBefore(ctx context.Context, name string) (before bool, err error) {
	err = w.db.Do("read from which files the published one was made", func(db *duck.DB) error {
		return db.Scan(ctx, "SELECT EXISTS (SELECT 1 FROM "+duck.Later+"._sync.publishes WHERE file = $1)", []any{name}, &before)
	})
	return before, err
}

// EmptyAsLater empties every personal value of an older database whose row has none in the later published file, and
// deletes the past states that the later file no longer has. Reapply, which comes after it, erases the persons that the
// older database names; but only later records may name the person of a row, or say that a text was redacted.
func (w *Erasures) EmptyAsLater(ctx context.Context, schema string) error {
	return w.db.Do("empty what the later file no longer has", func(db *duck.DB) error {
		columns, err := laterColumns(ctx, db, schema)
		if err != nil {
			return err
		}
		e := w.newEraser(schema, w.db.Stamp())
		return db.Transaction(ctx, func() error {
			for _, t := range e.tables {
				if err := e.emptyAsLater(ctx, t, columns[t.Name]); err != nil {
					return fmt.Errorf("table %s: %w", t.Name, err)
				}
			}
			return nil
		})
	})
}

// laterColumns gives the columns of the tables of the later file.
func laterColumns(ctx context.Context, db *duck.DB, schema string) (columns map[string][]string, err error) {
	columns = map[string][]string{}
	err = db.Each(ctx, "SELECT table_name, column_name FROM duckdb_columns() WHERE database_name = $1 AND schema_name = $2", []any{duck.Later, schema}, func(rows *sql.Rows) error {
		var table, column string
		err := rows.Scan(&table, &column)
		columns[table] = append(columns[table], column)
		return err
	})
	return columns, err
}

// emptyAsLater aligns one table. later are its columns in the later file.
func (e *subjectEraser) emptyAsLater(ctx context.Context, t transform.Table, later []string) error {
	if len(later) == 0 {
		return nil
	}
	relation, other := e.relationOf(t.Name), duck.Later+"."+e.relationOf(t.Name)
	same := clause.Matches("n.", t.Key, "t.", t.Key)
	if t.HistoryOf != "" {
		gone, err := e.work.db.DB.Exec(ctx, "DELETE FROM "+relation+" t WHERE NOT EXISTS (SELECT 1 FROM "+other+" n WHERE "+same+")")
		if err != nil {
			return err
		}
		if err := e.countOlder(ctx, t, gone); err != nil {
			return err
		}
	}
	var sets, lost []string
	for _, c := range t.Columns {
		name := duck.Name(c.Name)
		switch {
		case !slices.Contains(later, c.Name):
		case c.Erased:
			sets = append(sets, fmt.Sprintf("%s = coalesce(n.%[1]s, t.%[1]s)", name))
		case c.Redactable || e.isEmptied(t, c) || c.Name == transform.ExtraColumn:
			sets = append(sets, fmt.Sprintf("%s = CASE WHEN n.%[1]s IS NOT NULL THEN t.%[1]s END", name))
			lost = append(lost, fmt.Sprintf("n.%s IS NULL AND t.%[1]s IS NOT NULL", name))
		case c.Name == transform.HashColumn:
			sets = append(sets, name+" = NULL") // the row differs from whatever is read again (T174)
		}
	}
	if len(lost) == 0 {
		return nil
	}
	n, err := e.work.db.DB.Exec(ctx, fmt.Sprintf("UPDATE %s AS t SET %s FROM %s n WHERE %s AND n.%s > t.%[5]s AND (%[6]s)",
		relation, strings.Join(sets, ", "), other, same, transform.SyncedAtColumn, strings.Join(lost, " OR ")))
	if err != nil || n == 0 {
		return err
	}
	return e.countOlder(ctx, t, 0)
}

func (e *subjectEraser) countOlder(ctx context.Context, t transform.Table, gone int64) error {
	return e.work.db.CountRows(ctx, e.schema, t.Name, -gone, e.work.db.Stamp())
}
