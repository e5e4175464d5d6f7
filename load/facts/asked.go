package facts

import (
	"context"
	"database/sql"

	"aqueduck/load/internal/clause"
	"aqueduck/load/internal/duck"
	"aqueduck/load/read"
)

// IDs gives the first column of a query, as text, each value once and no NULL. {schema} in it stands for the
// workspace's schema.
func (w *Facts) IDs(ctx context.Context, schema, query string) (ids []string, err error) {
	err = w.db.Do("find the ids to read", func(*duck.DB) error {
		return w.queryStreamSQL(ctx, "SELECT DISTINCT #1::VARCHAR FROM (\n"+clause.Bare(query, schema)+"\n) WHERE #1 IS NOT NULL ORDER BY 1", func(rows *sql.Rows) error {
			var id string
			if err := rows.Scan(&id); err != nil {
				return err
			}
			ids = append(ids, id)
			return nil
		})
	})
	return ids, err
}

// Expected asks an SQL file, in the work database, for ids and for the keys of the records that are expected for each: its
// first column and its second. Without a second the id is the key. The two lists have the same length. It is asked as if nothing
// were stored in the tables of without.
func (w *Facts) Expected(ctx context.Context, schema, query string, without ...string) (ids, keys []string, err error) {
	err = w.db.Do("find the ids to read", func(*duck.DB) error {
		return w.queryWithoutTables(ctx, schema, without, "SELECT DISTINCT COLUMNS(*)::VARCHAR FROM (\n"+clause.Bare(query, schema)+"\n) WHERE #1 IS NOT NULL ORDER BY ALL", func(rows *sql.Rows) error {
			columns, err := rows.Columns()
			if err != nil {
				return err
			}
			row, into := make([]sql.NullString, len(columns)), make([]any, len(columns))
			for i := range row {
				into[i] = &row[i]
			}
			if err := rows.Scan(into...); err != nil {
				return err
			}
			key := row[0].String
			if len(row) > 1 {
				key = row[1].String
			}
			ids, keys = append(ids, row[0].String), append(keys, key)
			return nil
		})
	})
	return ids, keys, err
}

// queryStreamSQL runs the SQL of a stream file, which may be a user's own: one statement that reads. There is a function, though, that
// checkpoints from within a SELECT; it refuses in a transaction that has written, so one writes a little and is undone.
func (w *Facts) queryStreamSQL(ctx context.Context, query string, visit func(*sql.Rows) error) error {
	return w.queryWithoutTables(ctx, "", nil, query, visit)
}

// queryWithoutTables is ask as if some tables were empty.
func (w *Facts) queryWithoutTables(ctx context.Context, schema string, without []string, query string, visit func(*sql.Rows) error) error {
	if err := read.RequireRead(w.db.DB, query); err != nil {
		return err
	}
	return w.db.DB.Undone(ctx, func() error {
		if _, err := w.db.DB.Exec(ctx, "INSERT INTO _sync.meta VALUES ('asking', '')"); err != nil {
			return err
		}
		for _, table := range without {
			if _, err := w.db.DB.Exec(ctx, "DELETE FROM "+duck.Table(schema, table)); err != nil {
				return err
			}
		}
		return w.db.DB.Each(ctx, query, nil, visit)
	})
}
