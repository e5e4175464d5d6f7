package publish

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"aqueduck/load/internal/duck"

	"github.com/parquet-go/parquet-go"
)

// auditPart reads a part with a library that is not DuckDB's and compares rows, columns and the NULLs of each column
// with what DuckDB counts in the table.
func auditPart(ctx context.Context, db *duck.DB, table string, columns []storedColumn, path string) (int64, error) {
	counts := make([]int64, len(columns)+1)
	into := make([]any, len(counts))
	for i := range counts {
		into[i] = &counts[i]
	}
	terms := []string{"count(*)"}
	for _, c := range columns {
		terms = append(terms, "count("+duck.Name(c.name)+")")
	}
	query := "SELECT " + strings.Join(terms, ", ") + " FROM " + table
	if err := db.Scan(ctx, query, nil, into...); err != nil {
		return 0, err
	}
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	file, err := parquet.OpenFile(f, info.Size())
	if err != nil {
		return 0, err
	}
	if file.NumRows() != counts[0] {
		return 0, fmt.Errorf("%d rows in the file, %d in the table", file.NumRows(), counts[0])
	}
	leaves := file.Root().Columns()
	if len(leaves) != len(columns) {
		return 0, fmt.Errorf("%d columns in the file, %d in the table", len(leaves), len(columns))
	}
	for i, leaf := range leaves {
		if leaf.Name() != columns[i].name {
			return 0, fmt.Errorf("column %d is %s in the file, %s in the table", i+1, leaf.Name(), columns[i].name)
		}
		values, err := countValues(leaf)
		if err != nil {
			return 0, fmt.Errorf("column %s: %w", leaf.Name(), err)
		}
		if values != counts[i+1] {
			return 0, fmt.Errorf("column %s has %d values in the file, %d in the table", leaf.Name(), values, counts[i+1])
		}
	}
	return counts[0], nil
}

// countValues reads all pages of a column and counts what is not NULL.
func countValues(column *parquet.Column) (values int64, err error) {
	pages := column.Pages()
	defer func() { err = errors.Join(err, pages.Close()) }()
	for {
		page, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			return values, nil
		}
		if err != nil {
			return 0, err
		}
		values += page.NumValues() - page.NumNulls()
		parquet.Release(page)
	}
}
