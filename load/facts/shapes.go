package facts

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"aqueduck/load/internal/clause"
	"aqueduck/load/internal/duck"
	"aqueduck/load/read"
)

// Shape is what is known of a stored column: its type, its earlier types, and the kinds of values that did not fit it.
type Shape struct {
	Table, Column string
	Stored        string   // BOOLEAN, BIGINT, DOUBLE or VARCHAR
	Was           []string // earlier types, as stream files name them, the narrowest first
	Misfits       []string // kinds of values that did not fit: text, int, double, bool, object, list
	Rounded       bool     // of a BIGINT column with Misfits: some of its numbers would be rounded as DOUBLE
}

// Shapes gives the columns of a schema that can widen, or have.
func (w *Facts) Shapes(ctx context.Context, schema string) (all []Shape, err error) {
	err = w.db.Do("", func(db *duck.DB) error {
		all, err = readShapes(ctx, db, schema)
		return err
	})
	return all, err
}

// Shapes is that of Work for a published file.
func Shapes(ctx context.Context, r *read.Reader, schema string) ([]Shape, error) {
	return readShapes(ctx, r.DB, schema)
}

func readShapes(ctx context.Context, db *duck.DB, schema string) (all []Shape, err error) {
	err = db.Each(ctx, `SELECT c.table_name, c.column_name, c.data_type, coalesce(max(m.value), ''), coalesce(string_agg(DISTINCT n.example_type, ' '), '')
		FROM duckdb_columns() c JOIN _sync.tables t ON t.schema = c.schema_name AND t.table_name = c.table_name
			LEFT JOIN _sync.meta m ON m.key = 'was "' || replace(c.schema_name, '"', '""') || '"."' || replace(c.table_name, '"', '""') || '"."' || replace(c.column_name, '"', '""') || '"'
			LEFT JOIN _sync.schema_changes n ON n.schema = c.schema_name AND n.table_name = c.table_name AND n.column_name = c.column_name AND n.path IS NOT NULL
		WHERE c.database_name = $1 AND c.schema_name = $2 AND c.data_type IN ('BOOLEAN', 'BIGINT', 'DOUBLE', 'VARCHAR') GROUP BY ALL ORDER BY ALL`,
		[]any{duck.Catalog, schema}, func(rows *sql.Rows) error {
			var s Shape
			var was, types string
			err := rows.Scan(&s.Table, &s.Column, &s.Stored, &was, &types)
			s.Was, s.Misfits = strings.Fields(was), strings.Fields(types)
			all = append(all, s)
			return err
		})
	for i := range all {
		s := &all[i]
		if err == nil && s.Stored == "BIGINT" && len(s.Misfits) > 0 {
			err = db.Scan(ctx, "SELECT count(*) > 0 FROM "+duck.Table(schema, s.Table)+" WHERE NOT "+duck.Name(s.Column)+clause.ExactInDouble, nil, &s.Rounded)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("read the earlier columns of %s: %w", schema, err)
	}
	return all, nil
}

// KnownDrift gives the fields of a stream whose drift was recorded before, by table, column and path.
func (w *Facts) KnownDrift(ctx context.Context, schema, stream string) (known map[[3]string]bool, err error) {
	err = w.db.Do("", func(db *duck.DB) error {
		known = map[[3]string]bool{}
		return db.Each(ctx, "SELECT table_name, column_name, path FROM _sync.schema_changes WHERE schema = $1 AND stream = $2 AND path IS NOT NULL", []any{schema, stream},
			func(rows *sql.Rows) error {
				var key [3]string
				err := rows.Scan(&key[0], &key[1], &key[2])
				known[key] = true
				return err
			})
	})
	return known, err
}
