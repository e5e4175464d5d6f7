package facts

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"aqueduck/load/internal/clause"
	"aqueduck/load/internal/duck"
	"aqueduck/load/read"
)

// IDs runs the SQL of a stream file and gives its first column as text, each value once and in order, without NULL.
// {schema} in it stands for the workspace's schema, {raw} for its raw schema.
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

// ValuesAmong returns the stored values of some columns, as table.column, that equal one of the texts without regard to case. A column that is not
// stored has none.
func (w *Facts) ValuesAmong(ctx context.Context, schema string, columns, texts []string) (values []string, err error) {
	err = w.db.Do("look for names of persons", func(db *duck.DB) error {
		lower := make([]string, len(texts))
		for i, text := range texts {
			lower[i] = duck.Text(strings.ToLower(text))
		}
		var queries []string
		const stored = "SELECT schema_name, table_name, column_name FROM duckdb_columns() WHERE database_name = current_database() AND schema_name IN ($1, $2)"
		err := db.Each(ctx, stored, []any{schema, duck.RawSchema(schema)}, func(rows *sql.Rows) error {
			var in, table, column string
			err := rows.Scan(&in, &table, &column)
			if slices.Contains(columns, table+"."+column) {
				queries = append(queries, fmt.Sprintf("SELECT DISTINCT %[1]s FROM %[2]s WHERE lower(%[1]s) IN (%[3]s)", duck.Name(column), duck.Table(in, table), strings.Join(lower, ", ")))
			}
			return err
		})
		if err != nil || len(texts) == 0 {
			return err
		}
		// One statement a column: each needs a hash table, and one statement with all of them more memory than a run has.
		for _, query := range queries {
			err := db.Each(ctx, query, nil, func(rows *sql.Rows) error {
				var value string
				err := rows.Scan(&value)
				values = append(values, value)
				return err
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	slices.Sort(values)
	return slices.Compact(values), err
}

// Expected runs the SQL of a stream file for ids and the keys of the records that are expected for each: its first and
// second column. Without a second column the id is the key. Both lists have the same length. The query sees the tables in
// without as empty.
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

// queryStreamSQL runs the SQL of a stream file, which a user may have written: one statement that only reads.
func (w *Facts) queryStreamSQL(ctx context.Context, query string, visit func(*sql.Rows) error) error {
	return w.queryWithoutTables(ctx, "", nil, query, visit)
}

// queryWithoutTables is queryStreamSQL with some tables emptied for the query, in a transaction that is rolled back.
func (w *Facts) queryWithoutTables(ctx context.Context, schema string, without []string, query string, visit func(*sql.Rows) error) error {
	if err := read.RequireRead(w.db.DB, query); err != nil {
		return err
	}
	return w.db.DB.Undone(ctx, func() error {
		// DuckDB has a function that checkpoints from within a SELECT. It refuses to in a transaction that has written,
		// so this one writes.
		if _, err := w.db.DB.Exec(ctx, "INSERT INTO _sync.meta VALUES ('asking', '')"); err != nil {
			return err
		}
		for _, table := range without {
			t, err := w.db.Table(schema, table)
			if err == nil {
				_, err = w.db.DB.Exec(ctx, "DELETE FROM "+clause.Stored(schema, t))
			}
			if err != nil {
				return err
			}
		}
		return w.db.DB.Each(ctx, query, nil, visit)
	})
}
