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
	"aqueduck/load/publish"
	"aqueduck/load/read"
	"aqueduck/schemas"
)

// resumeErasures finishes an erasure that was interrupted, and repeats those that are newer than the database, for example after a restored
// backup. It runs before anything else at every start. When there is nothing to do it returns the open work database in unchanged, for the
// caller to use and close; otherwise unchanged is nil, and restored says what a repair of the database did. The caller holds the lock.
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
	unfinished := r.Dir.Erasing()
	behind := unfinished
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
		switch {
		case c.Rows == 0:
		case unfinished:
			r.Log.Warn("an unfinished erasure was finished", "workspace", each.Name, "rows", c.Rows)
		default:
			r.Log.Warn("earlier erasures were repeated: the database was older than one of them, or had a new table", "workspace", each.Name, "rows", c.Rows)
		}
	}
	if !r.Dir.Erasing() {
		return nil, restored, nil // none of their data was there, and the database records that it was searched
	}
	var blocked *failure.PublishBlocked
	result, err := w.PublishCommand(ctx, "erasures repeated", false)
	if errors.As(err, &blocked) {
		err = nil // the caller's own publish reports it, and may accept the loss
	}
	WarnRemoved(r, result)
	return nil, restored, err
}

// filesRemoved says what a publish removed that was to be kept.
const filesRemoved = "published files were removed, and no rollback can restore them"

// WarnRemoved logs why a publish outside of a run removed older published files that were to be kept.
func WarnRemoved(r *runner.Runner, result publish.Result) {
	if result.Removed != nil {
		r.Log.Warn(filesRemoved, "error", result.Removed, "next", r.Given.Append("list those that are left: aqueduck rollback --list"))
	}
}

// eraseGone erases the persons that the sources have erased. It runs before every publish, so that no published file contains them.
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
				c, err = work.Erasures.Erase(ctx, w.Name, erase.ErasedAtSource, ids)
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

// forgottenContacts returns the ids of the contacts that the source has erased, also of those that have a tombstone: the source may report later
// that another contact was merged into one of them.
func forgottenContacts(ctx context.Context, work *load.Work, schema string, streams []*schemas.Stream) ([]string, error) {
	var all []string
	for _, s := range streams {
		if s.Persons == nil || s.Persons.Deleted == "" {
			continue
		}
		ids, err := work.Facts.IDs(ctx, schema, s.Persons.Deleted)
		if err != nil {
			return nil, personsError(s, err)
		}
		all = append(all, ids...)
	}
	return all, nil
}

// personsError is an error of the SQL that names a stream's persons.
func personsError(s *schemas.Stream, err error) error {
	if s.Persons.Private {
		err = read.WithoutSQL(err)
	}
	return fmt.Errorf("stream %s: %w", s.Name, err)
}

// ReadMerges returns the ids of merged contacts in from, and at the same index in into the contact that each was merged into.
func ReadMerges(ctx context.Context, work *load.Work, schema string, streams []*schemas.Stream) (from, into []string, err error) {
	for _, s := range streams {
		if s.Persons == nil || s.Persons.Merged == "" {
			continue
		}
		a, b, err := work.Facts.Expected(ctx, schema, s.Persons.Merged)
		if err != nil {
			return nil, nil, personsError(s, err)
		}
		from, into = append(from, a...), append(into, b...)
	}
	return from, into, nil
}

// AddMerged adds all ids that were merged into the given ones, over any number of steps: they are the same person.
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
