package publish

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"aqueduck/load/facts"
	"aqueduck/load/internal/duck"
	"aqueduck/load/layout"
)

// fewRows may leave any table at once: of a tiny one that is a large share, and no sign of anything.
const fewRows = 10

// Loss is how many rows of a table readers would no longer find. Table is what they call it.
type Loss struct {
	Schema, Table string
	Before, After int64
}

// HeldBack is the answer where a publish would take more of a table from its readers than it may (T152). They keep the
// file they have, and the work database stays as it is.
type HeldBack struct{ Losses []Loss }

// Error names the first table, with its rows before and after.
func (h *HeldBack) Error() string {
	first := h.Losses[0]
	text := fmt.Sprintf("the publish is held back: %s.%s would go from %d rows to %d", first.Schema, first.Table, first.Before, first.After)
	if n := len(h.Losses) - 1; n > 0 {
		text += fmt.Sprintf(", and %d more tables lose as much", n)
	}
	return text
}

// check compares what would be published with what readers have, and answers *HeldBack where a table lost a larger share of
// its rows than s lets go. Rows that an erasure took out are no loss; views are what their tables are.
func (s *Spec) check(now facts.Snapshot) error {
	if s.MaxLoss <= 0 {
		return nil
	}
	var held HeldBack
	erased := now.Erased.Since(s.Readers.Erased)
	for _, before := range s.Readers.Tables {
		name := [2]string{before.Schema, before.Name}
		after, there := now.Table(name)
		if !there || s.Accept != nil && s.Accept(before.Schema, before.Name) {
			continue
		}
		lost := before.Shown - after.Shown - erased[name]
		if lost > fewRows && float64(lost) > s.MaxLoss*float64(before.Shown) {
			held.Losses = append(held.Losses, Loss{before.Schema, s.shown(before.Schema, before.Name), before.Shown, after.Shown})
		}
	}
	if len(held.Losses) > 0 {
		return &held
	}
	return nil
}

// Readers is what the published file holds; nothing where there is none that can be read.
func Readers(ctx context.Context, d layout.Dir) facts.Snapshot {
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

// shown is what readers call a stored table.
func (s *Spec) shown(schema, table string) string {
	for _, each := range s.Schemas {
		for _, t := range each.Tables {
			if each.Name == schema && t.Name == table && t.View != "" {
				return t.View
			}
		}
	}
	return table
}
