package runlog

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
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

// PublishRecord says when and by what a published file was made.
type PublishRecord struct {
	At       time.Time
	What     string // "": a version of the program made it that did not record it
	Replaces string // name of the file that it replaces; "": none
}

// PublishRecords returns the records of published files, by name, as the files themselves say. A file that cannot be read says nothing.
func PublishRecords(ctx context.Context, paths []string) map[string]PublishRecord {
	records := map[string]PublishRecord{}
	for _, path := range paths {
		if _, known := records[filepath.Base(path)]; known {
			continue // a newer file has told
		}
		const recorded = "SELECT p.file, p.recorded_at, 'run of ' || r.pipeline AS run, p.* FROM _sync.publishes p LEFT JOIN _sync.runs r ON r.run_id = split_part(p.run_id, '-', 1) ORDER BY p.recorded_at"
		_ = read.Query(ctx, path, recorded, func(columns []string, v []any) error {
			if v == nil {
				return nil
			}
			told := func(column string) string { // an older file lacks it
				if i := slices.Index(columns, column); i >= 0 {
					return AsText(v[i])
				}
				return ""
			}
			file := AsText(v[0])
			records[file] = PublishRecord{AsTime(v[1]), cmp.Or(told("what"), records[file].What, AsText(v[2])), cmp.Or(told("replaces"), records[file].Replaces)}
			return nil
		})
	}
	return records
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
