package erase

import (
	"context"
	"fmt"
	"time"

	"aqueduck/load/internal/clause"
	"aqueduck/load/internal/duck"
	"aqueduck/load/layout"
	"aqueduck/load/tombstone"
)

// Reapply applies the tombstones of the log that this database has not applied. That happens where the database is older
// than the log, for example a backup, or where a table was not searched yet. The zero certificate says that there was
// nothing to apply.
func (w *Erasures) Reapply(ctx context.Context, schema string) (c Certificate, err error) {
	err = w.db.Do("", func(*duck.DB) error {
		e := erasureStep{schema: schema, reason: Restored, rows: map[string][][]string{}, rowHashes: map[string][]tombstone.IDHash{}}
		unsearched, err := w.hasUnsearched(ctx, schema)
		if err != nil {
			return err
		}
		if !unsearched && layout.WasAsked(w.db.Dir()) {
			e.reason = ErasedByCommand // that command was interrupted before it changed the database
		}
		wanted := map[tombstone.Scope]map[tombstone.IDHash]bool{}
		for p, hashes := range w.tombs.Hashes {
			for m := range hashes {
				if p.Schema != schema || w.applied[p][m] && !(unsearched && p.Table == "") {
					continue
				}
				if wanted[p] == nil {
					wanted[p] = map[tombstone.IDHash]bool{}
				}
				wanted[p][m] = true
				if p.Table == "" {
					e.hashes = append(e.hashes, m)
				} else {
					e.rowHashes[p.Table] = append(e.rowHashes[p.Table], m)
				}
			}
		}
		if len(wanted) == 0 {
			return nil
		}
		s := w.newEraser(schema, time.Time{})
		for p, hashes := range wanted {
			if err := w.findErased(ctx, s, p, hashes, &e); err != nil {
				return fmt.Errorf("find the persons of the erasure log: %w", err)
			}
		}
		c, err = w.applyErasure(ctx, e)
		return err
	})
	return c, err
}

// findErased finds the stored ids, or keys of rows, of some hashes. The log has no ids, so each stored id is hashed and
// looked up.
func (w *Erasures) findErased(ctx context.Context, s *subjectEraser, p tombstone.Scope, hashes map[tombstone.IDHash]bool, e *erasureStep) error {
	found := map[string]bool{}
	for _, t := range s.tables {
		columns := clause.Persons(t)
		if p.Table != "" {
			columns = nil
			if t.Name == p.Table {
				columns = []string{""}
			}
		}
		for _, column := range columns {
			key := []string{column}
			if column == "" {
				key = t.Key
			}
			err := w.db.EachValue(ctx, s.relationOf(t.Name), key, func(values []string) {
				if text := tombstone.RowKey(values); !found[text] && hashes[w.tombs.Hash(p, text)] {
					found[text] = true
					if p.Table == "" {
						e.ids = append(e.ids, text)
					} else {
						e.rows[p.Table] = append(e.rows[p.Table], values)
					}
				}
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// NeedsReapply reports whether the log of erasures has tombstones of a schema that this database has not applied.
func (w *Erasures) NeedsReapply(schema string) (behind bool) {
	w.db.WithLock(func() {
		for scope, hashes := range w.tombs.Hashes {
			for hash := range hashes {
				behind = behind || scope.Schema == schema && !w.applied[scope][hash]
			}
		}
	})
	return behind
}
