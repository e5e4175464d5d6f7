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
	p.replaced = map[string]string{}
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
	return db.Each(ctx, "SELECT file, replaces FROM _sync.publishes WHERE replaces IS NOT NULL", nil, func(rows *sql.Rows) error {
		var file, older string
		err := rows.Scan(&file, &older)
		p.replaced[file] = older
		return err
	})
}

// retention is which older files stay. Files of commands replace each other: the first of them that is left, mostly that of the last run, stays for a rollback.
// An erasure leaves nothing to go back to in the file that it was made from, but in that of the run before a move.
func (p *publishRun) retention() layout.Retention {
	r := layout.Retention{Keep: p.spec.Keep, Replaced: map[string]bool{}, Clean: p.spec.CleanOlder}
	for _, older := range p.replaced {
		r.Replaced[older] = true
	}
	first := p.replaces
	older := p.replaced[first]
	for range p.replaced { // a file in between may be gone
		if older != "" && disk.Exists(filepath.Join(p.dir.Published(), older)) {
			first = older
		}
		older = p.replaced[older]
	}
	if p.spec.Undo || first != p.replaces {
		r.Undo = first
	}
	return r
}
