package publish

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"

	"aqueduck/load"
	"aqueduck/load/facts"
	"aqueduck/load/internal/disk"
	"aqueduck/load/internal/duck"
	"aqueduck/load/layout"
)

// findReplaced finds the file that this one replaces: the one that readers have, if a command makes this one, and no interrupted run has
// committed since. A work database that a killed command has left is compared with the file.
func (p *publishRun) findReplaced(ctx context.Context, w *load.Work) (err error) {
	p.replaced = map[string]replacement{}
	current := p.dir.Current()
	if !p.spec.Replaces || current == "" {
		return nil
	}
	if w.Copied {
		p.replaces = filepath.Base(current)
		return nil
	}
	readers, err := duck.Open(ctx, duck.Options{Path: current, ReadOnly: true})
	if err != nil {
		return nil // an unreadable file must not stop the publish that takes its place
	}
	defer func() { err = errors.Join(err, readers.Close()) }()
	before, err := facts.ReadCommits(ctx, readers)
	if err != nil {
		return err
	}
	if now, err := w.Facts.Commits(ctx); err != nil || now != before {
		return err
	}
	p.replaces = filepath.Base(current)
	return p.noteReplaced(ctx, readers)
}

// MoveWord begins Spec.What of a command that moves checkpoints: after a kill it says that the file before stays for a rollback.
const MoveWord = "state "

// replacement is what a file of a command replaces.
type replacement struct {
	older string // name of that file
	undo  bool   // it stays for a rollback: the command moved checkpoints, and erased nothing
}

// noteReplaced adds the files that were replaced, as a database says.
func (p *publishRun) noteReplaced(ctx context.Context, db *duck.DB) error {
	return db.Each(ctx, "SELECT file, replaces, coalesce(starts_with(what, $1), false) FROM _sync.publishes WHERE replaces IS NOT NULL", []any{MoveWord}, func(rows *sql.Rows) error {
		var file string
		var r replacement
		err := rows.Scan(&file, &r.older, &r.undo)
		p.replaced[file] = r
		return err
	})
}

// retention is which older files stay. Files of commands replace each other: the first that a move of checkpoints replaced, mostly that of the last
// run, stays for a rollback. An erasure leaves nothing to go back to in the file that it was made from, but in that of the run before a move.
func (p *publishRun) retention() layout.Retention {
	r := layout.Retention{Keep: p.spec.Keep, Replaced: map[string]bool{}, Clean: p.spec.CleanOlder}
	for _, one := range p.replaced {
		r.Replaced[one.older] = true
	}
	at := replacement{p.replaces, p.spec.Undo}
	for range len(p.replaced) + 1 { // a file in between may be gone
		if at.undo && disk.Exists(filepath.Join(p.dir.Published(), at.older)) {
			r.Undo = at.older
		}
		at = p.replaced[at.older]
	}
	return r
}
