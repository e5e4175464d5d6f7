package erase

import (
	"context"
	"database/sql"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"time"

	"aqueduck/load/internal/workdb"
	"aqueduck/load/tombstone"
)

// The reasons of an erasure, as _sync.erasures has them. Nothing but Restored decides anything, and no stored row is changed: rows of earlier builds
// have "forgotten" instead of "erased".
const (
	ErasedAtSource  = "erased"   // the source erased the person
	ErasedByCommand = "asked"    // a person ran the command erase
	Redacted        = "redacted" // the source redacted a text
	Restored        = "restored" // the database was older than the log of erasures
)

// erasureStep is one step of erasing: persons, rows with redacted texts, or both.
type erasureStep struct {
	schema, reason string
	ids            []string              // of persons
	hashes         []tombstone.IDHash    // of persons, also of those without stored rows
	rows           map[string][][]string // by table: keys
	rowHashes      map[string][]tombstone.IDHash
}

// Erasures remove data subjects and redacted texts from stored rows, and from those that later commits bring.
type Erasures struct {
	db      *workdb.Database
	tombs   *tombstone.Log
	applied map[tombstone.Scope]map[tombstone.IDHash]bool // the tombstones that this database has applied
}

// New erases from a work database, by the log of erasures.
func New(db *workdb.Database, tombs *tombstone.Log) *Erasures {
	return &Erasures{db: db, tombs: tombs}
}

// ReadErasures reads which tombstones the database has applied. Where the log was lost, it writes the log again from
// them.
func (w *Erasures) ReadErasures(ctx context.Context) error {
	w.applied = map[tombstone.Scope]map[tombstone.IDHash]bool{}
	var salt sql.NullString
	if err := w.db.DB.Scan(ctx, "SELECT max(value) FROM _sync.meta WHERE key = 'erasures_salt'", nil, &salt); err != nil {
		return err
	}
	if !salt.Valid {
		return nil
	}
	if w.tombs.Salt == nil {
		raw, err := hex.DecodeString(salt.String)
		if err != nil {
			return fmt.Errorf("the salt of the erasures: %w", err)
		}
		if err := w.tombs.BeginWith(raw); err != nil {
			return err
		}
	}
	if salt.String != hex.EncodeToString(w.tombs.Salt) {
		return nil // the database belongs to another log: all tombstones of this log are applied again
	}
	times := map[tombstone.Scope]map[tombstone.IDHash]time.Time{}
	err := w.db.DB.Each(ctx, "SELECT schema, table_name, mark, recorded_at FROM _sync.erasures", nil, func(rows *sql.Rows) error {
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
		w.markApplied(p, m)
		if times[p] == nil {
			times[p] = map[tombstone.IDHash]time.Time{}
		}
		times[p][m] = at.UTC()
		return nil
	})
	if err != nil {
		return fmt.Errorf("read the erasures: %w", err)
	}
	for p, hashes := range times {
		if err := w.tombs.AppendHashes(p, slices.Collect(maps.Keys(hashes)), w.db.Now().UTC()); err != nil {
			return err
		}
	}
	return nil
}

func (w *Erasures) markApplied(p tombstone.Scope, m tombstone.IDHash) {
	if w.applied[p] == nil {
		w.applied[p] = map[tombstone.IDHash]bool{}
	}
	w.applied[p][m] = true
}

// Erased reports whether a person of a schema was erased.
func (w *Erasures) Erased(schema, id string) bool { return w.tombs.Has(tombstone.People(schema), id) }

// NotErased gives those of some contacts' ids that have no tombstone.
func (w *Erasures) NotErased(schema string, ids []string) []string {
	w.db.WithLock(func() {
		if w.tombs.Salt != nil {
			ids = slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return w.Erased(schema, id) })
		}
	})
	return ids
}

// noteApplied remembers that the database has applied the tombstones of an erasure.
func (w *Erasures) noteApplied(e erasureStep) {
	for _, m := range e.hashes {
		w.markApplied(tombstone.People(e.schema), m)
	}
	for table, hashes := range e.rowHashes {
		for _, m := range hashes {
			w.markApplied(tombstone.Scope{Schema: e.schema, Table: table}, m)
		}
	}
}
