package erase

import (
	"context"
	"fmt"
	"time"

	"aqueduck/internal/crash"
	"aqueduck/load/internal/clause"
	"aqueduck/load/internal/duck"
	"aqueduck/load/layout"
	"aqueduck/load/tombstone"
	"aqueduck/transform"
)

// LeavesNoState reports whether persons of a schema were erased and the rows of a history are deleted as a whole with
// them.
func (w *Erasures) LeavesNoState(schema string, history transform.Table) bool {
	return len(w.tombs.Hashes[tombstone.People(schema)]) > 0 && w.newEraser(schema, time.Time{}).deletesRow(history)
}

// IsMentioned reports whether any stored row names one of some contacts.
func (w *Erasures) IsMentioned(ctx context.Context, schema string, ids []string) (named bool, err error) {
	err = w.db.Do("", func(db *duck.DB) error {
		if err := w.fillSubjects(ctx, ids); err != nil {
			return err
		}
		defer w.dropSubjects(ctx, nil)
		for _, t := range w.newEraser(schema, time.Time{}).tables {
			if ids := clause.Persons(t); len(ids) > 0 {
				var one bool
				err := db.Scan(ctx, "SELECT EXISTS (SELECT 1 FROM "+clause.Stored(schema, t)+" t WHERE "+isSubject("t.", ids)+")", nil, &one)
				if err != nil || one {
					named = one
					return err
				}
			}
		}
		return nil
	})
	return named, err
}

// Erase erases contacts from all tables. The next publish removes them from every file. The tombstones are written first.
// Each step can be repeated: after a kill, the next run continues.
func (w *Erasures) Erase(ctx context.Context, schema, reason string, ids []string) (c Certificate, err error) {
	err = w.db.Do("", func(*duck.DB) error {
		if err := w.tombs.Begin(); err != nil {
			return fmt.Errorf("prepare the erasure log: %w", err)
		}
		e := erasureStep{schema: schema, reason: reason, ids: ids}
		for _, id := range ids {
			e.hashes = append(e.hashes, w.tombs.Hash(tombstone.People(schema), id))
		}
		c, err = w.applyErasure(ctx, e)
		return err
	})
	return c, err
}

// Preview gives the certificate that Erase would give, and changes nothing.
func (w *Erasures) Preview(ctx context.Context, schema string, ids []string) (c Certificate, err error) {
	err = w.db.Do("", func(*duck.DB) error {
		c, err = w.certifyErasure(ctx, erasureStep{schema: schema, reason: ErasedByCommand, ids: ids})
		return err
	})
	return c, err
}

// applyErasure runs all steps of an erasure except the last: the publish that removes the old bytes.
func (w *Erasures) applyErasure(ctx context.Context, e erasureStep) (Certificate, error) {
	c, err := w.certifyErasure(ctx, e)
	if err != nil {
		return c, err
	}
	for _, m := range e.hashes {
		c.Persons = append(c.Persons, m.String())
	}
	// This comes before the tombstones. After a kill in between, the files are written again without need. The other order could
	// leave tombstones of persons that published files still have. Without stored rows and published files there are no bytes to remove.
	if c.Rows > 0 || len(e.ids) > 0 && w.db.Dir().Current() != "" {
		begin := layout.Dir.BeginErasing
		if e.reason == ErasedByCommand {
			begin = layout.BeginAsked
		}
		if err := begin(w.db.Dir()); err != nil {
			return c, fmt.Errorf("record that files must be rewritten: %w", err)
		}
	}
	crash.At(crash.EraseBegun)
	now := w.db.Now().UTC()
	if err := w.tombs.AppendHashes(tombstone.People(e.schema), e.hashes, now); err != nil {
		return c, fmt.Errorf("record who is erased: %w", err)
	}
	crash.At(crash.EraseNoted)
	stamp := w.db.Stamp()
	err = w.db.DB.Transaction(ctx, func() error { return w.eraseAll(ctx, e, c, stamp) })
	if err != nil {
		return c, fmt.Errorf("erase: %w", err)
	}
	crash.At(crash.EraseCommitted)
	w.db.NoteCommit(stamp)
	w.noteApplied(e)
	return c, nil
}

func (w *Erasures) eraseAll(ctx context.Context, e erasureStep, c Certificate, stamp time.Time) error {
	if err := w.fillSubjects(ctx, e.ids); err != nil {
		return err
	}
	s := w.newEraser(e.schema, stamp)
	defer w.dropSubjects(ctx, s)
	if err := w.eraseTraces(ctx, s); err != nil {
		return fmt.Errorf("the records of runs: %w", err)
	}
	found, err := s.findRows(ctx, s.tables)
	if err != nil {
		return err
	}
	moved := map[string]bool{}
	err = s.changeRows(ctx, found, func(t transform.Table, _, gone int64) error {
		if t.Parent != "" {
			moved[t.Parent] = true
		}
		return w.db.CountRows(ctx, e.schema, t.Name, -gone, stamp)
	})
	if err != nil {
		return err
	}
	for table, keys := range e.rows {
		if err := w.eraseRows(ctx, s, table, keys, stamp); err != nil {
			return fmt.Errorf("table %s: %w", table, err)
		}
	}
	for name := range moved {
		if err := s.moveRecords(ctx, name, stamp); err != nil {
			return err
		}
	}
	if err := w.saveErasure(ctx, e, c); err != nil {
		return err
	}
	if err := w.saveSearched(ctx, e.schema); err != nil {
		return err
	}
	return w.db.SaveStamp(ctx, stamp)
}

// moveRecords sets _synced_at of the records whose child rows were emptied.
func (e *subjectEraser) moveRecords(ctx context.Context, name string, stamp time.Time) error {
	own, ok := e.findTable(name)
	if !ok {
		return nil
	}
	named, err := e.matchingRecords(ctx, own)
	if err != nil || named == "" {
		return err
	}
	_, err = e.work.db.DB.Exec(ctx, fmt.Sprintf("UPDATE %s AS t SET %s WHERE EXISTS (SELECT 1 FROM %s n WHERE %s) AND %s < $1",
		e.relationOf(name), e.stampClause(), named, clause.Matches("n.", own.Key, "t.", own.Key), transform.SyncedAtColumn), e.args...)
	if err != nil {
		return err
	}
	return e.work.db.CountRows(ctx, e.schema, name, 0, stamp)
}
