package workdb

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"aqueduck/load/internal/duck"
	"aqueduck/load/internal/system"
	"aqueduck/load/layout"
	"aqueduck/transform"
)

// Options of a work database.
type Options struct {
	Now      func() time.Time
	RunID    string
	Memory   int64           // bytes that DuckDB may use; 0: 200 MB
	Threads  int             // 0: 1
	Timezone string          // "": UTC; the time zone of days and weeks in relations
	FoldAt   int64           // bytes of log from which FoldNeeded is true; 0: by the size of the file
	RowGroup int             // rows in a row group; 0: 16384
	Keep     map[string]bool // personal columns, as table.column, that an erasure keeps
	Later    string          // path of a later published file, while an older one is rewritten without what was erased since; "": none
	Pool     *duck.Pool      // gives the engines that open its files; nil: each file gets one of its own
	Emulated bool            // Now is the clock of an emulated workspace: now() in users' SQL is the time at which the database was opened
}

// Database is the open work database. Do gives it to one caller at a time. It knows the stored tables and the time of the
// last commit.
type Database struct {
	path    layout.Dir
	options Options

	mu        sync.Mutex // guards all below, and the database
	DB        *duck.DB   // nil while closed
	Last      time.Time  // the largest _synced_at ever given
	Counted   bool       // CountRows was called since a commit reset it
	tables    map[[2]string]transform.Table
	unmanaged map[[2]string]transform.Table // stored tables that Ensure may not have prepared
	derived   map[string][]string           // by schema: tables that each publish makes again
	suspect   bool                          // the database has shown damage: the next Open sets it aside

	Unwritten map[string]bool // tables of _sync that the run did not write while it read the published file in place

	published    string       // the published file while it is read in place; "" else
	makeWritable func() error // replaces it by a work database
	broken       error        // why it could not; nil: it could, or was not called
}

// New is a database that is not open yet.
func New(d layout.Dir, o Options) *Database {
	return &Database{path: d, options: o, tables: map[[2]string]transform.Table{}, unmanaged: map[[2]string]transform.Table{}, derived: map[string][]string{}}
}

// OpenDatabase opens the work database and reads the time of its last commit.
func (w *Database) OpenDatabase(ctx context.Context) error {
	db, err := duck.Open(ctx, w.Settings(w.path.Database()))
	if err != nil {
		return err
	}
	last, err := system.ReadLast(ctx, db)
	if err != nil {
		return errors.Join(err, db.Close())
	}
	w.DB = db
	if last.After(w.Last) { // commits without a row in the published file have stored no time
		w.Last = last
	}
	return nil
}

// Settings are the options for opening a database of the warehouse.
func (w *Database) Settings(path string) duck.Options {
	o := duck.Options{
		Path: path, Threads: w.options.Threads, Memory: w.options.Memory, TempDir: w.path.Temp(),
		RowGroup: w.options.RowGroup, Timezone: w.options.Timezone, Later: w.options.Later, Pool: w.options.Pool,
	}
	if w.options.Emulated {
		o.Now = w.Now()
	}
	return o
}

// Dir is the warehouse's directory.
func (w *Database) Dir() layout.Dir { return w.path }

// SwitchRun makes all later writes those of another run, with that run's clock.
func (w *Database) SwitchRun(runID string, now func() time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.options.RunID, w.options.Now = runID, now
}

// RunID is the run of the next commits.
func (w *Database) RunID() string { return w.options.RunID }

// Now is the time of the run's clock.
func (w *Database) Now() time.Time { return w.options.Now() }

// KeepsColumn reports whether an erasure keeps a personal column, given as table.column.
func (w *Database) KeepsColumn(column string) bool { return w.options.Keep[column] }

// Do calls work with the open database, one caller at a time. It adds what was being done to an error, unless what is "",
// and remembers damage.
func (w *Database) Do(what string, work func(db *duck.DB) error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.DB == nil {
		return closedError(w.broken)
	}
	err := work(w.DB)
	if w.InPlace() && needsWrite(err) {
		// The work begins again in the copy: nothing of it is stored.
		if err = w.MakeWritableLocked(); err == nil {
			err = work(w.DB)
		}
	}
	if err != nil && what != "" {
		err = fmt.Errorf("%s: %w", what, err)
	}
	return w.classifyError(err)
}

// Close closes the database. Committed rows stay. A database that has shown damage is marked for the next Open.
func (w *Database) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.closeLocked()
}

func (w *Database) closeLocked() error {
	if w.DB == nil {
		return nil
	}
	if w.InPlace() {
		return w.closeInPlace()
	}
	err := w.DB.Close()
	w.DB = nil
	return errors.Join(err, w.markSuspect())
}

// closedError says that the database is closed, and why where that was not meant.
func closedError(cause error) error {
	if cause != nil {
		return fmt.Errorf("%w: %w", errClosed, cause)
	}
	return errClosed
}

// errClosed is the error after Close or a publish.
var errClosed = errors.New("the work database is closed")
