package stage

import (
	"context"
	"errors"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"aqueduck/load/internal/duck"
	"aqueduck/transform"
)

// Batch is an Arrow batch inside DuckDB: a temporary table with its columns.
type Batch struct {
	Name   string // quoted, with its catalog
	Table  transform.Table
	Rows   int64 // in the temporary table
	Unique bool  // no key comes twice
}

// New copies a whole batch into a temporary table. All Arrow enters here: DuckDB gives wrong values, without an error,
// for any other query of a registered batch. The view of the batch is made in the memory catalog, never in the file, and
// is read once, since its stream can be read only once.
func New(ctx context.Context, db *duck.DB, name string, b transform.Batch) (Batch, error) {
	s := Batch{Name: "temp." + duck.Name(name), Table: b.Table, Rows: b.Rows.NumRows(), Unique: hasUniqueKeys(b.Rows, b.Table.Key)}
	if err := copyArrow(ctx, db, s.Name, b); err != nil {
		return s, fmt.Errorf("stage %s: %w", b.Table.Name, err)
	}
	// The copy must have as many rows as the batch, and the same sum of row numbers.
	var rows, sum int64
	if err := db.Scan(ctx, "SELECT count(*), coalesce(sum(_row), 0)::BIGINT FROM "+s.Name, nil, &rows, &sum); err != nil {
		return s, fmt.Errorf("stage %s: %w", b.Table.Name, err)
	}
	if want := rowSum(b.Rows); rows != s.Rows || sum != want {
		return s, fmt.Errorf("stage %s: %d rows with checksum %d arrived as %d with checksum %d", b.Table.Name, s.Rows, want, rows, sum)
	}
	return s, nil
}

func copyArrow(ctx context.Context, db *duck.DB, name string, b transform.Batch) error {
	if b.Rows.NumCols() == 0 || b.Rows.ColumnName(0) != transform.RowColumn {
		return errors.New("the batch does not begin with " + transform.RowColumn)
	}
	rows, err := newReader(b.Rows, b.Table.Dated)
	if err != nil {
		return err
	}
	defer rows.Release()
	return db.ExecArrow(ctx, rows, "CREATE OR REPLACE TEMP TABLE "+name+" AS SELECT * FROM arriving")
}

func rowSum(rows arrow.RecordBatch) int64 {
	var sum int64
	for _, n := range rows.Column(0).(*array.Int64).Int64Values() {
		sum += n
	}
	return sum
}
