//go:build duckdb_arrow

package duck

import (
	"context"
	"database/sql/driver"
	"errors"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/duckdb/duckdb-go/v2"
)

// ExecArrow runs a statement that reads a batch under the name arriving. Names of the file need its schema there: the default is the database in memory.
func (d *DB) ExecArrow(ctx context.Context, rows arrow.RecordBatch, statement string) (err error) {
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
		reader, err := array.NewRecordReader(rows.Schema(), []arrow.RecordBatch{rows})
		if err != nil {
			return err
		}
		defer reader.Release()
		release, err := door.RegisterView(reader, "arriving")
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
