package warehouse

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
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

// Step is one change of a checkpoint.
type Step struct{ Base, Next load.Checkpoint }

// Writer is the run's only access to the work database. Streams commit through it concurrently, one at a time. Publishing and folding wait for the
// commit under way, because both replace the database that the streams write to.
type Writer struct {
	dir       layout.Dir
	open      load.Options
	pool      *load.Pool // nil: that of another Writer
	spec      publish.Spec
	catalogue *schemas.Catalogue

	mu        sync.Mutex // guards the fields below, and every use of the work database
	Work      *load.Work
	Tables    map[string][]transform.Table // by schema, as prepared
	published time.Time                    // of the last publish in this run, or its start
	broken    error                        // why the work database was closed before the run's end
	publishes int
	managed   map[string]registration
	readers   *facts.Snapshot // the row counts before this run's first publish, so that the guard sees a loss in small steps; nil: not read
}

// registration is what RegisterUnmanaged last read for a schema, and the database that it told.
type registration struct {
	work   *load.Work
	states map[string]string
}

// OpenWriter opens the work database of a run. The caller closes the Writer.
func OpenWriter(ctx context.Context, dir layout.Dir, o load.Options, spec publish.Spec, catalogue *schemas.Catalogue) (*Writer, error) {
	var own *load.Pool
	if o.Pool == nil {
		own = load.NewPool(dir)
		o.Pool = own
	}
	spec.Pool = o.Pool
	w := &Writer{dir: dir, open: o, pool: own, spec: spec, catalogue: catalogue, Tables: map[string][]transform.Table{}, managed: map[string]registration{}, published: o.Now()}
	var err error
	if w.Work, err = load.OpenWork(ctx, dir, o); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// AdoptRun lets a run use a work database that was opened before it and not written to. Opening it again would cost more.
func (w *Writer) AdoptRun(o load.Options, spec publish.Spec) {
	w.Work.SwitchRun(o.RunID, o.Now)
	o.Pool, spec.Pool = w.open.Pool, w.open.Pool
	w.open, w.spec, w.published = o, spec, o.Now()
}

// SnapshotReaders takes the row counts of the published file from the work database, as long as that is an unchanged copy of the file. Opening the
// published file would cost more.
func (w *Writer) SnapshotReaders(ctx context.Context) error {
	if !w.Work.Copied || w.Work.InPlace() {
		return nil // a run that writes nothing needs no counts
	}
	s, err := w.Work.Facts.Snapshot(ctx, nil)
	w.readers = &s
	return err
}

// Prepare creates or changes the tables before the first row of the run, and folds the database's log. A log with both new columns and rows is the
// one kind that DuckDB is known to replay wrongly. It exists when this run changed a table, or when an earlier one was killed between a change and
// its fold.
func (w *Writer) Prepare(ctx context.Context, schema string, tables []transform.Table) ([]load.Change, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	changes, err := w.Work.Tables.Ensure(ctx, schema, tables)
	if err != nil {
		return nil, err
	}
	if len(changes) > 0 {
		delete(w.managed, schema)
	}
	if err := w.RegisterUnmanaged(ctx, schema); err != nil {
		return nil, err
	}
	w.Tables[schema] = tables
	return changes, w.Work.Fold(ctx)
}

// RegisterUnmanaged registers with the work database all tables that the catalogue describes, read by this run or not. Stored tables that no
// stream manages any more stay published.
func (w *Writer) RegisterUnmanaged(ctx context.Context, schema string) error {
	states, err := w.Work.Facts.States(ctx, schema)
	if err != nil {
		return err
	}
	if known := w.managed[schema]; known.work != w.Work || !maps.Equal(known.states, states) {
		if err := w.registerStored(ctx, schema, states); err != nil {
			return err
		}
		w.managed[schema] = registration{w.Work, states}
	}
	for _, table := range w.Work.Tables.UnmanagedTables(schema) {
		w.publishTable(schema, table)
	}
	return nil
}

// registerStored registers the tables of all streams of the catalogue and of the datasets that have a state.
func (w *Writer) registerStored(ctx context.Context, schema string, states map[string]string) error {
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
	return w.Work.Tables.RegisterUnmanaged(ctx, schema, dictionary.Tables(streams), derived)
}

// Use calls f with the work database while no other goroutine uses it.
func (w *Writer) Use(f func(*load.Work) error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.Work == nil {
		return w.closedError()
	}
	return f(w.Work)
}

// Clock returns the time that commits carry.
func (w *Writer) Clock() (now time.Time, err error) {
	err = w.Use(func(work *load.Work) error { now = work.CommitClock(); return nil })
	return now, err
}

// closedError says that the work database is closed, and why.
func (w *Writer) closedError() error {
	if w.broken == nil {
		return errors.New("the work database is closed")
	}
	return fmt.Errorf("the work database is closed: %w", w.broken)
}

// Commit merges the batches and moves the checkpoint in one transaction. It ignores the cancellation of ctx: the pages of the batches are
// complete, and an interrupted run keeps them. Before, it folds the database's log when that has grown long, but not in an interrupted run, which has to
// end soon. The caller keeps the batches.
func (w *Writer) Commit(ctx context.Context, schema, stream string, base, next load.Checkpoint, batches []transform.Batch) (written load.Written, err error) {
	whole := context.WithoutCancel(ctx)
	err = w.Use(func(work *load.Work) error {
		if ctx.Err() == nil && work.FoldNeeded() {
			if err := work.Fold(whole); err != nil {
				return err
			}
		}
		written, err = work.Commit(whole, schema, stream, base, next, batches)
		return err
	})
	return written, err
}

// IsPublishDue reports whether the last publish of this run, or its start, is at least so long ago. 0 means never.
func (w *Writer) IsPublishDue(every time.Duration) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return every > 0 && w.open.Now().Sub(w.published) >= every
}

// HasPublished reports whether this run has published a file.
func (w *Writer) HasPublished() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.publishes > 0
}

// Publish publishes what is committed. With more set, it opens the work database again for the rest of the run; without, the Writer is closed.
// After *failure.PublishBlocked nothing was done, and the work database is still open.
func (w *Writer) Publish(ctx context.Context, more bool) (publish.Result, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.Work == nil {
		return publish.Result{}, w.closedError()
	}
	if more && w.Work.InPlace() {
		w.published = w.open.Now()
		return publish.Result{}, nil // nothing is written yet
	}
	spec := w.spec
	spec.RunID = fmt.Sprintf("%s-%02d", spec.RunID, w.publishes+1)
	if w.readers == nil && !w.Work.InPlace() { // a run that has written nothing can have lost nothing
		if w.readers = w.Work.Published; w.readers == nil {
			w.readers = new(publish.PublishedSnapshot(ctx, w.dir))
		}
	}
	if w.readers != nil {
		spec.Readers = *w.readers
	}
	spec.CleanOlder = w.cleanOlder
	result, err := publish.Publish(ctx, w.dir, w.Work, spec)
	var blocked *failure.PublishBlocked
	if errors.As(err, &blocked) {
		return result, err
	}
	w.Work = nil
	if w.broken = err; err != nil {
		return result, err // its text names the publish already
	}
	if result.Published {
		w.publishes++
	}
	w.published = w.open.Now()
	if more {
		if err := w.reopenWork(ctx); err != nil {
			w.broken = err
			return result, fmt.Errorf("go on after publishing: %w", err)
		}
	}
	return result, nil
}

// PublishCommand publishes what a command has changed, and closes the Writer. The file replaces the one that it was made from. With undo, the file of the
// last run stays until the next run publishes: a rollback undoes the command, and the commands before it. what is then rewind or reset.
func (w *Writer) PublishCommand(ctx context.Context, what string, undo bool) (publish.Result, error) {
	w.spec.What, w.spec.Replaces, w.spec.Undo = what, true, undo
	if undo {
		w.spec.What = publish.MoveWord + what
	}
	return w.Publish(ctx, false)
}

// cleanOlder rewrites an older published file without what was erased since, in a warehouse of its own: as a restored backup is, by the log of
// erasures, and then by the file that readers have now. The file keeps its name and its time.
func (w *Writer) cleanOlder(ctx context.Context, file string) error {
	apart, err := layout.BeginRewrite(w.dir, file)
	if err == nil {
		err = w.publishApart(ctx, apart, filepath.Base(file))
	}
	if err == nil {
		return layout.EndRewrite(w.dir, apart, file)
	}
	return errors.Join(err, os.RemoveAll(string(apart)))
}

// publishApart erases and publishes in the warehouse that has the older file as its work database.
func (w *Writer) publishApart(ctx context.Context, apart layout.Dir, name string) (err error) {
	open, spec := w.open, w.spec
	open.Later = w.dir.Current()
	spec.RunID, spec.Keep, spec.MaxLoss, spec.DropLake, spec.Rebuild = strings.TrimSuffix(name, ".duckdb"), 0, 0, true, true
	spec.What, spec.Replaces, spec.Elsewhere, spec.Step = "", false, false, nil // the file says already what made it
	older, err := OpenWriter(ctx, apart, open, spec, w.catalogue)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, older.Close()) }()
	if before, err := older.Work.Erasures.IsBefore(ctx, name); err != nil || !before {
		return errors.Join(err, errors.New("a rollback left it, and it may have rows that the current file lacks"))
	}
	published, err := older.Work.Facts.Meta(ctx, "published_at")
	if err != nil {
		return err
	}
	at, err := time.Parse(time.RFC3339Nano, published)
	if err != nil {
		return fmt.Errorf("when it was published: %w", err)
	}
	older.spec.Now = func() time.Time { return at }
	for _, schema := range slices.Sorted(maps.Keys(w.Tables)) {
		if _, err := older.Prepare(ctx, schema, w.Tables[schema]); err != nil {
			return err
		}
		if err := older.Work.Erasures.EmptyAsLater(ctx, schema); err != nil {
			return err
		}
		if _, err := older.Work.Erasures.Reapply(ctx, schema); err != nil {
			return fmt.Errorf("repeat the erasures in %s: %w", schema, err)
		}
	}
	_, err = publish.Publish(ctx, apart, older.Work, older.spec)
	older.Work = nil // without a limit of lost rows every publish closes it
	return err
}

// reopenWork opens a copy of the published file as the work database, and prepares its tables again.
func (w *Writer) reopenWork(ctx context.Context) (err error) {
	if w.Work, err = load.OpenWork(ctx, w.dir, w.open); err != nil {
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

// Close closes the work database. Committed rows stay.
func (w *Writer) Close() (err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.Work != nil {
		err = w.Work.Close()
		w.Work = nil
	}
	if w.pool != nil {
		err = errors.Join(err, w.pool.Close())
	}
	return err
}
