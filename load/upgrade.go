package load

import (
	"context"
	"fmt"
	"strconv"

	"aqueduck/load/internal/system"
)

// upgradeFormat brings a database of an older version of the program to the current format. It adds tables and columns to
// _sync and removes none. The log is merged into the file before and after, as for all changed columns (T144).
func (w *Work) upgradeFormat(ctx context.Context) (err error) {
	w.db.WithLock(func() { err = w.upgradeAlone(ctx) })
	return err
}

func (w *Work) upgradeAlone(ctx context.Context) error {
	format, err := system.ReadFormat(ctx, w.db.DB)
	if err != nil || format == system.Format {
		return err
	}
	stored, err := w.db.StoredColumns(ctx, "_sync")
	if err == nil {
		err = w.db.FoldLocked(ctx)
	}
	if err != nil {
		return err
	}
	err = w.db.DB.Transaction(ctx, func() error {
		for _, t := range system.Tables() {
			for _, statement := range t.Missing(stored[t.Name]) {
				if _, err := w.db.DB.Exec(ctx, statement); err != nil {
					return fmt.Errorf("table %s: %w", t.Name, err)
				}
			}
		}
		_, err := w.db.DB.Exec(ctx, "UPDATE _sync.meta SET value = $1 WHERE key = 'format'", strconv.Itoa(system.Format))
		return err
	})
	if err != nil {
		return fmt.Errorf("bring the database from format %d to %d: %w", format, system.Format, err)
	}
	return w.db.FoldLocked(ctx)
}
