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
	Timezone string          // "": UTC; what days and weeks mean in relations
	FoldAt   int64           // bytes of log that make Needed true; 0: 512 MB
	RowGroup int             // rows DuckDB keeps together; 0: 32768
	Keep     map[string]bool // table.column of personal data that erasing a person leaves as it is
}

// foldAt is the log that a start still replays in seconds and under 400 MiB (measured at 501 MB: 2.9 s, 356 MiB).
const foldAt = 512 << 20

// Database is the open work database: one works in it at a time, by do. It knows the tables that are stored, and the time of the
// last commit.
type Database struct {
	path    layout.Dir
	options Options

	mu        sync.Mutex // guards all below, and the database
	DB        *duck.DB   // nil while closed
	Last      time.Time  // the largest _synced_at ever given
	tables    map[[2]string]transform.Table
	unmanaged map[[2]string]transform.Table // stored, and perhaps not prepared
	derived   map[string][]string           // by schema: tables that each publish makes anew
	suspect   bool                          // the database has shown damage: the next Open sets it aside
}

// New is a database that is not open yet.
func New(d layout.Dir, o Options) *Database {
	return &Database{path: d, options: o, tables: map[[2]string]transform.Table{}, unmanaged: map[[2]string]transform.Table{}, derived: map[string][]string{}}
}

// OpenDatabase opens the work database as it is and reads what commits go on from.
func (w *Database) OpenDatabase(ctx context.Context) error {
	db, err := duck.Open(ctx, w.Settings(w.path.Database()))
	if err != nil {
		return err
	}
	last, err := system.ReadLast(ctx, db)
	if err != nil {
		return errors.Join(err, db.Close())
	}
	w.DB, w.Last = db, last
	return nil
}

// Settings are those that a database of the warehouse is opened with.
func (w *Database) Settings(path string) duck.Options {
	return duck.Options{
		Path: path, Threads: w.options.Threads, Memory: w.options.Memory, TempDir: w.path.Temp(),
		RowGroup: w.options.RowGroup, Timezone: w.options.Timezone,
	}
}

// Dir is where the work database lives.
func (w *Database) Dir() layout.Dir { return w.path }

// SwitchRun makes what it writes from now on what another run writes, by that one's clock.
func (w *Database) SwitchRun(runID string, now func() time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.options.RunID, w.options.Now = runID, now
}

// RunID is the run that its commits are of.
func (w *Database) RunID() string { return w.options.RunID }

// Now is the time of the machine.
func (w *Database) Now() time.Time { return w.options.Now() }

// KeepsColumn reports whether erasing a person leaves a column of personal data, as table.column, as it is.
func (w *Database) KeepsColumn(column string) bool { return w.options.Keep[column] }

// Do works on the open database, alone. An error says what was being done, unless what is "", and is noted where it speaks of damage.
func (w *Database) Do(what string, work func(db *duck.DB) error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.DB == nil {
		return errClosed
	}
	err := work(w.DB)
	if err != nil && what != "" {
		err = fmt.Errorf("%s: %w", what, err)
	}
	return w.classifyError(err)
}

// Close closes the database; what is committed stays. A database that has shown damage is marked for the next Open.
func (w *Database) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.closeLocked()
}

func (w *Database) closeLocked() error {
	if w.DB == nil {
		return nil
	}
	err := w.DB.Close()
	w.DB = nil
	return errors.Join(err, w.markSuspect())
}

// errClosed is the answer after Close or Publish.
var errClosed = errors.New("the work database is closed")
