package read

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/duckdb/duckdb-go/v2"

	"aqueduck/load/internal/duck"
)

// Parquet runs one reading statement on a published file and writes the answer as a Parquet file, with the columns'
// types. It calls ready when the answer begins. As in Query, the statement reaches nothing but the published file:
// another DuckDB writes the Parquet file. It gets the answer as Arrow and runs no SQL of users.
func Parquet(ctx context.Context, path, statement string, ready func(), to io.Writer) error {
	r, err := OpenReader(ctx, path)
	if err != nil {
		return err
	}
	return errors.Join(r.exportParquet(ctx, statement, ready, to), r.Close())
}

func (r *Reader) exportParquet(ctx context.Context, statement string, ready func(), to io.Writer) error {
	if err := RequireRead(r.DB, statement); err != nil {
		return err
	}
	return r.DB.Conn().Raw(func(raw any) error {
		door, err := duckdb.NewArrowFromConn(raw.(driver.Conn))
		if err != nil {
			return err
		}
		answer, err := door.QueryContext(ctx, statement)
		if err != nil {
			return err
		}
		defer answer.Release()
		ready()
		return errors.Join(writeParquet(ctx, answer, to), answer.Err())
	})
}

// openFiles is the directory of this process's open files, by their numbers.
const openFiles = "/dev/fd"

// writeParquet lets DuckDB write into a pipe, the only file it can reach, so that the answer needs no disk space.
func writeParquet(ctx context.Context, answer array.RecordReader, to io.Writer) (err error) {
	db, err := duck.Open(ctx, duck.Options{Path: ":memory:", Reach: []string{openFiles}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	release, err := registerAnswer(db, answer)
	if err != nil {
		return err
	}
	defer release()
	columns, err := storableColumns(ctx, db)
	if err != nil {
		return err
	}
	from, into, err := os.Pipe()
	if err != nil {
		return err
	}
	copied := make(chan error, 1)
	go func() {
		_, err := io.Copy(to, from)
		copied <- errors.Join(err, from.Close())
	}()
	_, wrong := db.Exec(ctx, fmt.Sprintf("COPY (SELECT %s FROM answer) TO '%s/%d' (FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false)",
		columns, openFiles, into.Fd()))
	closed := into.Close()
	if err := <-copied; err != nil {
		return err // DuckDB's own error is then only that nobody reads the pipe
	}
	return errors.Join(wrong, closed)
}

// registerAnswer makes the answer a view that can be read once.
func registerAnswer(db *duck.DB, answer array.RecordReader) (release func(), err error) {
	err = db.Conn().Raw(func(raw any) error {
		door, err := duckdb.NewArrowFromConn(raw.(driver.Conn))
		if err != nil {
			return err
		}
		release, err = door.RegisterView(answer, "answer")
		return err
	})
	return release, err
}

// hugeInt matches integers of 128 bits, the type of sums. Parquet has none, and DuckDB would write floats, which lose
// digits.
var hugeInt = regexp.MustCompile(`\bU?HUGEINT\b`)

// storableColumns gives the answer's columns in types that Parquet has.
func storableColumns(ctx context.Context, db *duck.DB) (string, error) {
	var columns []string
	err := db.Each(ctx, "DESCRIBE FROM answer", nil, func(rows *sql.Rows) error {
		var name, kind string
		var rest [4]any
		err := rows.Scan(&name, &kind, &rest[0], &rest[1], &rest[2], &rest[3])
		column := duck.Name(name)
		if hugeInt.MatchString(kind) {
			column += "::" + hugeInt.ReplaceAllString(kind, "DECIMAL(38, 0)") + " AS " + column
		}
		columns = append(columns, column)
		return err
	})
	return strings.Join(columns, ", "), err
}
