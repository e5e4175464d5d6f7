package duck

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
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

// TableTypes gives the type of every column of every table of a schema, by table and column.
func (d *DB) TableTypes(ctx context.Context, schema string) (map[string]map[string]string, error) {
	columns, err := d.TableColumns(ctx, schema)
	types := make(map[string]map[string]string, len(columns))
	for table, list := range columns {
		types[table] = ColumnTypes(list)
	}
	return types, err
}

// Definitions are the words of statements that define a table or view of the file. Temporary ones are none of them.
var Definitions = []string{"CREATE TABLE", "CREATE VIEW", "REPLACE TABLE", "REPLACE VIEW", "ALTER TABLE", "DROP TABLE \"", "DROP VIEW \""}

// TableColumns is Columns for tables alone, those in the raw schema among them. duckdb_columns binds each view to name its columns, which takes a tenth of a run that
// finds nothing; this asks each table.
func (d *DB) TableColumns(ctx context.Context, schema string) (map[string][]StoredColumn, error) {
	return Remember(d, "columns of tables of "+schema, Definitions, func() (map[string][]StoredColumn, error) {
		all, queries := map[string][]StoredColumn{}, []string(nil)
		tables := "SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = $1 AND schema_name IN ($2, $3) ORDER BY table_name"
		err := d.Each(ctx, tables, []any{Catalog, schema, RawSchema(schema)}, func(rows *sql.Rows) error {
			var place, table string
			err := rows.Scan(&place, &table)
			queries = append(queries, "SELECT "+Text(table)+", name, type FROM pragma_table_info("+Text(Table(place, table))+")")
			return err
		})
		if err == nil && len(queries) > 0 {
			err = d.Each(ctx, strings.Join(queries, " UNION ALL "), nil, scanColumns(all))
		}
		if err != nil {
			return nil, fmt.Errorf("list the columns of the tables of %s: %w", schema, err)
		}
		return all, nil
	})
}

// StoredName is the quoted name of a stored table of a workspace: in the raw schema if it is there, else in the workspace's own. Where the list of
// tables cannot be read, the query that names the table cannot be answered either.
func (d *DB) StoredName(ctx context.Context, schema, table string) string {
	if raw, err := d.RawTables(ctx, schema); err == nil && slices.Contains(raw, table) {
		schema = RawSchema(schema)
	}
	return Table(schema, table)
}

// RawTables gives the names of the tables of a workspace that are stored in the raw schema. The caller must not change them.
func (d *DB) RawTables(ctx context.Context, schema string) ([]string, error) {
	return Remember(d, "raw tables of "+schema, Definitions, func() ([]string, error) {
		names, err := d.ScanTexts(ctx, "SELECT table_name FROM duckdb_tables() WHERE database_name = $1 AND schema_name = $2", Catalog, RawSchema(schema))
		if err != nil {
			return nil, fmt.Errorf("list the tables of %s: %w", RawSchema(schema), err)
		}
		return names, nil
	})
}

// Columns gives the columns of all tables and views of a schema of the file, in order, by table. It reads them once, and again
// after a statement that defines a table or view. The caller must not change them.
func (d *DB) Columns(ctx context.Context, schema string) (map[string][]StoredColumn, error) {
	return Remember(d, "columns of "+schema, Definitions, func() (map[string][]StoredColumn, error) {
		all := map[string][]StoredColumn{}
		query := "SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE database_name = $1 AND schema_name = $2 ORDER BY table_name, column_index"
		err := d.Each(ctx, query, []any{Catalog, schema}, scanColumns(all))
		if err != nil {
			return nil, fmt.Errorf("list the columns of %s: %w", schema, err)
		}
		return all, nil
	})
}

// PrefixedNames has the name of each table and view of some schemas, with the prefix of its schema before it.
func (d *DB) PrefixedNames(ctx context.Context, schemas map[string]string) (map[string]bool, error) {
	all := map[string]bool{}
	for prefix, schema := range schemas {
		columns, err := d.Columns(ctx, schema)
		if err != nil {
			return nil, err
		}
		for name := range columns {
			all[prefix+name] = true
		}
	}
	return all, nil
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
