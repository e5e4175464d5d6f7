package load

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"aqueduck/load/internal/duck"
)

// Misfit is what a column was found not to hold.
type Misfit struct {
	Table, Column string
	Types         []string // of the values: text, int, double, bool, object, list
	Stored        string   // type of the column in the database
	Rounded       bool     // some of its whole numbers would be rounded in a column of doubles
}

// Misfits gives the columns of a schema that were found not to hold a value, by what _sync.schema_changes tells.
func (w *Work) Misfits(ctx context.Context, schema string) ([]Misfit, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.db == nil {
		return nil, errClosed
	}
	var all []Misfit
	err := w.db.Each(ctx, `SELECT n.table_name, n.column_name, string_agg(DISTINCT n.example_type, ' '), max(c.data_type)
		FROM _sync.schema_changes n JOIN duckdb_columns() c ON c.database_name = $1 AND c.schema_name = n.schema AND c.table_name = n.table_name
			AND c.column_name = n.column_name
		WHERE n.schema = $2 AND n.path IS NOT NULL AND n.column_name <> '' GROUP BY ALL ORDER BY ALL`, []any{duck.Catalog, schema}, func(rows *sql.Rows) error {
		var m Misfit
		var types string
		err := rows.Scan(&m.Table, &m.Column, &types, &m.Stored)
		m.Types = strings.Fields(types)
		all = append(all, m)
		return err
	})
	for i := range all {
		m := &all[i]
		if err == nil && m.Stored == "BIGINT" {
			err = w.db.Scan(ctx, "SELECT count(*) > 0 FROM "+duck.Table(schema, m.Table)+" WHERE NOT "+duck.Name(m.Column)+exactInDouble, nil, &m.Rounded)
		}
	}
	if err != nil {
		return nil, w.judge(fmt.Errorf("ask what columns of %s did not hold: %w", schema, err))
	}
	return all, nil
}

// Known says whether a field, or a kind of value, of a stream was told of before.
func (w *Work) Known(ctx context.Context, schema, stream string) (map[[3]string]bool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.db == nil {
		return nil, errClosed
	}
	known := map[[3]string]bool{}
	err := w.db.Each(ctx, "SELECT table_name, column_name, path FROM _sync.schema_changes WHERE schema = $1 AND stream = $2 AND path IS NOT NULL", []any{schema, stream},
		func(rows *sql.Rows) error {
			var key [3]string
			err := rows.Scan(&key[0], &key[1], &key[2])
			known[key] = true
			return err
		})
	return known, w.judge(err)
}
