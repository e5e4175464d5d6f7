package erase

import (
	"context"
	"fmt"
	"time"

	"aqueduck/load/internal/clause"
	"aqueduck/load/internal/duck"
	"aqueduck/load/tombstone"
)

// Reapply erases again what the log of erasures has and this database does not know of: it is older, a backup that was put
// back, or has a table that was not looked through. The zero certificate says that there was nothing.
func (w *Erasures) Reapply(ctx context.Context, schema string) (c Certificate, err error) {
	err = w.db.Do("", func(*duck.DB) error {
		e := erasureStep{schema: schema, reason: Restored, rows: map[string][][]string{}, rowHashes: map[string][]tombstone.IDHash{}}
		again, err := w.hasUnsearched(ctx, schema)
		if err != nil {
			return err
		}
		wanted := map[tombstone.Scope]map[tombstone.IDHash]bool{}
		for p, marks := range w.tombs.Hashes {
			for m := range marks {
				if p.Schema != schema || w.applied[p][m] && !(again && p.Table == "") {
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
		for p, marks := range wanted {
			if err := w.findErased(ctx, s, p, marks, &e); err != nil {
				return fmt.Errorf("find the persons of the erasure log: %w", err)
			}
		}
		c, err = w.applyErasure(ctx, e)
		return err
	})
	return c, err
}

// findErased finds the stored ids, or the keys of rows, that marks are of.
func (w *Erasures) findErased(ctx context.Context, s *subjectEraser, p tombstone.Scope, marks map[tombstone.IDHash]bool, e *erasureStep) error {
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
				if text := tombstone.RowKey(values); !found[text] && marks[w.tombs.Hash(p, text)] {
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

// NeedsReapply says that the log of erasures has marks of a schema that this database has not taken in.
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
