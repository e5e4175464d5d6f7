package pipeline

import (
	"context"

	"aqueduck/load"
)

// ask runs a statement of ours on the published file and gives its rows. Commands that only look have no other way.
func ask(ctx context.Context, dir load.Dir, sql string, row func(values []any) error) error {
	return load.Query(ctx, dir.Readable(), sql, func(_ []string, values []any) error {
		if values == nil {
			return nil
		}
		return row(values)
	})
}
