package sync

import (
	"context"
	"errors"
	"fmt"

	"aqueduck/internal/runner"
	"aqueduck/internal/sync/stream"
	"aqueduck/internal/sync/warehouse"
	"aqueduck/load"
	"aqueduck/load/erase"
	"aqueduck/load/failure"
	"aqueduck/schemas"
)

// resumeErasures finishes an erasure that a process did not come to the end of, and repeats those that the database is older than.
// It comes before anything else at every start, and tells what had to be repaired to begin at all. Where nothing was to be done the
// work database is left open, for whoever goes on with it, and tells that itself. The caller holds the lock.
func resumeErasures(ctx context.Context, r *runner.Runner) (unchanged *warehouse.Writer, restored string, err error) {
	if !r.Dir.ErasedAnything() {
		return nil, "", nil
	}
	w, workspaces, err := openAll(ctx, r)
	if err != nil {
		return nil, "", err
	}
	defer func() {
		if unchanged == nil {
			err = errors.Join(err, w.Close())
		}
	}()
	restored = w.Work.Restored
	behind := r.Dir.Erasing()
	for _, each := range workspaces {
		if err := w.RegisterUnmanaged(ctx, each.Name); err != nil {
			return nil, restored, err
		}
		unsearched, err := w.Work.Erasures.Unsearched(ctx, each.Name)
		if err != nil {
			return nil, restored, err
		}
		behind = behind || unsearched || w.Work.Erasures.NeedsReapply(each.Name)
	}
	if !behind {
		return w, "", nil
	}
	if err := prepareAll(ctx, r, w, workspaces); err != nil {
		return nil, restored, err
	}
	for _, each := range workspaces {
		c, err := w.Work.Erasures.Reapply(ctx, each.Name)
		if err != nil {
			return nil, restored, fmt.Errorf("repeat earlier erasures: %w", err)
		}
		if c.Rows > 0 {
			r.Log.Warn("earlier erasures were repeated: the database was older than one of them, or had a new table", "workspace", each.Name, "rows", c.Rows)
		}
	}
	if !r.Dir.Erasing() {
		return nil, restored, nil // nothing of them was there; the database knows that from now on
	}
	var held *failure.PublishBlocked
	if _, err = w.Publish(ctx, false); errors.As(err, &held) {
		err = nil // the publish of whoever settles says so, and may have been told to let it pass
	}
	return nil, restored, err
}

// eraseGone erases whom the sources have forgotten. It comes before every publish: readers find nothing of them.
func eraseGone(ctx context.Context, r *stream.Run) error {
	for _, w := range r.Workspaces {
		streams := r.Runner.StoredStreams(w.Name)
		var c erase.Certificate
		err := r.Writer.Use(func(work *load.Work) error {
			ids, err := forgottenContacts(ctx, work, w.Name, streams)
			if err != nil || len(ids) == 0 {
				return err
			}
			if ids, err = AddMerged(ctx, work, w.Name, streams, ids); err != nil {
				return err
			}
			if ids = work.Erasures.NotErased(w.Name, ids); len(ids) > 0 {
				c, err = work.Erasures.Erase(ctx, w.Name, erase.Forgotten, ids)
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("erase the contacts that %s has permanently deleted: %w", w.Name, err)
		}
		if c.Rows > 0 {
			r.Runner.Log.Info("erased contacts that the source has permanently deleted; every file is rewritten", "workspace", w.Name,
				"contacts", len(c.Persons), "rows", c.Rows, "tables", len(c.Tables))
		}
	}
	return nil
}

// forgottenContacts are the contacts that the source has forgotten. Those that have a tombstone are among them: that another one was merged
// into them may be told later.
func forgottenContacts(ctx context.Context, work *load.Work, schema string, streams []*schemas.Stream) ([]string, error) {
	var all []string
	for _, s := range streams {
		if s.Persons == nil || s.Persons.Forgotten == "" {
			continue
		}
		ids, err := work.Facts.IDs(ctx, schema, s.Persons.Forgotten)
		if err != nil {
			return nil, fmt.Errorf("stream %s: %w", s.Name, err)
		}
		all = append(all, ids...)
	}
	return all, nil
}

// ReadMerges are the ids that were merged, with those they were merged into.
func ReadMerges(ctx context.Context, work *load.Work, schema string, streams []*schemas.Stream) (from, into []string, err error) {
	for _, s := range streams {
		if s.Persons == nil || s.Persons.Merged == "" {
			continue
		}
		a, b, err := work.Facts.Expected(ctx, schema, s.Persons.Merged)
		if err != nil {
			return nil, nil, fmt.Errorf("stream %s: %w", s.Name, err)
		}
		from, into = append(from, a...), append(into, b...)
	}
	return from, into, nil
}

// AddMerged adds the ids that were merged into some ids, and into those: one person under several.
func AddMerged(ctx context.Context, work *load.Work, schema string, streams []*schemas.Stream, ids []string) ([]string, error) {
	from, into, err := ReadMerges(ctx, work, schema, streams)
	if err != nil {
		return nil, err
	}
	before := map[string][]string{}
	for i := range from {
		before[into[i]] = append(before[into[i]], from[i])
	}
	known := map[string]bool{}
	var all []string
	for todo := ids; len(todo) > 0; {
		id := todo[len(todo)-1]
		todo = todo[: len(todo)-1 : len(todo)-1]
		if !known[id] {
			known[id], all = true, append(all, id)
			todo = append(todo, before[id]...)
		}
	}
	return all, nil
}
