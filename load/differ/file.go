package differ

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"aqueduck/load/internal/duck"
	"aqueduck/load/read"
)

// HashColumn is the column of a copy that has the hash of each row.
const HashColumn = "_mirror_hash"

// Published is an open published file. It may be used by one goroutine at a time.
type Published struct{ r *read.Reader }

// Owner is a workspace whose tables a published file has.
type Owner struct {
	Schema string
	ID     string // by the source
}

// Relation is a table or view of a published file.
type Relation struct {
	Schema, Name string
	Doc          string
	Columns      []Field
	Key          []string // columns that identify a row; nil: not known
}

// Field is a column of a table, with its type as DuckDB names it.
type Field struct{ Name, Type, Doc string }

// OpenPublished opens a published file. The caller closes it.
func OpenPublished(ctx context.Context, path string) (*Published, error) {
	r, err := read.OpenReader(ctx, path)
	if err != nil {
		return nil, err
	}
	return &Published{r}, nil
}

// OpenBeside is OpenPublished for a comparison with files in a directory.
func OpenBeside(ctx context.Context, path, dir string) (*Published, error) {
	r, err := read.OpenBeside(ctx, path, dir)
	if err != nil {
		return nil, err
	}
	return &Published{r}, nil
}

// Close closes the file.
func (f *Published) Close() error { return f.r.Close() }

// Owners are the workspaces that fill the file.
func (f *Published) Owners(ctx context.Context) (all []Owner, err error) {
	err = f.r.DB.Each(ctx, "SELECT schema, id FROM _sync.workspaces ORDER BY schema", nil, func(rows *sql.Rows) error {
		var w Owner
		err := rows.Scan(&w.Schema, &w.ID)
		all = append(all, w)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the workspaces of the published file: %w", err)
	}
	return all, nil
}

// ListRelations gives the tables of a schema that are among the wanted names, and all other stored tables but the left out ones, in order of their names.
func (f *Published) ListRelations(ctx context.Context, schema string, wanted, without []string) (all []Relation, err error) {
	query := `SELECT c.table_name, coalesce(t.comment, v.comment, ''), t.table_name IS NOT NULL, c.column_name, c.data_type, coalesce(c.comment, '')
		FROM duckdb_columns() c
		LEFT JOIN duckdb_tables() t USING (database_name, schema_name, table_name)
		LEFT JOIN duckdb_views() v ON v.database_name = c.database_name AND v.schema_name = c.schema_name AND v.view_name = c.table_name
		WHERE c.database_name = $1 AND c.schema_name = $2 ORDER BY c.table_name, c.column_index`
	err = f.r.DB.Each(ctx, query, []any{duck.Catalog, schema}, func(rows *sql.Rows) error {
		t, c, stored := Relation{Schema: schema}, Field{}, false
		if err := rows.Scan(&t.Name, &t.Doc, &stored, &c.Name, &c.Type, &c.Doc); err != nil {
			return err
		}
		if !slices.Contains(wanted, t.Name) && (!stored || slices.Contains(without, t.Name)) {
			return nil
		}
		if n := len(all); n == 0 || all[n-1].Name != t.Name {
			all = append(all, t)
		}
		last := &all[len(all)-1]
		last.Columns = append(last.Columns, c)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list the tables of %s in the published file: %w", schema, err)
	}
	return all, nil
}

// plain are the types that a copy has as they are.
var plain = []string{"BOOLEAN", "INTEGER", "BIGINT", "DOUBLE", "DATE", "TIMESTAMP WITH TIME ZONE", "VARCHAR"}

// Kind is the type of the column in a copy: its own, or VARCHAR.
func (c Field) Kind() string {
	if slices.Contains(plain, c.Type) {
		return c.Type
	}
	return "VARCHAR"
}

// hashSQL is the SQL of a row's hash. DuckDB's hash is without a sign, and a copy has only numbers with one.
func (t Relation) hashSQL() string {
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = c.Name
	}
	return "(hash(" + duck.Names("", names) + ")::HUGEINT - 9223372036854775808)::BIGINT"
}

// values is the SQL of the columns as a copy has them.
func (t Relation) values() string {
	list := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		list[i] = duck.Name(c.Name)
		if c.Kind() != c.Type {
			list[i] = duck.Name(c.Name) + "::VARCHAR AS " + duck.Name(c.Name)
		}
	}
	return strings.Join(list, ", ")
}

func (t Relation) name() string { return duck.Table(t.Schema, t.Name) }
