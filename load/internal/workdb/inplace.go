package workdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"aqueduck/load/internal/disk"
	"aqueduck/load/internal/duck"
	"aqueduck/load/internal/system"
)

// bookkeepingName is the name, in the work directory, of the file with the schema _sync of a run that has written no row.
const bookkeepingName = "bookkeeping.duckdb"

// OpenInPlace opens the published file that readers have, without copying it. Its rows can only be read. Its schema _sync
// is replaced by that of a small file, which is written as usual. The first statement that writes a row calls makeWritable,
// which must leave a work database open, and runs again there.
func (w *Database) OpenInPlace(ctx context.Context, published string, makeWritable func() error) error {
	d := w.path
	if err := errors.Join(os.RemoveAll(d.Work()), os.Mkdir(d.Work(), 0o700)); err != nil {
		return err
	}
	newer, kept := filepath.Join(d.Work(), bookkeepingName), d.Bookkeeping(published)
	known := disk.Exists(kept)
	if known {
		if err := disk.Clone(newer, kept); err != nil {
			return err
		}
	}
	settings := w.Settings(published)
	settings.ReadOnly, settings.Newer = true, newer
	db, err := duck.Open(ctx, settings)
	if err != nil {
		return err
	}
	err = requireName(ctx, db, filepath.Base(published))
	if err == nil && !known {
		err = system.CopyTables(ctx, db, duck.Catalog, duck.Bookkeeping, nil)
		system.WatchTables(db)
	}
	if err == nil {
		err = system.RequireCurrent(ctx, db)
	}
	if err == nil {
		w.Last, err = system.ReadLast(ctx, db)
	}
	if err != nil {
		return errors.Join(err, db.Close())
	}
	w.DB, w.published, w.makeWritable = db, published, makeWritable
	return nil
}

// requireName refuses a published file that was published under another name: an older file, put in the place of a newer one.
func requireName(ctx context.Context, db *duck.DB, name string) error {
	var recorded sql.NullString
	err := db.Scan(ctx, "SELECT max(value) FROM "+duck.Catalog+"._sync.meta WHERE key = 'file'", nil, &recorded)
	if err == nil && recorded.String != name {
		err = fmt.Errorf("%s was published as %s", name, recorded.String)
	}
	return err
}

// InPlace reports whether the run has written no row yet: it reads the published file in place.
func (w *Database) InPlace() bool { return w.published != "" }

// MakeWritableLocked gives a run that reads the published file in place a work database of its own. The mutex is held.
func (w *Database) MakeWritableLocked() error {
	if w.DB == nil {
		return closedError(w.broken)
	}
	if !w.InPlace() {
		return nil
	}
	before := w.DB
	err := w.closeLocked()
	if err == nil {
		err = w.makeWritable()
	}
	if err == nil {
		w.DB.AdoptDefinitions(before)
	}
	if err != nil {
		w.broken = w.classifyError(fmt.Errorf("make a copy of the published file that can be written to: %w", err))
	}
	return w.broken
}

// Probe is a query that finds a row where a statement has something to write, with its parameters.
type Probe struct {
	SQL  string
	Args []any
}

// ExecIfAny runs a statement that writes, and returns the number of rows. While the published file is read in place, it
// asks first whether there is anything to write.
func (w *Database) ExecIfAny(ctx context.Context, probe Probe, statement string, args ...any) (int64, error) {
	if w.InPlace() {
		var one int
		err := w.DB.Scan(ctx, probe.SQL+" LIMIT 1", probe.Args, &one)
		if errors.Is(err, sql.ErrNoRows) {
			return 0, nil
		}
		if err != nil {
			return 0, err
		}
	}
	return w.DB.Exec(ctx, statement, args...)
}

// needsWrite reports whether a statement failed because the rows can only be read.
func needsWrite(err error) bool {
	return err != nil && strings.Contains(err.Error(), "attached in read-only mode")
}

// closeInPlace closes the published file and keeps the bookkeeping for the next run, also one that writes.
func (w *Database) closeInPlace() error {
	d, published := w.path, w.published
	w.published, w.Unwritten = "", system.UnnamedTables(w.DB)
	// A kill inside this checkpoint may destroy the file. The next run then does without it, and only reads again what
	// this one has read.
	_, err := w.DB.Exec(context.Background(), "CHECKPOINT "+duck.Bookkeeping)
	err = errors.Join(err, w.DB.Close())
	w.DB = nil
	if err != nil || w.suspect {
		return errors.Join(w.classifyError(err), w.markSuspect())
	}
	newer := filepath.Join(d.Work(), bookkeepingName)
	return w.classifyError(errors.Join(os.Chmod(newer, 0o600), disk.SyncFile(newer), disk.Move(d.Bookkeeping(published), newer), os.RemoveAll(d.Work())))
}
