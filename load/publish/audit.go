package publish

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/duckdb/duckdb-go/v2"
	"github.com/parquet-go/parquet-go"

	"aqueduck/load/internal/duck"
)

// dictionaryShare is the divisor of a row group's rows for the largest dictionary of a column. DuckDB's own limit is
// larger and makes it look for repetition in columns of ids and names: a tenth more CPU for files that are 2 % smaller.
const dictionaryShare = 16

// partRows is the number of rows in a row group. DuckDB keeps a whole row group in memory while it writes; its default of
// 122,880 rows does not fit the memory limit with 60 columns.
func partRows(columns int) int {
	const usual, narrow = 122880, 8
	return max(2048, usual*narrow/max(columns, narrow)/2048*2048)
}

// partFile is a file to write.
type partFile struct {
	path    string
	columns []duck.StoredColumn
	group   int // rows in a row group
}

// copyOut writes rows, a table or "table WHERE condition", as Parquet and returns DuckDB's counts. DuckDB counts while it writes; counting in the table
// again would cost as much as reading it.
func copyOut(ctx context.Context, db *duck.DB, from string, file partFile) (partCounts, error) {
	c := partCounts{values: make([]int64, len(file.columns))}
	statement := fmt.Sprintf(`COPY (SELECT * FROM %s) TO %s (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1, ROW_GROUP_SIZE %d,
		DICTIONARY_SIZE_LIMIT %d, WRITE_BLOOM_FILTER false, RETURN_STATS)`, from, duck.Text(file.path), file.group, file.group/dictionaryShare)
	err := db.Each(ctx, statement, nil, func(rows *sql.Rows) error {
		var name, size, footer, keys any
		var statistics duckdb.OrderedMap
		if err := rows.Scan(&name, &c.rows, &size, &footer, &statistics, &keys); err != nil {
			return err
		}
		for i, column := range file.columns {
			nulls, err := nullsOf(&statistics, column.Name)
			if err != nil && c.rows > 0 {
				return fmt.Errorf("column %s: %w", column.Name, err)
			}
			c.values[i] = c.rows - nulls
		}
		return nil
	})
	return c, err
}

// nullsOf reads the number of NULLs of a column from the statistics of COPY.
func nullsOf(statistics *duckdb.OrderedMap, column string) (int64, error) {
	of, ok := statistics.Get(duck.Name(column))
	if !ok {
		return 0, errors.New("DuckDB returned no summary of the written file")
	}
	facts, ok := of.(duckdb.OrderedMap)
	if !ok {
		return 0, fmt.Errorf("DuckDB returned a summary of type %T", of)
	}
	text, _ := facts.Get("null_count")
	return strconv.ParseInt(fmt.Sprint(text), 10, 64)
}

// auditedRows are the rows of neighbouring row groups of a part.
type auditedRows struct {
	partCounts
	groups int
	copied bool // from an audited part: values are not known
}

// auditPart reads a part with a library other than DuckDB and compares columns, rows and the number of values in each
// column with DuckDB's counts (T151). Of row groups that were copied together it reads the last one: the offsets of all
// moved by the same distance.
func auditPart(path string, columns []duck.StoredColumn, want []auditedRows) error {
	var rows int64
	for _, w := range want {
		rows += w.rows
	}
	return comparePart(path, columns, rows, func(file *parquet.File) error {
		groups := file.RowGroups()
		for _, w := range want {
			if w.groups > len(groups) {
				return fmt.Errorf("%d row groups are missing", w.groups-len(groups))
			}
			if err := auditGroups(groups[:w.groups], columns, w); err != nil {
				return err
			}
			groups = groups[w.groups:]
		}
		if len(groups) > 0 {
			return fmt.Errorf("%d row groups too many", len(groups))
		}
		return nil
	})
}

func auditGroups(groups []parquet.RowGroup, columns []duck.StoredColumn, want auditedRows) error {
	if want.copied {
		groups = groups[max(len(groups)-1, 0):]
	}
	values := make([]int64, len(columns))
	// It reads by row group: a reader of a whole column keeps a page of each row group until it is closed.
	for _, group := range groups {
		for i, chunk := range group.ColumnChunks() {
			n, err := countValues(chunk.Pages())
			if err != nil {
				return fmt.Errorf("column %s: %w", columns[i].Name, err)
			}
			values[i] += n
		}
	}
	for i, c := range columns {
		if !want.copied && values[i] != want.values[i] {
			return fmt.Errorf("column %s has %d values in the file, DuckDB wrote %d", c.Name, values[i], want.values[i])
		}
	}
	return nil
}

// comparePart opens a part and compares its columns and rows; values checks the rest.
func comparePart(path string, columns []duck.StoredColumn, rows int64, values func(*parquet.File) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	file, err := parquet.OpenFile(f, info.Size())
	if err != nil {
		return err
	}
	if file.NumRows() != rows {
		return fmt.Errorf("%d rows in the file, %d in the table", file.NumRows(), rows)
	}
	leaves := file.Root().Columns()
	if len(leaves) != len(columns) {
		return fmt.Errorf("%d columns in the file, %d in the table", len(leaves), len(columns))
	}
	for i, leaf := range leaves {
		if leaf.Name() != columns[i].Name {
			return fmt.Errorf("column %d is %s in the file, %s in the table", i+1, leaf.Name(), columns[i].Name)
		}
	}
	return values(file)
}

// countValues reads all pages and counts the values that are not NULL.
func countValues(pages parquet.Pages) (values int64, err error) {
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
