//go:build duckdb_arrow

package duck

import (
	"context"
	"database/sql/driver"
	"errors"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/duckdb/duckdb-go/v2"
)

// ExecArrow runs a statement that reads Arrow rows under the name arriving. Names of the file need its schema there: the default is the database in memory.
func (d *DB) ExecArrow(ctx context.Context, rows array.RecordReader, statement string) (err error) {
	if _, err := d.Exec(ctx, "USE memory"); err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, d.UseCatalog(context.WithoutCancel(ctx)))
	}()
	err = d.conn.Raw(func(raw any) error {
		door, err := duckdb.NewArrowFromConn(raw.(driver.Conn))
		if err != nil {
			return err
		}
		release, err := door.RegisterView(rows, "arriving")
		if err != nil {
			return err
		}
		defer release()
		_, err = raw.(driver.ExecerContext).ExecContext(ctx, statement, nil)
		return err
	})
	_, dropped := d.Exec(context.WithoutCancel(ctx), "DROP VIEW IF EXISTS memory.main.arriving")
	return errors.Join(err, dropped)
}
