package erase

import (
	"context"
	"database/sql"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"aqueduck/internal/crash"
	"aqueduck/load/internal/clause"
	"aqueduck/load/internal/duck"
	"aqueduck/load/internal/stage"
	"aqueduck/load/internal/workdb"
	"aqueduck/load/tombstone"
	"aqueduck/transform"
)

// Why something is erased.
const (
	Forgotten = "forgotten" // the source has erased the person
	Asked     = "asked"     // the command erase
	Redacted  = "redacted"  // the source took a text out
	Restored  = "restored"  // the database was older than the erasure
)

// erasure is one step of erasing: persons, rows whose text the source took out, or both.
type erasure struct {
	schema, reason string
	ids            []string              // of persons
	marks          []tombstone.IDHash    // of persons, those too of whom nothing is stored
	rows           map[string][][]string // by table: keys
	rowMarks       map[string][]tombstone.IDHash
}

// Erasures take persons, and texts that the source took out, from the stored rows, and keep them out of those that come.
type Erasures struct {
	*workdb.Database
	Tombs   *tombstone.Log
	applied map[tombstone.Scope]map[tombstone.IDHash]bool // the tombstones that this database has taken in
}

// ReadErasures reads which tombstones the database has taken in. A log that was lost is written again from them.
func (w *Erasures) ReadErasures(ctx context.Context) error {
	w.applied = map[tombstone.Scope]map[tombstone.IDHash]bool{}
	var salt sql.NullString
	if err := w.DB.Scan(ctx, "SELECT max(value) FROM _sync.meta WHERE key = 'erasures_salt'", nil, &salt); err != nil {
		return err
	}
	if !salt.Valid {
		return nil
	}
	if w.Tombs.Salt == nil {
		raw, err := hex.DecodeString(salt.String)
		if err != nil {
			return fmt.Errorf("the salt of the erasures: %w", err)
		}
		if err := w.Tombs.BeginWith(raw); err != nil {
			return err
		}
	}
	if salt.String != hex.EncodeToString(w.Tombs.Salt) {
		return nil // another log's: all of this one are applied anew
	}
	times := map[tombstone.Scope]map[tombstone.IDHash]time.Time{}
	err := w.DB.Each(ctx, "SELECT schema, table_name, mark, recorded_at FROM _sync.erasures", nil, func(rows *sql.Rows) error {
		var p tombstone.Scope
		var text string
		var at time.Time
		if err := rows.Scan(&p.Schema, &p.Table, &text, &at); err != nil {
			return err
		}
		m, err := tombstone.ParseIDHash(text)
		if err != nil {
			return err
		}
		w.apply(p, m)
		if times[p] == nil {
			times[p] = map[tombstone.IDHash]time.Time{}
		}
		times[p][m] = at.UTC()
		return nil
	})
	if err != nil {
		return fmt.Errorf("read the erasures: %w", err)
	}
	for p, marks := range times {
		if err := w.Tombs.Add(p, slices.Collect(maps.Keys(marks)), w.Now().UTC()); err != nil {
			return err
		}
	}
	return nil
}

func (w *Erasures) apply(p tombstone.Scope, m tombstone.IDHash) {
	if w.applied[p] == nil {
		w.applied[p] = map[tombstone.IDHash]bool{}
	}
	w.applied[p][m] = true
}

// eraser looks at the stored tables of a schema.
func (w *Erasures) eraser(schema string, stamp time.Time) *eraser {
	e := &eraser{work: w, schema: schema, named: map[string]string{}}
	for _, t := range w.Described(schema) {
		e.tables = append(e.tables, t)
	}
	slices.SortFunc(e.tables, func(a, b transform.Table) int { return strings.Compare(a.Name, b.Name) })
	e.at = func(table string) string {
		if table == "" {
			return ""
		}
		return duck.Table(schema, table)
	}
	e.stored = func() string { return transform.SyncedAtColumn + " = $1, " + transform.RunIDColumn + " = $2" }
	e.args = []any{stamp, w.RunID()}
	return e
}

// Erased reports whether a person of a schema was erased.
func (w *Erasures) Erased(schema, id string) bool { return w.Tombs.Has(tombstone.People(schema), id) }

// LeavesNoState reports whether persons of a schema were erased, and the rows of a history go as a whole with theirs.
func (w *Erasures) LeavesNoState(schema string, history transform.Table) bool {
	return len(w.Tombs.Hashes[tombstone.People(schema)]) > 0 && w.eraser(schema, time.Time{}).goes(history)
}

// Unforgotten gives those of some contacts' ids that have no tombstone yet.
func (w *Erasures) Unforgotten(schema string, ids []string) []string {
	w.Alone(func() {
		if w.Tombs.Salt != nil {
			ids = slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return w.Erased(schema, id) })
		}
	})
	return ids
}

// Names says whether any row names one of some contacts.
func (w *Erasures) Names(ctx context.Context, schema string, ids []string) (named bool, err error) {
	err = w.Do("", func(db *duck.DB) error {
		if err := w.fillForgotten(ctx, ids); err != nil {
			return err
		}
		defer w.dropForgotten(ctx, nil)
		for _, t := range w.eraser(schema, time.Time{}).tables {
			if ids := clause.Persons(t); len(ids) > 0 {
				var one bool
				err := db.Scan(ctx, "SELECT EXISTS (SELECT 1 FROM "+duck.Table(schema, t.Name)+" t WHERE "+isForgotten("t.", ids)+")", nil, &one)
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

// Erase erases contacts: what the tables hold of them, and from the next publish on every file. Their tombstones come
// first. Each step can be taken again: a process killed between two is followed by one that goes on.
func (w *Erasures) Erase(ctx context.Context, schema, reason string, ids []string) (c Certificate, err error) {
	err = w.Do("", func(*duck.DB) error {
		if err := w.Tombs.Begin(); err != nil {
			return fmt.Errorf("note whom to erase: %w", err)
		}
		e := erasure{schema: schema, reason: reason, ids: ids}
		for _, id := range ids {
			e.marks = append(e.marks, w.Tombs.Hash(tombstone.People(schema), id))
		}
		c, err = w.erase(ctx, e)
		return err
	})
	return c, err
}

// Touches is what Erase would do, without doing it.
func (w *Erasures) Touches(ctx context.Context, schema string, ids []string) (c Certificate, err error) {
	err = w.Do("", func(*duck.DB) error {
		c, err = w.certify(ctx, erasure{schema: schema, reason: Asked, ids: ids})
		return err
	})
	return c, err
}

// erase takes the steps of an erasure, but for the last, which is to publish.
func (w *Erasures) erase(ctx context.Context, e erasure) (Certificate, error) {
	c, err := w.certify(ctx, e)
	if err != nil {
		return c, err
	}
	for _, m := range e.marks {
		c.Persons = append(c.Persons, m.String())
	}
	// Before the tombstones: a run that is killed in between finds that files are to be written anew, never tombstones that say
	// that this was done. Where nothing was ever published and nothing is stored there are no bytes to remove.
	if c.Rows > 0 || len(e.ids) > 0 && w.Dir().Current() != "" {
		if err := w.Dir().BeginErasing(); err != nil {
			return c, fmt.Errorf("note that files are to be erased: %w", err)
		}
	}
	crash.At(crash.EraseBegun)
	now := w.Now().UTC()
	if err := w.Tombs.Add(tombstone.People(e.schema), e.marks, now); err != nil {
		return c, fmt.Errorf("note whom to erase: %w", err)
	}
	crash.At(crash.EraseNoted)
	stamp := w.Stamp()
	err = w.DB.Transaction(ctx, func() error { return w.eraseAll(ctx, e, c, stamp) })
	if err != nil {
		return c, fmt.Errorf("erase: %w", err)
	}
	crash.At(crash.EraseCommitted)
	w.Landed(stamp)
	w.take(e)
	return c, nil
}

// take notes that the database has taken in the tombstones of an erasure.
func (w *Erasures) take(e erasure) {
	for _, m := range e.marks {
		w.apply(tombstone.People(e.schema), m)
	}
	for table, marks := range e.rowMarks {
		for _, m := range marks {
			w.apply(tombstone.Scope{Schema: e.schema, Table: table}, m)
		}
	}
}

func (w *Erasures) eraseAll(ctx context.Context, e erasure, c Certificate, stamp time.Time) error {
	if err := w.fillForgotten(ctx, e.ids); err != nil {
		return err
	}
	s := w.eraser(e.schema, stamp)
	defer w.dropForgotten(ctx, s)
	if err := w.forgetTraces(ctx, s); err != nil {
		return fmt.Errorf("the records of runs: %w", err)
	}
	moved := map[string]bool{}
	for _, t := range s.tables {
		rows, gone, err := s.empty(ctx, t)
		if err != nil {
			return fmt.Errorf("table %s: %w", t.Name, err)
		}
		if rows == 0 {
			continue
		}
		if err := w.CountRows(ctx, e.schema, t.Name, -gone, stamp); err != nil {
			return err
		}
		if t.Parent != "" {
			moved[t.Parent] = true
		}
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
	return w.SaveStamp(ctx, stamp)
}

// moveRecords moves the _synced_at of the records whose children were emptied.
func (e *eraser) moveRecords(ctx context.Context, name string, stamp time.Time) error {
	own, ok := e.table(name)
	if !ok {
		return nil
	}
	named, err := e.naming(ctx, own)
	if err != nil || named == "" {
		return err
	}
	_, err = e.work.DB.Exec(ctx, fmt.Sprintf("UPDATE %s AS t SET %s WHERE EXISTS (SELECT 1 FROM %s n WHERE %s) AND %s < $1",
		e.at(name), e.stored(), named, clause.Matches("n.", own.Key, "t.", own.Key), transform.SyncedAtColumn), e.args...)
	if err != nil {
		return err
	}
	return e.work.CountRows(ctx, e.schema, name, 0, stamp)
}

// fillForgotten makes the temporary table of the persons at hand.
func (w *Erasures) fillForgotten(ctx context.Context, ids []string) error {
	return stage.Fill(ctx, w.DB, forgotten, []string{"id"}, len(ids), func(i int) []string { return ids[i : i+1] })
}

func (w *Erasures) dropForgotten(ctx context.Context, e *eraser) {
	names := []string{forgotten, traces, takenOut}
	if e != nil {
		for _, name := range e.named {
			if name != "" {
				names = append(names, name)
			}
		}
	}
	stage.Drop(ctx, w.DB, names...)
}
