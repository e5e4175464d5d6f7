package runlog

import (
	"context"
	"errors"

	"aqueduck/load/layout"
	"aqueduck/load/read"
)

// PublishedDB is a published file that is open: all its answers are of one instant.
type PublishedDB struct{ *read.Reader }

// WithPublished opens the published file for as long as something is asked of it.
func WithPublished(ctx context.Context, dir layout.Dir, do func(f PublishedDB) error) error {
	r, err := read.OpenReader(ctx, dir.Readable())
	if err != nil {
		return err
	}
	return errors.Join(do(PublishedDB{r}), r.Close())
}

// queryStatement runs a statement of ours and gives its rows.
func (f PublishedDB) queryStatement(ctx context.Context, sql string, row func(values []any) error) error {
	return f.Reader.Query(ctx, sql, func(_ []string, values []any) error {
		if values == nil {
			return nil
		}
		return row(values)
	})
}

// QueryPublished runs a statement of ours on the published file and gives its rows. Commands that only look have no other way.
func QueryPublished(ctx context.Context, dir layout.Dir, sql string, row func(values []any) error) error {
	return WithPublished(ctx, dir, func(f PublishedDB) error { return f.queryStatement(ctx, sql, row) })
}
