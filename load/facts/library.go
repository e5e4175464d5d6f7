package facts

import (
	"context"
	"errors"
	"fmt"

	"aqueduck/load/internal/duck"
)

// Library is the database library that is linked in: its version, and the commit of its source.
type Library struct{ Version, Source string }

// DuckDB asks the library what it is.
func DuckDB(ctx context.Context) (Library, error) {
	db, err := duck.Open(ctx, duck.Options{})
	if err != nil {
		return Library{}, fmt.Errorf("ask DuckDB for its version: %w", err)
	}
	var l Library
	err = db.Scan(ctx, "SELECT library_version, source_id FROM pragma_version()", nil, &l.Version, &l.Source)
	return l, errors.Join(err, db.Close())
}
