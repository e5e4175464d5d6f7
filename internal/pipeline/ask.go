package pipeline

import (
	"context"
	"errors"

	"aqueduck/load/layout"
	"aqueduck/load/read"
)

// file is a published file that is open: all its answers are of one instant.
type file struct{ *read.Reader }

// look opens the published file for as long as something is asked of it.
func look(ctx context.Context, dir layout.Dir, do func(f file) error) error {
	r, err := read.OpenReader(ctx, dir.Readable())
	if err != nil {
		return err
	}
	return errors.Join(do(file{r}), r.Close())
}

// ask runs a statement of ours and gives its rows.
func (f file) ask(ctx context.Context, sql string, row func(values []any) error) error {
	return f.Query(ctx, sql, func(_ []string, values []any) error {
		if values == nil {
			return nil
		}
		return row(values)
	})
}

// ask runs a statement of ours on the published file and gives its rows. Commands that only look have no other way.
func ask(ctx context.Context, dir layout.Dir, sql string, row func(values []any) error) error {
	return look(ctx, dir, func(f file) error { return f.ask(ctx, sql, row) })
}
