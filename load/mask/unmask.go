package mask

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"aqueduck/load/internal/clause"
	"aqueduck/load/internal/duck"
	"aqueduck/load/internal/workdb"
	"aqueduck/load/read"
	"aqueduck/transform"
	"aqueduck/transform/maskrule"
)

// unmaskColumn clears the content hash of the rows with values that were masked, and of the records that they belong to:
// then the next reading replaces them. Soft-deleted rows stay: nobody reads them again.
func (w *Masks) unmaskColumn(ctx context.Context, schema string, p UnmaskedColumn, stamp time.Time) error {
	for _, t := range w.db.DescribedTables(schema) {
		if t.Name != p.Table {
			continue
		}
		where := maskedCondition(maskrule.MakeGroups([]maskrule.Rule{p.Rule})[0], t.HasColumn)
		all := p.Dropped || p.Rows
		if all {
			where = "true" // any row may have had the value
		}
		if err := w.clearRowHash(ctx, schema, t, where, stamp); err != nil {
			return err
		}
		within := transform.HashColumn + " IS NULL"
		if all {
			within = "true"
		}
		if err := w.unhashParents(ctx, schema, t, within, stamp); err != nil || !all {
			return err
		}
		if parent, ok := w.db.DescribedTables(schema)[t.Parent]; ok { // a dropped list has no rows that name their records, so all records count
			return w.clearRowHash(ctx, schema, parent, "true", stamp)
		}
	}
	return nil
}

// clearRowHash clears the content hash of some rows of a table.
func (w *Masks) clearRowHash(ctx context.Context, schema string, t transform.Table, where string, stamp time.Time) error {
	if !hasRowHash(t) {
		return nil
	}
	if t.Gone {
		where = "(" + where + ") AND " + transform.GoneColumn + " IS NULL"
	}
	where = "(" + where + ") AND " + transform.HashColumn + " IS NOT NULL"
	table, stamped := clause.Stored(schema, t), []any{stamp, w.db.RunID()}
	// An UPDATE keeps some hundred bytes a row in memory until the next checkpoint. A rewrite copies the whole table.
	const many = 100_000
	var n int64
	err := w.db.DB.Scan(ctx, "SELECT count(*) FROM "+table+" t WHERE $1::TIMESTAMPTZ IS NOT NULL AND "+where, stamped[:1], &n)
	switch {
	case err != nil || n == 0:
		return err
	case n > many:
		_, err = w.db.DB.RewriteTable(ctx, clause.StoredSchema(schema, t), t.Name, []duck.Step{{Column: transform.HashColumn, Value: "NULL", Where: where, Stored: "NULL"}}, nil, stamped...)
	default:
		_, err = w.db.DB.Exec(ctx, fmt.Sprintf("UPDATE %s AS t SET %s = NULL, %s = $1, %s = $2 WHERE %s", table, transform.HashColumn, transform.SyncedAtColumn, transform.RunIDColumn, where), stamped...)
	}
	if err != nil {
		return err
	}
	return w.db.CountRows(ctx, schema, t.Name, 0, stamp)
}

// unhashParents clears the content hash of the records that some rows of a list belong to. where is the condition for
// these rows; its $1 is the time of the commit.
func (w *Masks) unhashParents(ctx context.Context, schema string, t transform.Table, where string, stamp time.Time) error {
	parent, ok := w.db.DescribedTables(schema)[t.Parent]
	if !ok || len(t.ParentKey) != len(parent.Key) {
		return nil
	}
	return w.clearRowHash(ctx, schema, parent, fmt.Sprintf("EXISTS (SELECT 1 FROM %s c WHERE %s AND %s)", clause.Stored(schema, t),
		clause.Matches("c.", t.ParentKey, "t.", parent.Key), where), stamp)
}

// UnmaskedNames gives the entries of hash and drop that stored rows were made with and that are no longer wanted. A
// column that was hashed and is now dropped is not unmasked.
func UnmaskedNames(stored, wanted []string) (taken []string) {
	for _, name := range stored {
		_, column, _ := strings.Cut(name, ":")
		if !slices.Contains(wanted, name) && !slices.Contains(wanted, "drop:"+column) {
			taken = append(taken, name)
		}
	}
	return taken
}

// StillMasked gives the removed entries of hash and drop of a stream, and how many rows of its own table were not read again since
// and still lack the values. Without names there is nothing to wait for.
func (w *Masks) StillMasked(ctx context.Context, schema, stream, table string) (names []string, rows int64, err error) {
	err = w.db.Do("", func(db *duck.DB) error {
		t, ok := w.db.DescribedTables(schema)[table]
		if names, _, err = workdb.ReadNames(ctx, db, unmaskedKey(schema, stream)); err != nil || len(names) == 0 || !ok {
			return err
		}
		if rows, err = countMasked(ctx, db, schema, t, transform.HashColumn+" IS NULL"); err != nil {
			return fmt.Errorf("count the rows of %s that are still masked: %w", table, err)
		}
		return nil
	})
	return names, rows, err
}

// StillMasked is Masks.StillMasked for a published file. Entries that are no longer wanted count as removed, as the next run will
// remove them.
func StillMasked(ctx context.Context, r *read.Reader, schema, stream string, t transform.Table, wanted []string) (names []string, rows int64, err error) {
	before, _, err := workdb.ReadNames(ctx, r.DB, maskedKey(schema, stream))
	if err != nil {
		return nil, 0, err
	}
	if names, _, err = workdb.ReadNames(ctx, r.DB, unmaskedKey(schema, stream)); err != nil {
		return nil, 0, err
	}
	where := transform.HashColumn + " IS NULL"
	if soon := UnmaskedNames(before, wanted); len(soon) > 0 {
		names, where = clause.Union(names, soon), "true"
	}
	if names = UnmaskedNames(names, wanted); len(names) == 0 {
		return nil, 0, nil
	}
	rows, err = countMasked(ctx, r.DB, schema, t, where)
	return names, rows, err
}

// countMasked counts the rows of a table that fit a condition and that the source may still give again.
func countMasked(ctx context.Context, db *duck.DB, schema string, t transform.Table, where string) (rows int64, err error) {
	if t.Gone {
		where += " AND " + transform.GoneColumn + " IS NULL"
	}
	return rows, db.Scan(ctx, "SELECT count(*) FROM "+db.StoredName(ctx, schema, t.Name)+" WHERE "+where, nil, &rows)
}

// EndUnmask deletes the removed entries of hash and drop of a stream: all of it was read again.
func (w *Masks) EndUnmask(ctx context.Context, schema, stream string) error {
	return w.db.Do("", func(*duck.DB) error {
		return w.db.SaveNames(ctx, unmaskedKey(schema, stream), nil)
	})
}
