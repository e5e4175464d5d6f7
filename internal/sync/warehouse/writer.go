package warehouse

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"aqueduck/internal/dictionary"
	"aqueduck/load"
	"aqueduck/load/facts"
	"aqueduck/load/failure"
	"aqueduck/load/layout"
	"aqueduck/load/publish"
	"aqueduck/schemas"
	"aqueduck/transform"
)

// Step is one move of a checkpoint.
type Step struct{ Base, Next load.Checkpoint }

// Writer is the run's one way into the work database. Streams commit through it side by side; publishing and folding
// wait until no commit is under way, because both replace the database that the streams write to.
type Writer struct {
	dir       layout.Dir
	open      load.Options
	spec      publish.Spec
	catalogue *schemas.Catalogue

	mu        sync.Mutex // guards what follows, and with it every use of the work database
	Work      *load.Work
	Tables    map[string][]transform.Table // by schema, as prepared
	published time.Time                    // of the last publish in this run, or its start
	broken    error                        // why the work database was closed before the run's end
	publishes int
	readers   *facts.Snapshot // what they had before the first of these: a loss in small steps is one, too; nil: not read yet
}

// OpenWriter opens the work database of a run. Whoever opens it closes it.
func OpenWriter(ctx context.Context, dir layout.Dir, o load.Options, spec publish.Spec, catalogue *schemas.Catalogue) (*Writer, error) {
	w := &Writer{dir: dir, open: o, spec: spec, catalogue: catalogue, Tables: map[string][]transform.Table{}, published: o.Now()}
	var err error
	if w.Work, err = load.Open(ctx, dir, o); err != nil {
		return nil, err
	}
	return w, nil
}

// AdoptRun gives a run the work database that was looked at before it, and not written to: opening it again costs more.
func (w *Writer) AdoptRun(o load.Options, spec publish.Spec) {
	w.Work.SwitchRun(o.RunID, o.Now)
	w.open, w.spec, w.published = o, spec, o.Now()
}

// SnapshotReaders notes what readers have where the work database says so itself, as a copy of their file that nothing has changed yet:
// opening that file costs more.
func (w *Writer) SnapshotReaders(ctx context.Context) error {
	if !w.Work.Copied {
		return nil
	}
	s, err := w.Work.Facts.Snapshot(ctx)
	w.readers = &s
	return err
}

// Prepare makes the tables before the first row of the run, and folds the log: one that holds both new columns and rows
// is the one kind that the database is known to replay wrongly. There is a log when this changed any table, or when a
// run was killed, perhaps between changing one and folding.
func (w *Writer) Prepare(ctx context.Context, schema string, tables []transform.Table) ([]load.Change, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	changes, err := w.Work.Tables.Ensure(ctx, schema, tables)
	if err != nil {
		return nil, fmt.Errorf("prepare the tables of %s: %w", schema, err)
	}
	if err := w.RegisterUnmanaged(ctx, schema); err != nil {
		return nil, err
	}
	w.Tables[schema] = tables
	return changes, w.Work.Fold(ctx)
}

// RegisterUnmanaged tells the work database of all tables that the catalogue can describe, read now or not.
func (w *Writer) RegisterUnmanaged(ctx context.Context, schema string) error {
	states, err := w.Work.Facts.States(ctx, schema)
	if err != nil {
		return err
	}
	_, datasets, err := storedDatasets(states, w.catalogue.Streams())
	if err != nil {
		return err
	}
	var streams []*schemas.Stream
	var derived []string
	for _, s := range slices.Concat(w.catalogue.Streams(), datasets) {
		kept := *s
		kept.History, kept.Snapshot = true, true
		streams = append(streams, &kept)
		if s.PublishAs != "" {
			relations, err := w.catalogue.Relations(s.PublishAs)
			if err != nil {
				return err
			}
			for _, relation := range relations {
				derived = append(derived, relation.Name)
			}
		}
	}
	if err := w.Work.Tables.RegisterUnmanaged(ctx, schema, dictionary.Tables(streams), derived); err != nil {
		return err
	}
	for _, left := range w.Work.Tables.UnmanagedTables(schema) {
		w.publishTable(schema, left) // what is stored is published, kept or not any more
	}
	return nil
}

// Use runs f with the work database while nobody else has it.
func (w *Writer) Use(f func(*load.Work) error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.Work == nil {
		return w.closedError()
	}
	return f(w.Work)
}

// Clock is the time of the commits.
func (w *Writer) Clock() (now time.Time, err error) {
	err = w.Use(func(work *load.Work) error { now = work.CommitClock(); return nil })
	return now, err
}

// closedError says that nothing can be written any more, and why.
func (w *Writer) closedError() error {
	if w.broken == nil {
		return errors.New("the work database is closed")
	}
	return fmt.Errorf("the work database is closed: %w", w.broken)
}

// Commit merges the batches, moves the checkpoint, and folds the log when it has grown long.
func (w *Writer) Commit(ctx context.Context, schema, stream string, base, next load.Checkpoint, batches []transform.Batch) (written load.Written, err error) {
	err = w.Use(func(work *load.Work) error {
		if written, err = work.Commit(ctx, schema, stream, base, next, batches); err != nil {
			return err
		}
		if work.FoldNeeded() {
			return work.Fold(ctx)
		}
		return nil
	})
	return written, err
}

// IsPublishDue says whether the readers have waited long enough for what this run has committed so far.
func (w *Writer) IsPublishDue(every time.Duration) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return every > 0 && w.open.Now().Sub(w.published) >= every
}

// HasPublished says that this run has put a file before the readers.
func (w *Writer) HasPublished() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.publishes > 0
}

// Publish puts a new file before the readers. With more to come the work database is opened again. After *failure.PublishBlocked it
// is still open: nothing was done.
func (w *Writer) Publish(ctx context.Context, more bool) (publish.Result, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.Work == nil {
		return publish.Result{}, w.closedError()
	}
	spec := w.spec
	spec.RunID = fmt.Sprintf("%s-%02d", spec.RunID, w.publishes+1)
	if w.readers == nil {
		w.readers = new(publish.PublishedSnapshot(ctx, w.dir))
	}
	spec.Readers = *w.readers
	result, err := publish.Publish(ctx, w.dir, w.Work, spec)
	var held *failure.PublishBlocked
	if errors.As(err, &held) {
		return result, err
	}
	w.Work = nil
	if w.broken = err; err != nil {
		return result, err // it says that it is about publishing
	}
	w.publishes++
	w.published = w.open.Now()
	if more {
		if err := w.reopenWork(ctx); err != nil {
			w.broken = err
			return result, fmt.Errorf("go on after publishing: %w", err)
		}
	}
	return result, nil
}

// reopenWork goes on with a copy of what was published, which has the tables as they were prepared.
func (w *Writer) reopenWork(ctx context.Context) (err error) {
	if w.Work, err = load.Open(ctx, w.dir, w.open); err != nil {
		return err
	}
	for schema, tables := range w.Tables {
		if _, err := w.Work.Tables.Ensure(ctx, schema, tables); err != nil {
			return err
		}
		if err := w.RegisterUnmanaged(ctx, schema); err != nil {
			return err
		}
	}
	return nil
}

// Close closes the database; what is committed stays.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.Work == nil {
		return nil
	}
	work := w.Work
	w.Work = nil
	return work.Close()
}
