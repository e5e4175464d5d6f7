package facts

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"

	"aqueduck/load/internal/clause"
	"aqueduck/load/internal/duck"
	"aqueduck/load/internal/workdb"
	"aqueduck/load/read"
	"aqueduck/transform"
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
	columns, err := db.TableColumns(ctx, schema)
	if err != nil {
		return nil, err
	}
	earlier, err := wordsByKey(ctx, db, "SELECT key, coalesce(value, '') FROM _sync.meta WHERE key LIKE 'was %'")
	if err != nil {
		return nil, fmt.Errorf("read the earlier types of columns of %s: %w", schema, err)
	}
	misfits, err := wordsByKey(ctx, db, `SELECT table_name || ' ' || column_name, coalesce(string_agg(DISTINCT example_type, ' ' ORDER BY example_type), '')
		FROM _sync.schema_changes WHERE schema = $1 AND path IS NOT NULL AND example_type IS DISTINCT FROM $2 GROUP BY ALL`, schema, transform.DriftWord)
	if err != nil {
		return nil, fmt.Errorf("read the dead letters of columns of %s: %w", schema, err)
	}
	tables, err := wordsByKey(ctx, db, "SELECT table_name, '' FROM _sync.tables WHERE schema = $1", schema)
	if err != nil {
		return nil, fmt.Errorf("list the stored tables of %s: %w", schema, err)
	}
	for _, table := range slices.Sorted(maps.Keys(tables)) {
		for _, c := range columns[table] {
			if !slices.Contains([]string{"BOOLEAN", "BIGINT", "DOUBLE", "VARCHAR"}, c.Type) {
				continue
			}
			s := Shape{Table: table, Column: c.Name, Stored: c.Type, Was: earlier[workdb.WasKey(schema, table, c.Name)], Misfits: misfits[table+" "+c.Name]}
			if s.Stored == "BIGINT" && len(s.Misfits) > 0 {
				err := db.Scan(ctx, "SELECT count(*) > 0 FROM "+db.StoredName(ctx, schema, table)+" WHERE NOT "+duck.Name(c.Name)+clause.ExactInDouble, nil, &s.Rounded)
				if err != nil {
					return nil, fmt.Errorf("read %s.%s.%s: %w", schema, table, c.Name, err)
				}
			}
			all = append(all, s)
		}
	}
	return all, nil
}

// wordsByKey reads pairs of a key and words with spaces between them.
func wordsByKey(ctx context.Context, db *duck.DB, query string, args ...any) (map[string][]string, error) {
	all := map[string][]string{}
	err := db.Each(ctx, query, args, func(rows *sql.Rows) error {
		var key, words string
		err := rows.Scan(&key, &words)
		all[key] = strings.Fields(words)
		return err
	})
	return all, err
}

// KnownDrift gives the fields of a stream whose drift was recorded before, by table, column and path. Words do not count.
func (w *Facts) KnownDrift(ctx context.Context, schema, stream string) (known map[[3]string]bool, err error) {
	err = w.db.Do("", func(db *duck.DB) error {
		known = map[[3]string]bool{}
		return db.Each(ctx, "SELECT table_name, column_name, path FROM _sync.schema_changes WHERE schema = $1 AND stream = $2 AND path IS NOT NULL AND example_type IS DISTINCT FROM $3", []any{schema, stream, transform.DriftWord},
			func(rows *sql.Rows) error {
				var key [3]string
				err := rows.Scan(&key[0], &key[1], &key[2])
				known[key] = true
				return err
			})
	})
	return known, err
}
