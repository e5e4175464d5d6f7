package load

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"aqueduck/load/erase"
	"aqueduck/load/facts"
	"aqueduck/load/failure"
	"aqueduck/load/internal/disk"
	"aqueduck/load/internal/duck"
	"aqueduck/load/internal/workdb"
	"aqueduck/load/layout"
	"aqueduck/load/mask"
	"aqueduck/load/tombstone"
)

// Options of a work database.
type Options = workdb.Options

// Pool keeps engines for the files of one warehouse that a run opens one after the other. The run that makes it closes it.
type Pool = duck.Pool

// NewPool makes a pool for the files of a warehouse.
func NewPool(d layout.Dir) *Pool { return duck.NewPool(d.State()) }

// Work is the open work database, with what can be done in it by concern. Its methods, and those of its concerns, may be
// called from many goroutines; they run one at a time. Close closes it, or a successful publish does.
type Work struct {
	Restored string // what Open repaired, for people; "" where nothing
	Copied   bool   // Open copied it from the published file that readers have

	Published *facts.Snapshot // row counts of the published file, from when it was copied to be written; nil: Open did not read it in place

	Tables      *Tables
	Checkpoints *Checkpoints
	Sweeps      *Sweeps
	ChildQueue  *ChildQueue
	DeadLetters *DeadLetters
	Histories   *Histories
	Records     *Records
	Facts       *facts.Facts
	Masks       *mask.Masks
	Erasures    *erase.Erasures

	db *workdb.Database
}

// newWork gives all concerns the same database.
func newWork(db *workdb.Database, tombs *tombstone.Log) *Work {
	checkpoints, erasures := &Checkpoints{db}, erase.New(db, tombs)
	return &Work{
		db: db, Tables: &Tables{db}, Checkpoints: checkpoints, Sweeps: &Sweeps{checkpoints}, ChildQueue: &ChildQueue{checkpoints},
		DeadLetters: &DeadLetters{db}, Histories: &Histories{db, erasures}, Records: &Records{db}, Facts: facts.New(db), Masks: mask.New(db), Erasures: erasures,
	}
}

// Close closes the database. Committed rows stay. A database that has shown damage is set aside by the next Open.
func (w *Work) Close() error { return w.db.Close() }

// CommitClock is the time of the commits: the machine's time, but never before the newest stored row.
func (w *Work) CommitClock() time.Time { return w.db.Clock() }

// SwitchRun makes all later writes those of another run, with that run's clock.
func (w *Work) SwitchRun(runID string, now func() time.Time) { w.db.SwitchRun(runID, now) }

// ReportDamage returns an error that a copy of the database gave. When the error is about damage, the next Open sets the
// database aside.
func (w *Work) ReportDamage(err error) error { return w.db.ReportDamage(err) }

// LogSize is the size in bytes of the log that the next Open would replay.
func (w *Work) LogSize() int64 { return w.db.LogSize() }

// FoldNeeded reports whether the log is so long that it should be merged into the file.
func (w *Work) FoldNeeded() bool { return w.db.FoldNeeded() }

// Fold merges the log into the file: in a copy, which then replaces the work database.
func (w *Work) Fold(ctx context.Context) error { return w.db.Fold(ctx) }

// OpenWork opens the work database and repairs what a killed process left. Where there is no database, or a damaged one, it
// copies the newest unchanged published file. The caller holds the lock, and closes the database.
func OpenWork(ctx context.Context, d layout.Dir, o workdb.Options) (*Work, error) {
	if err := layout.Tidy(d); err != nil {
		return nil, disk.Explain(fmt.Errorf("clean up %s: %w", d.State(), err), string(d))
	}
	tombs, err := tombstone.Read(d)
	if err != nil {
		return nil, fmt.Errorf("read the erasures: %w", err)
	}
	w := newWork(workdb.New(d, o), tombs)
	if err := w.recoverDatabase(ctx); err != nil {
		return nil, disk.Explain(fmt.Errorf("open the work database: %w", err), string(d))
	}
	if err := w.upgradeFormat(ctx); err != nil {
		return nil, disk.Explain(errors.Join(fmt.Errorf("open the work database: %w", err), w.db.Close()), string(d))
	}
	if err := w.Erasures.ReadErasures(ctx); err != nil {
		return nil, disk.Explain(errors.Join(fmt.Errorf("open the work database: %w", err), w.db.Close()), string(d))
	}
	return w, nil
}

// InPlace reports whether nothing was written to a table yet: the published file is read in place, and publishing would
// show readers nothing new.
func (w *Work) InPlace() bool { return w.db.InPlace() }

// MakeWritable makes a work database of the published file that is read in place.
func (w *Work) MakeWritable() (err error) {
	w.db.WithLock(func() { err = w.db.MakeWritableLocked() })
	return err
}

// openInPlace opens the published file that readers have, where it looks as it was published. Anything else is for a
// copy, which is checked byte by byte.
func (w *Work) openInPlace(ctx context.Context) bool {
	d := w.db.Dir()
	if !d.AsPublished() || d.Erasing() {
		return false
	}
	file := d.Current()
	err := w.db.OpenInPlace(ctx, file, func() error {
		ctx := context.Background() // a copy that has begun is finished
		from, err := w.restoreDatabase(ctx)
		if err == nil && from != filepath.Base(file) {
			err = fmt.Errorf("%s was changed after it was published, and %s was restored: run again", file, from)
		}
		if err != nil {
			return err
		}
		if err := w.db.OpenDatabase(ctx); err != nil {
			return err
		}
		s, err := facts.ReadPublished(ctx, w.db.DB)
		w.Published = &s
		return err
	})
	return err == nil
}

// recoverDatabase opens the database, or sets a damaged one aside, once, and restores it.
func (w *Work) recoverDatabase(ctx context.Context) error {
	d := w.db.Dir()
	if disk.Exists(filepath.Join(d.Work(), workdb.SuspectName)) {
		if err := w.setAside(errors.New("a run detected damage")); err != nil {
			return err
		}
	}
	if disk.Exists(d.Database()) {
		err := w.db.OpenDatabase(ctx)
		if err == nil || ctx.Err() != nil || !isDamage(err) {
			return err
		}
		if err := w.setAside(err); err != nil {
			return err
		}
	}
	if w.Restored == "" && w.openInPlace(ctx) {
		w.Copied = true
		return nil
	}
	from, err := w.restoreDatabase(ctx)
	if err != nil {
		return err
	}
	target, err := os.Readlink(d.Link())
	w.Copied = err == nil && filepath.Base(target) == from
	if w.Restored != "" {
		w.Restored += "; restored from " + from
	}
	return w.db.OpenDatabase(ctx)
}

// isDamage reports an error that only another copy of the database can cure. An unknown error counts as damage: a restore
// only reads a little again, while an error that stays needs a person.
func isDamage(err error) bool {
	if errors.Is(err, failure.ErrFormat) || errors.Is(disk.Explain(err, ""), failure.ErrDiskFull) {
		return false
	}
	for _, sign := range []string{"Could not set lock on file", "Permission denied", "Too many open files", "Out of Memory"} {
		if strings.Contains(err.Error(), sign) {
			return false
		}
	}
	return true
}
