package publish

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"

	"aqueduck/load"
	"aqueduck/load/facts"
	"aqueduck/load/internal/duck"
	"aqueduck/load/layout"
)

// findReplaced finds the file that this one replaces: the one that readers have, if a command makes this one, and no interrupted run has
// committed since. A work database that a killed command has left is compared with the file.
func (p *publishRun) findReplaced(ctx context.Context, w *load.Work) (err error) {
	p.replaced = map[string]bool{}
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

// noteReplaced adds the files that were replaced, as a database says.
func (p *publishRun) noteReplaced(ctx context.Context, db *duck.DB) error {
	return db.Each(ctx, "SELECT replaces FROM _sync.publishes WHERE replaces IS NOT NULL", nil, func(rows *sql.Rows) error {
		var file string
		err := rows.Scan(&file)
		p.replaced[file] = true
		return err
	})
}

// retention is which older files stay. A file that may have erased data does not stay beside the one that replaces it.
func (p *publishRun) retention() layout.Retention {
	r := layout.Retention{Keep: p.spec.Keep, Replaced: p.replaced, Clean: p.spec.CleanOlder}
	if p.spec.Undo && !p.dir.Erasing() {
		r.Undo = p.replaces
	}
	return r
}
