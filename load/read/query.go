package read

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"aqueduck/load/failure"
	"aqueduck/load/internal/duck"
)

// ErrReadOnly is the error of a statement that does more than read.
var ErrReadOnly = errors.New("only one read-only statement is allowed: SELECT, FROM, WITH, DESCRIBE, SUMMARIZE or EXPLAIN")

// Refused is the error of a statement that reads, but calls a function that users' SQL may not call.
type Refused = duck.Refused

// WithoutSQL is the error of a statement from a file that no message quotes: the kind of the error, and no word of the statement.
func WithoutSQL(err error) error { return duck.WithoutSQL(err) }

// queryMemory is the memory in bytes for a query: more than for a sync, since nothing runs beside it.
const queryMemory = 1_000_000_000

// Query opens a published file, usually Dir.Readable, and runs one statement on it as Reader.Query does. A sync may run
// meanwhile.
func Query(ctx context.Context, path, statement string, visit func(columns []string, row []any) error) error {
	r, err := OpenReader(ctx, path)
	if err != nil {
		return err
	}
	return errors.Join(r.Query(ctx, statement, visit), r.Close())
}

// Reader is an open published file. It stays the same file until it is closed, even if newer ones are published. It may
// be used by one goroutine at a time.
type Reader struct {
	DB *duck.DB // opened for reading alone
}

// OpenReader opens a published file: Dir.Current, or Dir.Link for the newest. The caller closes it.
func OpenReader(ctx context.Context, path string) (*Reader, error) {
	return openReader(ctx, path, duck.Options{Memory: queryMemory})
}

// OpenBeside is OpenReader for statements that also read files of a directory.
func OpenBeside(ctx context.Context, path, dir string) (*Reader, error) {
	return openReader(ctx, path, duck.Options{Memory: queryMemory, Reach: []string{dir}})
}

// OpenWithRecords opens the newest published file with the records of the runs since, which have written no row and so
// published nothing. newer gives the path of those records for a published file; there may be none.
func OpenWithRecords(ctx context.Context, link string, newer func(published string) string) (*Reader, error) {
	target, err := filepath.EvalSymlinks(link)
	if err == nil {
		_, err = os.Stat(newer(target))
	}
	if err == nil {
		var db *Reader
		if db, err = openReader(ctx, target, duck.Options{Memory: queryMemory, Newer: newer(target), Fixed: true}); err == nil {
			return db, nil
		}
	}
	// There are none, a publish has removed them meanwhile, or they are damaged: then the published file says most.
	return OpenReader(ctx, link)
}

func openReader(ctx context.Context, path string, o duck.Options) (*Reader, error) {
	if path == "" {
		return nil, failure.ErrNothingPublished
	}
	for {
		// DuckDB identifies an open file by its path, and the next publish gives the link another target (T158).
		target, err := filepath.EvalSymlinks(path)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", failure.ErrUnreadable, err)
		}
		o.Path, o.ReadOnly, o.Threads = target, true, 2
		db, err := duck.Open(ctx, o)
		if err == nil {
			return &Reader{db}, nil
		}
		// A publish may have removed the file meanwhile: then the link leads to a newer one.
		if newer, moved := filepath.EvalSymlinks(path); moved != nil || newer == target {
			return nil, fmt.Errorf("%w: open %s: %w", failure.ErrUnreadable, target, err)
		}
	}
}

// Close closes the file.
func (r *Reader) Close() error { return r.DB.Close() }

// Query runs one reading statement, which reaches nothing but the file. It calls visit first with the names and a nil
// row, then for each row; visit must not keep the row. JSON is json.RawMessage and DECIMAL is json.Number, both exact.
// Dates, times of day, timestamps without a zone, intervals, UUIDs and blobs are text; lists and structs are JSON.
func (r *Reader) Query(ctx context.Context, statement string, visit func(columns []string, row []any) error) error {
	return r.queryTyped(ctx, statement, func(columns, _ []string, row []any) error { return visit(columns, row) })
}

// queryTyped is Query whose visits also get the columns' types, as DuckDB names them.
func (r *Reader) queryTyped(ctx context.Context, statement string, visit func(columns, types []string, row []any) error) (err error) {
	if err := RequireRead(r.DB, statement); err != nil {
		return err
	}
	statement, columns, done := exactStatement(ctx, r.DB, statement)
	defer func() { err = failure.AsUnreadable(errors.Join(err, done())) }()
	rows, err := r.DB.Conn().QueryContext(ctx, statement)
	if err != nil {
		return err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return err
	}
	given, err := rows.ColumnTypes()
	if err != nil {
		return err
	}
	types := make([]string, len(names))
	for i, t := range given {
		types[i] = t.DatabaseTypeName()
	}
	for i, c := range columns {
		names[i], types[i] = c.name, c.kind
	}
	if err := visit(names, types, nil); err != nil {
		return err
	}
	return eachRow(rows, columns, len(names), func(row []any) error { return visit(names, types, row) })
}

func eachRow(rows *sql.Rows, columns []answerColumn, n int, visit func(row []any) error) error {
	row := make([]any, n)
	into := make([]any, n)
	for i := range row {
		into[i] = &row[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		for i, c := range columns {
			row[i] = c.exactValue(row[i])
		}
		if err := visit(row); err != nil {
			return err
		}
	}
	return rows.Err()
}

// RequireRead returns ErrReadOnly or *Refused for anything but one statement that only reads.
func RequireRead(db *duck.DB, statement string) error {
	ok, err := db.Reads(statement)
	if err == nil && !ok {
		return ErrReadOnly
	}
	return err
}
