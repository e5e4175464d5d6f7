package runlog

import (
	"context"
	"errors"
	"time"

	"aqueduck/load/layout"
	"aqueduck/load/read"
)

// PublishedDB is an open published file. All its answers are of the same snapshot.
type PublishedDB struct{ *read.Reader }

// WithPublished opens the published file, with the records of the runs since that had nothing to publish, calls do and closes it. Before the first publish it returns failure.ErrNothingPublished.
func WithPublished(ctx context.Context, dir layout.Dir, do func(f PublishedDB) error) error {
	r, err := read.OpenWithRecords(ctx, dir.Readable(), dir.Bookkeeping)
	if err != nil {
		return err
	}
	return errors.Join(do(PublishedDB{r}), r.Close())
}

// queryStatement runs one of the program's own statements and calls row for each row of the result.
func (f PublishedDB) queryStatement(ctx context.Context, sql string, row func(values []any) error) error {
	return f.Reader.Query(ctx, sql, func(_ []string, values []any) error {
		if values == nil {
			return nil
		}
		return row(values)
	})
}

// QueryPublished runs one of the program's own statements on the published file and calls row for each row. Commands that only look take no lock
// and read nothing else of the warehouse.
func QueryPublished(ctx context.Context, dir layout.Dir, sql string, row func(values []any) error) error {
	return WithPublished(ctx, dir, func(f PublishedDB) error { return f.queryStatement(ctx, sql, row) })
}

// AsText returns a column of the published file as text; "" for NULL.
func AsText(v any) string {
	s, _ := v.(string)
	return s
}

// AsWhole returns a column of the published file as a whole number; 0 for NULL.
func AsWhole(v any) int64 {
	n, _ := v.(int64)
	return n
}

// asShare returns a column of the published file as a share; 0 for NULL.
func asShare(v any) float64 {
	f, _ := v.(float64)
	return f
}

// AsTime returns a column of the published file as a UTC time; the zero time for NULL.
func AsTime(v any) time.Time {
	t, _ := v.(time.Time)
	return t.UTC()
}
