// Package catalog copies views and comments from one database file into another, and lists what a file defines.
package catalog

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"aqueduck/load/internal/duck"
)

// CopyOtherSchemas makes the views and the comments of the attached file "old", of all schemas but some. Their tables are there
// already.
func CopyOtherSchemas(ctx context.Context, db *duck.DB, except []string) error {
	if err := copyViews(ctx, db, except); err != nil {
		return fmt.Errorf("make the views of other schemas: %w", err)
	}
	if err := copyComments(ctx, db, except); err != nil {
		return fmt.Errorf("comment the tables of other schemas: %w", err)
	}
	return nil
}

// copyViews makes the views of all schemas but some. A view may read another one that has a later place in the catalog, so
// those that fail are tried again for as long as others succeed.
func copyViews(ctx context.Context, db *duck.DB, except []string) error {
	var statements []string
	err := eachOld(ctx, db, "SELECT schema_name, sql FROM duckdb_views() WHERE database_name = 'old' AND NOT internal ORDER BY view_oid", except, func(v []string) {
		statements = append(statements, "CREATE SCHEMA IF NOT EXISTS "+duck.Name(v[0])+"; "+v[1])
	})
	for before := -1; err == nil && len(statements) > 0; {
		if len(statements) == before {
			_, err = db.Exec(ctx, statements[0])
			return err
		}
		before = len(statements)
		statements = slices.DeleteFunc(statements, func(statement string) bool {
			_, err := db.Exec(ctx, statement)
			return err == nil
		})
		err = ctx.Err()
	}
	return err
}

// copyComments comments the tables, views and columns of all schemas but some.
func copyComments(ctx context.Context, db *duck.DB, except []string) error {
	var text strings.Builder
	comment := func(v []string) { fmt.Fprintf(&text, "COMMENT ON %s %s IS %s;\n", v[1], v[2], duck.Text(v[3])) }
	name := func(parts ...string) string {
		for i, part := range parts {
			parts[i] = `'"' || replace(` + part + `, '"', '""') || '"'`
		}
		return strings.Join(parts, " || '.' || ")
	}
	var errs []error
	for _, query := range []string{
		"SELECT schema_name, 'TABLE', " + name("schema_name", "table_name") + ", comment FROM duckdb_tables()",
		"SELECT schema_name, 'VIEW', " + name("schema_name", "view_name") + ", comment FROM duckdb_views()",
		"SELECT schema_name, 'COLUMN', " + name("schema_name", "table_name", "column_name") + ", comment FROM duckdb_columns()",
	} {
		errs = append(errs, eachOld(ctx, db, query+" WHERE database_name = 'old' AND NOT internal AND comment IS NOT NULL", except, comment))
	}
	if err := errors.Join(errs...); err != nil || text.Len() == 0 {
		return err
	}
	_, err := db.Exec(ctx, text.String())
	return err
}

// eachOld visits the rows of a query of texts whose first column is a schema, of all schemas but some.
func eachOld(ctx context.Context, db *duck.DB, query string, except []string, visit func(values []string)) error {
	return db.Each(ctx, query, nil, func(rows *sql.Rows) error {
		columns, err := rows.Columns()
		if err != nil {
			return err
		}
		values, into := make([]string, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return err
		}
		if !slices.Contains(except, values[0]) {
			visit(values)
		}
		return nil
	})
}

// Fingerprint changes when the definition of a table of some schemas does, or DuckDB's version. Where it is the same, DuckDB binds the same views
// over these schemas. The views are not in it: DuckDB shows the same view in several spellings.
func Fingerprint(ctx context.Context, db *duck.DB, schemas ...string) (fingerprint string, err error) {
	names := make([]string, len(schemas))
	for i, name := range schemas {
		names[i] = duck.Text(name)
	}
	err = db.Scan(ctx, "SELECT md5(version() || coalesce(string_agg(sql, chr(10) ORDER BY sql), '')) FROM duckdb_tables() WHERE database_name = $1 AND schema_name IN ("+
		strings.Join(names, ", ")+")", []any{duck.Catalog}, &fingerprint)
	if err != nil {
		return "", fmt.Errorf("list the definitions of %s: %w", strings.Join(schemas, " and "), err)
	}
	return fingerprint, nil
}

// RelationKinds gives the stored kind of each relation of a schema, view or table, by name. One query for all costs as
// much as one for each.
func RelationKinds(ctx context.Context, db *duck.DB, schema string) (map[string]string, error) {
	all := map[string]string{}
	query := `SELECT table_name, 'table' FROM duckdb_tables() WHERE database_name = $1 AND schema_name = $2
		UNION ALL SELECT view_name, 'view' FROM duckdb_views() WHERE database_name = $1 AND schema_name = $2`
	err := db.Each(ctx, query, []any{duck.Catalog, schema}, func(rows *sql.Rows) error {
		var name, kind string
		err := rows.Scan(&name, &kind)
		all[name] = kind
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list the relations of %s: %w", schema, err)
	}
	return all, nil
}
