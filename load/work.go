package load

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"aqueduck/load/erase"
	"aqueduck/load/facts"
	"aqueduck/load/failure"
	"aqueduck/load/internal/disk"
	"aqueduck/load/internal/workdb"
	"aqueduck/load/layout"
	"aqueduck/load/mask"
	"aqueduck/load/tombstone"
)

// Options of a work database.
type Options = workdb.Options

// Work is the open work database. Its methods may be called from many goroutines; one works at a time. What it can do stands with the
// types that it is made of, by concern.
type Work struct {
	Restored string // what Open had to repair, in words; "" when nothing
	Copied   bool   // Open made it from the file that readers have

	*workdb.Database
	*Tables
	*Checkpoints
	*Sweeps
	*ChildQueue
	*DeadLetters
	*Histories
	*Records
	*facts.Facts
	*mask.Masks
	*erase.Erasures
}

// newWork gives all concerns one database.
func newWork(db *workdb.Database, tombs *tombstone.Log) *Work {
	checkpoints, erasures := &Checkpoints{db}, &erase.Erasures{Database: db, Tombs: tombs}
	return &Work{
		Database: db, Tables: &Tables{db}, Checkpoints: checkpoints, Sweeps: &Sweeps{checkpoints}, ChildQueue: &ChildQueue{checkpoints},
		DeadLetters: &DeadLetters{db}, Histories: &Histories{db, erasures}, Records: &Records{db}, Facts: &facts.Facts{Database: db}, Masks: &mask.Masks{Database: db}, Erasures: erasures,
	}
}

// Open opens the work database, makes it from the newest whole published file when there is none, and repairs what a
// killed process left. The caller holds the lock.
func Open(ctx context.Context, d layout.Dir, o workdb.Options) (*Work, error) {
	if err := layout.Tidy(d); err != nil {
		return nil, disk.Explain(fmt.Errorf("clean up %s: %w", d.State(), err), string(d))
	}
	tombs, err := tombstone.Read(d)
	if err != nil {
		return nil, fmt.Errorf("read what was erased: %w", err)
	}
	w := newWork(workdb.New(d, o), tombs)
	if err := w.recover(ctx); err != nil {
		return nil, disk.Explain(fmt.Errorf("open the work database: %w", err), string(d))
	}
	if err := w.upgrade(ctx); err != nil {
		return nil, disk.Explain(errors.Join(fmt.Errorf("open the work database: %w", err), w.Close()), string(d))
	}
	if err := w.ReadErasures(ctx); err != nil {
		return nil, disk.Explain(errors.Join(fmt.Errorf("open the work database: %w", err), w.Close()), string(d))
	}
	return w, nil
}

// recover opens what is there; what cannot be opened is set aside, once, and made anew.
func (w *Work) recover(ctx context.Context) error {
	d := w.Dir()
	if disk.Exists(filepath.Join(d.Work(), workdb.SuspectName)) {
		if err := w.setAside(errors.New("a run found it damaged")); err != nil {
			return err
		}
	}
	if disk.Exists(d.Database()) {
		err := w.Open(ctx)
		if err == nil || ctx.Err() != nil || !damage(err) {
			return err
		}
		if err := w.setAside(err); err != nil {
			return err
		}
	}
	from, err := w.remake(ctx)
	if err != nil {
		return err
	}
	target, err := os.Readlink(d.Link())
	w.Copied = err == nil && filepath.Base(target) == from
	if w.Restored != "" {
		w.Restored += "; restored from " + from
	}
	return w.Open(ctx)
}

// damage tells an error that only another copy of the database can cure. What is not known is taken for damage:
// restoring reads a little again, not restoring would need hands.
func damage(err error) bool {
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
