package publish

import (
	"context"
	"errors"
	"path/filepath"

	"aqueduck/load/facts"
	"aqueduck/load/failure"
	"aqueduck/load/internal/duck"
	"aqueduck/load/layout"
)

// fewRows may leave any table at once: of a tiny one that is a large share, and no sign of anything.
const fewRows = 10

// checkRowLoss compares what would be published with what readers have, and answers *failure.PublishBlocked where a table lost a larger share of
// its rows than s lets go. Rows that an erasure took out are no loss; views are what their tables are.
func (s *Spec) checkRowLoss(now facts.Snapshot) error {
	if s.MaxLoss <= 0 {
		return nil
	}
	var held failure.PublishBlocked
	erased := now.Erased.Since(s.Readers.Erased)
	for _, before := range s.Readers.Tables {
		name := [2]string{before.Schema, before.Name}
		after, there := now.Table(name)
		if !there || s.Accept != nil && s.Accept(before.Schema, before.Name) {
			continue
		}
		lost := before.Shown - after.Shown - erased[name]
		if lost > fewRows && float64(lost) > s.MaxLoss*float64(before.Shown) {
			held.Losses = append(held.Losses, failure.RowLoss{Schema: before.Schema, Table: s.readerName(before.Schema, before.Name), Before: before.Shown, After: after.Shown})
		}
	}
	if len(held.Losses) > 0 {
		return &held
	}
	return nil
}

// PublishedSnapshot is what the published file holds; nothing where there is none that can be read.
func PublishedSnapshot(ctx context.Context, d layout.Dir) facts.Snapshot {
	target, err := filepath.EvalSymlinks(d.Current())
	if err != nil || d.Current() == "" {
		return facts.Snapshot{}
	}
	db, err := duck.Open(ctx, duck.Options{Path: target, ReadOnly: true})
	if err != nil {
		return facts.Snapshot{}
	}
	s, err := facts.ReadSnapshot(ctx, db)
	if errors.Join(err, db.Close()) != nil {
		return facts.Snapshot{} // a file that cannot be read is no reason to leave readers with it
	}
	return s
}

// readerName is what readers call a stored table.
func (s *Spec) readerName(schema, table string) string {
	for _, each := range s.Schemas {
		for _, t := range each.Tables {
			if each.Name == schema && t.Name == table && t.View != "" {
				return t.View
			}
		}
	}
	return table
}
