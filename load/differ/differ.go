package differ

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"iter"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/duckdb/duckdb-go/v2"

	"aqueduck/load/internal/duck"
)

// Content says what rows a table has: equal contents are equal rows, in any order.
type Content struct {
	Rows int64
	Sum  string // of the hashes
}

// Summary is the content as a copy notes it.
func (c Content) Summary() string { return fmt.Sprintf("%d %s", c.Rows, c.Sum) }

// ReadContent counts the rows of a table and adds up their hashes. Comparisons that follow are about this table.
func (f *Published) ReadContent(ctx context.Context, t Relation) (c Content, err error) {
	_, err = f.r.DB.Exec(ctx, fmt.Sprintf("CREATE OR REPLACE TEMP TABLE own AS SELECT %s AS row_hash, count(*) AS n FROM %s GROUP BY ALL", t.hashSQL(), t.name()))
	if err == nil {
		err = f.r.DB.Scan(ctx, "SELECT coalesce(sum(n), 0)::BIGINT, coalesce(sum(row_hash::HUGEINT * n), 0)::VARCHAR FROM temp.own", nil, &c.Rows, &c.Sum)
	}
	if err != nil {
		return c, fmt.Errorf("read the rows of %s.%s: %w", t.Schema, t.Name, err)
	}
	return c, nil
}

// Places is the schema of the rows of a copy: the hash of each, the number of its file, and its position there.
var places = arrow.NewSchema([]arrow.Field{{Name: "row_hash", Type: arrow.PrimitiveTypes.Int64}, {Name: "file", Type: arrow.PrimitiveTypes.Int64},
	{Name: "position", Type: arrow.PrimitiveTypes.Int64}}, nil)

// Place is where a copy has a row.
type Place struct {
	File     int64 // number of the file, by the caller
	Position int64 // of the row in the file, from 0 on
}

// Compare compares the table that was read last with the rows of a copy: the hash of each, with its place. It gives the places of rows that are no longer in
// the table, in order, and the number of rows that the copy lacks.
func (f *Published) Compare(ctx context.Context, rows iter.Seq2[Place, int64]) (gone []Place, lacking int64, err error) {
	if err := f.stagePlaces(ctx, rows); err != nil {
		return nil, 0, fmt.Errorf("compare with the rows of the copy: %w", err)
	}
	steps := []string{
		"CREATE OR REPLACE TEMP TABLE counted AS SELECT row_hash, count(*) AS n FROM temp.theirs GROUP BY ALL",
		"CREATE OR REPLACE TEMP TABLE missing AS SELECT o.row_hash, (o.n - coalesce(c.n, 0))::BIGINT AS n FROM temp.own o LEFT JOIN temp.counted c USING (row_hash) WHERE o.n > coalesce(c.n, 0)",
	}
	for _, step := range steps {
		if _, err := f.r.DB.Exec(ctx, step); err != nil {
			return nil, 0, fmt.Errorf("compare with the rows of the copy: %w", err)
		}
	}
	if err := f.r.DB.Scan(ctx, "SELECT coalesce(sum(n), 0)::BIGINT FROM temp.missing", nil, &lacking); err != nil {
		return nil, 0, fmt.Errorf("compare with the rows of the copy: %w", err)
	}
	// Of rows that are there more often than in the table, the first ones stay.
	query := `SELECT t.file, t.position FROM (SELECT *, row_number() OVER (PARTITION BY row_hash ORDER BY file, position) AS k FROM temp.theirs
			WHERE row_hash IN (SELECT c.row_hash FROM temp.counted c LEFT JOIN temp.own o USING (row_hash) WHERE c.n > coalesce(o.n, 0))) t
		LEFT JOIN temp.own o USING (row_hash) WHERE t.k > coalesce(o.n, 0) ORDER BY ALL`
	err = f.r.DB.Each(ctx, query, nil, func(rows *sql.Rows) error {
		var p Place
		err := rows.Scan(&p.File, &p.Position)
		gone = append(gone, p)
		return err
	})
	if err != nil {
		return nil, 0, fmt.Errorf("compare with the rows of the copy: %w", err)
	}
	return gone, lacking, nil
}

// stageRows is how many rows of a copy are handed to DuckDB at once.
const stageRows = 65536

// stagePlaces copies the rows into a temporary table. A batch arrives whole, without a projection, as load/internal/stage says.
func (f *Published) stagePlaces(ctx context.Context, rows iter.Seq2[Place, int64]) error {
	if _, err := f.r.DB.Exec(ctx, "CREATE OR REPLACE TEMP TABLE theirs (row_hash BIGINT, file BIGINT, position BIGINT)"); err != nil {
		return err
	}
	var hashes, files, positions []int64
	flush := func() error {
		if len(hashes) == 0 {
			return nil
		}
		err := f.stageBatch(ctx, hashes, files, positions)
		hashes, files, positions = hashes[:0], files[:0], positions[:0]
		return err
	}
	for place, hash := range rows {
		hashes, files, positions = append(hashes, hash), append(files, place.File), append(positions, place.Position)
		if len(hashes) == stageRows {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

func (f *Published) stageBatch(ctx context.Context, columns ...[]int64) error {
	arrays := make([]arrow.Array, len(columns))
	for i, values := range columns {
		b := array.NewInt64Builder(memory.DefaultAllocator)
		b.AppendValues(values, nil)
		arrays[i] = b.NewArray()
		b.Release()
		defer arrays[i].Release()
	}
	batch := array.NewRecordBatch(places, arrays, int64(len(columns[0])))
	defer batch.Release()
	return f.execArrow(ctx, batch, "INSERT INTO temp.theirs SELECT * FROM arriving")
}

func (f *Published) execArrow(ctx context.Context, batch arrow.RecordBatch, statement string) error {
	rows, err := array.NewRecordReader(batch.Schema(), []arrow.RecordBatch{batch})
	if err != nil {
		return err
	}
	defer rows.Release()
	return f.r.DB.ExecArrow(ctx, rows, statement)
}

// Lacking hands the rows that the copy lacks, by the last comparison, to use, with their hashes.
func (f *Published) Lacking(ctx context.Context, t Relation, use func(array.RecordReader) error) error {
	var partly int64
	if err := f.r.DB.Scan(ctx, "SELECT count(*) FROM temp.missing m JOIN temp.own o USING (row_hash) WHERE o.n <> m.n", nil, &partly); err != nil {
		return err
	}
	all := fmt.Sprintf("SELECT *, %s AS %s FROM %s", t.hashSQL(), duck.Name(HashColumn), t.name())
	query := fmt.Sprintf("SELECT %s, %s FROM (%s) WHERE %[2]s IN (SELECT row_hash FROM temp.missing)", t.values(), duck.Name(HashColumn), all)
	if partly > 0 { // of equal rows, some are there already
		query = fmt.Sprintf("SELECT %s, %s FROM (SELECT *, row_number() OVER (PARTITION BY %[2]s) AS _k FROM (%s)) r JOIN (SELECT row_hash AS _of, n AS _most FROM temp.missing) ON _of = %[2]s WHERE _k <= _most",
			t.values(), duck.Name(HashColumn), all)
	}
	return t.explainCopy(f.hand(ctx, query, use))
}

// All hands all rows of a table to use, with their hashes.
func (f *Published) All(ctx context.Context, t Relation, use func(array.RecordReader) error) error {
	return t.explainCopy(f.hand(ctx, fmt.Sprintf("SELECT %s, %s AS %s FROM %s", t.values(), t.hashSQL(), duck.Name(HashColumn), t.name()), use))
}

func (t Relation) explainCopy(err error) error {
	if err != nil {
		return fmt.Errorf("copy the rows of %s.%s: %w", t.Schema, t.Name, err)
	}
	return nil
}

// hand hands the rows of a query to use.
func (f *Published) hand(ctx context.Context, query string, use func(array.RecordReader) error) error {
	return f.r.DB.Conn().Raw(func(raw any) error {
		door, err := duckdb.NewArrowFromConn(raw.(driver.Conn))
		if err != nil {
			return err
		}
		rows, err := door.QueryContext(ctx, query)
		if err != nil {
			return err
		}
		defer rows.Release()
		return errors.Join(use(rows), rows.Err())
	})
}
