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

// EmptyAsLater empties every personal value of an older database that the later published file no longer has: the row has
// none there, or is gone. Past states that are gone are deleted. Reapply, which comes after it, erases the persons that the
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

// laterColumns gives the columns of the stored tables of the later file.
func laterColumns(ctx context.Context, db *duck.DB, schema string) (columns map[string][]string, err error) {
	columns = map[string][]string{}
	const query = `SELECT table_name, column_name FROM duckdb_columns() JOIN duckdb_tables() USING (database_name, schema_name, table_name)
		WHERE database_name = $1 AND schema_name IN ($2, $3)`
	err = db.Each(ctx, query, []any{duck.Later, schema, duck.RawSchema(schema)}, func(rows *sql.Rows) error {
		var table, column string
		err := rows.Scan(&table, &column)
		columns[table] = append(columns[table], column)
		return err
	})
	return columns, err
}

// emptyAsLater aligns one table. later are its columns in the later file.
func (e *subjectEraser) emptyAsLater(ctx context.Context, t transform.Table, later []string) error {
	personal := slices.DeleteFunc(slices.Clone(t.Columns), func(c transform.Column) bool {
		return !slices.Contains(later, c.Name) || c.Erased || !c.Redactable && !e.isEmptied(t, c)
	})
	if len(personal) == 0 {
		return nil
	}
	relation, same := e.relationOf(t.Name), sameRow(t, later)
	changed, err := e.work.db.DB.Exec(ctx, emptyPairs(relation, same, t, personal))
	if err != nil {
		return err
	}
	drop := "DELETE FROM " + relation + " t"
	if t.HistoryOf == "" {
		sets := []string{transform.ExtraColumn + " = NULL"}
		for _, c := range personal {
			sets = append(sets, duck.Name(c.Name)+" = NULL")
		}
		drop = "UPDATE " + relation + " AS t SET " + strings.Join(sets, ", ")
	}
	gone, err := e.work.db.DB.Exec(ctx, fmt.Sprintf("%s WHERE NOT EXISTS (SELECT 1 FROM %s.%s n WHERE %s)", drop, duck.Later, relation, same))
	if err != nil || changed+gone == 0 {
		return err
	}
	if t.HistoryOf == "" {
		gone = 0 // its rows are emptied
	}
	return e.work.db.CountRows(ctx, e.schema, t.Name, -gone, e.work.db.Stamp())
}

// sameRow is the condition that a row n of the later file is a row t of the older one. Without a key, only all values identify
// a row. later are the columns that both have.
func sameRow(t transform.Table, later []string) string {
	if len(t.Key) > 0 {
		return clause.Matches("n.", t.Key, "t.", t.Key)
	}
	var same []string
	for _, c := range clause.Compared(t) {
		if slices.Contains(later, c) {
			same = append(same, fmt.Sprintf("n.%s IS NOT DISTINCT FROM t.%[1]s", duck.Name(c)))
		}
	}
	return strings.Join(same, " AND ")
}

// emptyPairs empties the columns where the later file has the same row, changed since, without a value.
func emptyPairs(relation, same string, t transform.Table, columns []transform.Column) string {
	var sets, lost []string
	for _, c := range append(columns, transform.Column{Name: transform.ExtraColumn}) {
		sets = append(sets, fmt.Sprintf("%s = CASE WHEN n.%[1]s IS NOT NULL THEN t.%[1]s END", duck.Name(c.Name)))
		lost = append(lost, fmt.Sprintf("n.%s IS NULL AND t.%[1]s IS NOT NULL", duck.Name(c.Name)))
	}
	for _, c := range t.Columns {
		switch {
		case c.Erased:
			sets = append(sets, fmt.Sprintf("%s = coalesce(n.%[1]s, t.%[1]s)", duck.Name(c.Name)))
		case c.Name == transform.HashColumn:
			sets = append(sets, duck.Name(c.Name)+" = NULL") // the row differs from whatever is read again (T174)
		}
	}
	return fmt.Sprintf("UPDATE %s AS t SET %s FROM %s.%[1]s n WHERE %[4]s AND n.%[5]s > t.%[5]s AND (%[6]s)",
		relation, strings.Join(sets, ", "), duck.Later, same, transform.SyncedAtColumn, strings.Join(lost, " OR "))
}
