package duck

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
)

// StoredColumn is a column of a table or view, with its type as DuckDB names it.
type StoredColumn struct{ Name, Type string }

// ColumnTypes gives the type of each column by its name.
func ColumnTypes(columns []StoredColumn) map[string]string {
	types := make(map[string]string, len(columns))
	for _, c := range columns {
		types[c.Name] = c.Type
	}
	return types
}

// definitions are the words of statements that define a table or view of the file. Temporary ones are none of them.
var definitions = []string{"CREATE TABLE", "CREATE VIEW", "REPLACE TABLE", "REPLACE VIEW", "ALTER TABLE", "DROP TABLE \"", "DROP VIEW \""}

// TableColumns is Columns for tables alone. It binds no views, which takes a tenth of a run that finds nothing.
func (d *DB) TableColumns(ctx context.Context, schema string) (map[string][]StoredColumn, error) {
	return d.rememberColumns(ctx, schema, "tables", "SELECT table_name FROM duckdb_tables() WHERE database_name = $1 AND schema_name = $2 ORDER BY ALL")
}

// Columns gives the columns of all tables and views of a schema of the file, in order, by table. It reads them once, and again
// after a statement that defines a table or view. The caller must not change them.
func (d *DB) Columns(ctx context.Context, schema string) (map[string][]StoredColumn, error) {
	return d.rememberColumns(ctx, schema, "tables and views", `SELECT table_name FROM duckdb_tables() WHERE database_name = $1 AND schema_name = $2
		UNION ALL SELECT view_name FROM duckdb_views() WHERE database_name = $1 AND schema_name = $2 ORDER BY ALL`)
}

// rememberColumns gives the columns of the relations that a query names. It asks each of them: duckdb_columns would bind the views of all
// schemas, once for each schema.
func (d *DB) rememberColumns(ctx context.Context, schema, kind, list string) (map[string][]StoredColumn, error) {
	return Remember(d, "columns of "+kind+" of "+schema, definitions, func() (map[string][]StoredColumn, error) {
		all, queries := map[string][]StoredColumn{}, []string(nil)
		relations, err := d.ScanTexts(ctx, list, Catalog, schema)
		for _, name := range relations {
			queries = append(queries, "SELECT "+Text(name)+", name, type FROM pragma_table_info("+Text(Table(schema, name))+")")
		}
		if err == nil && len(queries) > 0 {
			err = d.Each(ctx, strings.Join(queries, " UNION ALL "), nil, scanColumns(all))
		}
		if err != nil {
			return nil, fmt.Errorf("list the columns of the %s of %s: %w", kind, schema, err)
		}
		return all, nil
	})
}

// scanColumns adds each row of table, column and type to the columns of its table.
func scanColumns(all map[string][]StoredColumn) func(*sql.Rows) error {
	return func(rows *sql.Rows) error {
		var table string
		var c StoredColumn
		err := rows.Scan(&table, &c.Name, &c.Type)
		all[table] = append(all[table], c)
		return err
	}
}
