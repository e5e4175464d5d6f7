package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"aqueduck/internal/grammar"
	"aqueduck/load"
	"aqueduck/load/erase"
	"aqueduck/load/publish"
	"aqueduck/schemas"
	"aqueduck/transform"
)

// settle finishes an erasure that a process did not come to the end of, and repeats those that the database is older than.
// It comes before anything else at every start, and tells what had to be repaired to begin at all. The caller holds the lock.
func (r *Runner) settle(ctx context.Context) (restored string, err error) {
	if !r.Dir.ErasedAnything() {
		return "", nil
	}
	w, workspaces, err := r.openAll(ctx)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	restored = w.work.Restored
	behind := r.Dir.Erasing()
	for _, each := range workspaces {
		if err := w.recall(ctx, each.name); err != nil {
			return restored, err
		}
		unsearched, err := w.work.Unsearched(ctx, each.name)
		if err != nil {
			return restored, err
		}
		behind = behind || unsearched || w.work.Behind(each.name)
	}
	if !behind {
		return restored, nil
	}
	if err := r.prepareAll(ctx, w, workspaces); err != nil {
		return restored, err
	}
	for _, each := range workspaces {
		c, err := w.work.Reapply(ctx, each.name)
		if err != nil {
			return restored, fmt.Errorf("erase again who was erased before: %w", err)
		}
		if c.Rows > 0 {
			r.Log.Warn("the database was older than an erasure, or had a table that was not looked through: it was repeated", "workspace", each.name, "rows", c.Rows)
		}
	}
	if !r.Dir.Erasing() {
		return restored, nil // nothing of them was there; the database knows that from now on
	}
	var held *publish.HeldBack
	if _, err = w.publish(ctx, false); errors.As(err, &held) {
		err = nil // the publish of whoever settles says so, and may have been told to let it pass
	}
	return restored, err
}

// forget erases whom the sources have forgotten. It comes before every publish: readers find nothing of them.
func (r *run) forget(ctx context.Context) error {
	for _, w := range r.workspaces {
		streams := r.runner.stored(w.name)
		var c erase.Certificate
		err := r.writer.use(func(work *load.Work) error {
			ids, err := gone(ctx, work, w.name, streams)
			if err != nil || len(ids) == 0 {
				return err
			}
			if ids, err = withMerged(ctx, work, w.name, streams, ids); err != nil {
				return err
			}
			if ids = work.NotErased(w.name, ids); len(ids) > 0 {
				c, err = work.Erase(ctx, w.name, erase.Forgotten, ids)
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("erase whom %s has forgotten: %w", w.name, err)
		}
		if c.Rows > 0 {
			r.runner.Log.Info("erased whom the source has forgotten; every file is written anew", "workspace", w.name,
				"contacts", len(c.Persons), "rows", c.Rows, "tables", len(c.Tables))
		}
	}
	return nil
}

func (r *run) note(text string) {
	r.findMu.Lock()
	defer r.findMu.Unlock()
	r.reported.Notes = append(r.reported.Notes, text)
}

// gone are the contacts that the source has forgotten. Those that have a tombstone are among them: that another one was merged
// into them may be told later.
func gone(ctx context.Context, work *load.Work, schema string, streams []*schemas.Stream) ([]string, error) {
	var all []string
	for _, s := range streams {
		if s.Persons == nil || s.Persons.Forgotten == "" {
			continue
		}
		ids, err := work.IDs(ctx, schema, s.Persons.Forgotten)
		if err != nil {
			return nil, fmt.Errorf("stream %s: %w", s.Name, err)
		}
		all = append(all, ids...)
	}
	return all, nil
}

// merges are the ids that were merged, with those they were merged into.
func merges(ctx context.Context, work *load.Work, schema string, streams []*schemas.Stream) (from, into []string, err error) {
	for _, s := range streams {
		if s.Persons == nil || s.Persons.Merged == "" {
			continue
		}
		a, b, err := work.Expected(ctx, schema, s.Persons.Merged)
		if err != nil {
			return nil, nil, fmt.Errorf("stream %s: %w", s.Name, err)
		}
		from, into = append(from, a...), append(into, b...)
	}
	return from, into, nil
}

// withMerged adds the ids that were merged into some ids, and into those: one person under several.
func withMerged(ctx context.Context, work *load.Work, schema string, streams []*schemas.Stream, ids []string) ([]string, error) {
	from, into, err := merges(ctx, work, schema, streams)
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

// Erased is what an erasure does, or would do, in one workspace.
type Erased struct {
	Workspace string
	IDs       []string // the contact's, and those that were merged into it
	erase.Certificate
}

// Erase forgets a contact in every workspace that knows it, under all ids that were merged into it, once confirm has seen
// what that touches. It gives the certificates; none when confirm said no.
func (r *Runner) Erase(ctx context.Context, id string, confirm func([]Erased) (bool, error)) (done []Erased, err error) {
	err = r.alone(ctx, func(w *writer, workspaces []*workspace) error {
		var found []Erased
		for _, each := range workspaces {
			e, err := r.touches(ctx, w, each.name, id)
			if err != nil {
				return err
			}
			if e != nil {
				found = append(found, *e)
			}
		}
		if len(found) == 0 {
			return &Problem{Class: "usage", Exit: ExitUsage, What: fmt.Sprintf("nothing that is stored names a contact %q", id),
				Next: "give the contact's id, as contacts_all.id has it"}
		}
		if yes, err := confirm(found); err != nil || !yes {
			return err
		}
		for _, e := range found {
			c, err := w.work.Erase(ctx, e.Workspace, erase.Asked, e.IDs)
			if err != nil {
				return err
			}
			done = append(done, Erased{e.Workspace, e.IDs, c})
		}
		_, err := w.publish(ctx, false)
		return err
	})
	return done, err
}

// touches finds what a workspace has of a contact; nil when nothing names it.
func (r *Runner) touches(ctx context.Context, w *writer, workspace, id string) (*Erased, error) {
	streams := r.stored(workspace)
	ids, err := withMerged(ctx, w.work, workspace, streams, []string{id})
	if err != nil {
		return nil, err
	}
	if there, err := w.work.Mentioned(ctx, workspace, ids); err != nil || !there {
		return nil, err
	}
	from, into, err := merges(ctx, w.work, workspace, streams)
	if err != nil {
		return nil, err
	}
	if i := slices.Index(from, id); i >= 0 && !slices.Contains(ids, into[i]) {
		return nil, &Problem{Class: "usage", Exit: ExitUsage, What: fmt.Sprintf("contact %s was merged into %s, who it is today", id, into[i]),
			Next: "aqueduck erase " + into[i] + ", which erases both"}
	}
	c, err := w.work.Preview(ctx, workspace, ids)
	return &Erased{workspace, ids, c}, err
}

// kept are the columns that stay when a person is erased, as table.column.
func (r *Runner) kept() map[string]bool {
	kept := map[string]bool{}
	for _, s := range r.Catalogue.Streams() {
		for _, column := range r.Config.Settings(s.Name).KeepErased {
			for _, t := range transform.Tables(s) {
				if slices.ContainsFunc(t.Columns, func(c transform.Column) bool { return keepable(c) && c.Name == column }) {
					kept[t.Name+"."+column] = true
				}
			}
		}
	}
	return kept
}

// keepable says whether the configuration may keep a column of a person who is erased: one that tells of the record.
func keepable(c transform.Column) bool {
	return c.PII && slices.Contains(c.Whose, schemas.WhoseRecord)
}

// keepErased takes in the columns that stay.
func (l *loader) keepErased(c *Config, e grammar.Entry, streams []*schemas.Stream) {
	for _, item := range e.Value.Key("keep_erased").Items() {
		taken := false
		for _, s := range streams {
			for _, t := range transform.Tables(s) {
				if slices.ContainsFunc(t.Columns, func(c transform.Column) bool { return keepable(c) && c.Name == item.Text() }) {
					settings := c.settings[s.Name]
					settings.KeepErased = append(settings.KeepErased, item.Text())
					c.settings[s.Name], taken = settings, true
					break
				}
			}
		}
		if !taken {
			item.Wrong("", "no column %q that could stay: what is a person's own goes with him", item.Text())
		}
	}
}
