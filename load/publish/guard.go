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

// fewRows is the number of rows that any table may lose at once. In a tiny table they are a large share but prove nothing.
const fewRows = 10

// checkRowLoss is the publish guard. It compares the rows with those that readers have, and returns
// *failure.PublishBlocked where a table lost a larger share than MaxLoss. Rows that an erasure or a masking removed do not count as
// lost. Views are not checked: their tables are.
func (s *Spec) checkRowLoss(now facts.Snapshot) error {
	if s.MaxLoss <= 0 {
		return nil
	}
	var blocked failure.PublishBlocked
	// Only erasures since the file that readers have explain rows that it still shows.
	erased := now.Erased.Since(s.Readers.Erased)
	for _, before := range s.Readers.Tables {
		name := [2]string{before.Schema, before.Name}
		after, there := now.Table(name)
		lost := before.Shown - after.Shown - erased[name] - after.MaskedSince(before)
		// A share alone would block tiny tables.
		isLarge := there && lost > fewRows && float64(lost) > s.MaxLoss*float64(before.Shown)
		if isLarge && (s.Accept == nil || !s.Accept(before.Schema, before.Name)) {
			blocked.Losses = append(blocked.Losses, failure.RowLoss{Schema: before.Schema, Table: s.readerName(before.Schema, before.Name), Before: before.Shown, After: after.Shown})
		}
	}
	if len(blocked.Losses) > 0 {
		return &blocked
	}
	return nil
}

// PublishedSnapshot counts the content of the published file; it is empty where there is no readable file.
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
		return facts.Snapshot{} // an unreadable file must not stop the publish that replaces it
	}
	return s
}

// readerName is the name that readers use for a stored table.
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
