package differ

import (
	"context"
	"fmt"
	"strings"

	"aqueduck/load/internal/duck"
)

// CopyFiles are local copies of the Parquet files of a table elsewhere.
type CopyFiles struct {
	Data    []CopyFile
	Deletes []string // files that name deleted rows: file_path and pos
}

// CopyFile is a local copy of a file with rows.
type CopyFile struct {
	Path string // of the local copy
	Name string // by which files of deletes call it
}

// ReadBoth sums up the rows of a table and those of a copy of it, both by their values as a copy has them. DuckDB reads the files of the copy itself: the hashes that
// are stored beside the rows do not count.
func (f *Published) ReadBoth(ctx context.Context, t Relation, files CopyFiles) (own, theirs Content, err error) {
	if own, err = f.sumUp(ctx, t, t.name()); err != nil {
		return own, theirs, fmt.Errorf("read the rows of %s.%s: %w", t.Schema, t.Name, err)
	}
	theirs.Sum = "0"
	if len(files.Data) > 0 {
		if theirs, err = f.sumUp(ctx, t, files.rowsSQL(t)); err != nil {
			return own, theirs, fmt.Errorf("read the files of %s.%s: %w", t.Schema, t.Name, err)
		}
	}
	return own, theirs, nil
}

func (f *Published) sumUp(ctx context.Context, t Relation, from string) (c Content, err error) {
	list := make([]string, len(t.Columns))
	for i, column := range t.Columns {
		list[i] = duck.Name(column.Name) + "::" + column.Kind()
	}
	err = f.r.DB.Scan(ctx, fmt.Sprintf("SELECT count(*), coalesce(sum(hash(%s)::HUGEINT), 0)::VARCHAR FROM %s", strings.Join(list, ", "), from), nil, &c.Rows, &c.Sum)
	return c, err
}

// rowsSQL is the SQL of the rows of a table that are not deleted. A column that a file lacks is NULL there.
func (c CopyFiles) rowsSQL(t Relation) string {
	var columns []string
	for _, column := range t.Columns {
		columns = append(columns, "NULL::"+column.Kind()+" AS "+duck.Name(column.Name))
	}
	var paths, names, deletes []string
	for _, file := range c.Data {
		paths = append(paths, duck.Text(file.Path))
		names = append(names, "("+duck.Text(file.Path)+", "+duck.Text(file.Name)+")")
	}
	rows := "(SELECT * FROM read_parquet([" + strings.Join(paths, ", ") + "], filename='_path', file_row_number=true, union_by_name=true) UNION ALL BY NAME SELECT " +
		strings.Join(columns, ", ") + " WHERE false)"
	if len(c.Deletes) == 0 {
		return rows
	}
	for _, path := range c.Deletes {
		deletes = append(deletes, duck.Text(path))
	}
	return fmt.Sprintf("(SELECT * FROM %s r ANTI JOIN (SELECT n.path, d.pos FROM read_parquet([%s]) d JOIN (VALUES %s) n (path, name) ON d.file_path = n.name) g ON r._path = g.path AND r.file_row_number = g.pos)",
		rows, strings.Join(deletes, ", "), strings.Join(names, ", "))
}
