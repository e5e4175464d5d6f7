package mask

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"aqueduck/load/internal/clause"
	"aqueduck/load/internal/duck"
	"aqueduck/load/internal/workdb"
	"aqueduck/load/layout"
	"aqueduck/transform"
	"aqueduck/transform/maskrule"
)

// NamesOfRows are the entries of hash and drop that the stored rows of a stream were made with.
type NamesOfRows struct {
	All   []string // in effect for all rows
	Some  []string // removed entries: some rows still have their masked values
	Noted bool     // All was recorded
}

// MaskedNames gives the entries of hash and drop that the stored rows of a stream were made with.
func (w *Masks) MaskedNames(ctx context.Context, schema, stream string) (names NamesOfRows, err error) {
	err = w.db.Do(fmt.Sprintf("read what of %s is masked", stream), func(db *duck.DB) error {
		names, err = namesOfRows(ctx, db, schema, stream)
		return err
	})
	return names, err
}

func namesOfRows(ctx context.Context, db *duck.DB, schema, stream string) (names NamesOfRows, err error) {
	if names.All, names.Noted, err = workdb.ReadNames(ctx, db, maskedKey(schema, stream)); err == nil {
		names.Some, _, err = workdb.ReadNames(ctx, db, unmaskedKey(schema, stream))
	}
	return names, err
}

// Mask applies a changed masking to the stored rows of a stream: it hashes or drops what is masked from now on, and
// records all masked names. Rows that it changes, and rows whose values were unmasked, lose their content hash, so that
// they differ from whatever is read again (T174). It returns how many values it masked. Where m masks anything, the next
// publish writes every file again.
func (w *Masks) Mask(ctx context.Context, schema string, m MaskChange) (rows int64, err error) {
	err = w.db.Do("", func(db *duck.DB) error {
		if len(m.Mask) > 0 {
			if err := layout.BeginMasking(w.db.Dir()); err != nil {
				return err
			}
		}
		stamp := w.db.Stamp()
		err := db.Transaction(ctx, func() error {
			if rows, err = w.maskTables(ctx, schema, m, stamp); err != nil {
				return err
			}
			for _, p := range m.Unmask {
				if err := w.unmaskColumn(ctx, schema, p, stamp); err != nil {
					return fmt.Errorf("%s.%s: %w", p.Table, p.Column, err)
				}
			}
			taken, _, err := workdb.ReadNames(ctx, db, unmaskedKey(schema, m.Stream))
			if err != nil {
				return err
			}
			taken = slices.DeleteFunc(clause.Union(taken, m.Unmasked), func(name string) bool { return slices.Contains(m.Names, name) })
			if err := w.db.SaveNames(ctx, unmaskedKey(schema, m.Stream), taken); err != nil {
				return err
			}
			if err := w.db.SaveNames(ctx, maskedKey(schema, m.Stream), m.Names); err != nil {
				return err
			}
			return w.db.SaveStamp(ctx, stamp)
		})
		if err != nil {
			return fmt.Errorf("change the masking of %s: %w", m.Stream, err)
		}
		w.db.NoteCommit(stamp)
		return nil
	})
	return rows, err
}

// maskTables masks the values of all tables, of their histories and of their daily copies. Records come before their lists: then few records are left whose
// content hash only a list clears.
func (w *Masks) maskTables(ctx context.Context, schema string, m MaskChange, stamp time.Time) (all int64, err error) {
	groups := maskrule.MakeGroups(m.Mask)
	tables := slices.SortedFunc(maps.Values(w.db.DescribedTables(schema)), func(a, b transform.Table) int {
		return cmp.Or(cmp.Compare(a.Parent, b.Parent), cmp.Compare(a.Name, b.Name))
	})
	for _, t := range tables {
		own := slices.DeleteFunc(slices.Clone(groups), func(g maskrule.Group) bool {
			return t.Name != g.Table && t.HistoryOf != g.Table && t.CopyOf != g.Table
		})
		n, err := w.maskTable(ctx, schema, t, own, m.Key, stamp)
		if err != nil {
			return 0, fmt.Errorf("table %s: %w", t.Name, err)
		}
		all += n
	}
	return all, nil
}

func (w *Masks) maskTable(ctx context.Context, schema string, t transform.Table, groups []maskrule.Group, key []byte, stamp time.Time) (all int64, err error) {
	mask := masking{db: w.db.DB, table: t, key: key}
	var gone int64
	for _, g := range groups {
		if !g.Rules[0].Rows {
			if err := mask.addGroup(g); err != nil {
				return 0, err
			}
			continue
		}
		where := rowsCondition(g, "", t.HasColumn)
		if err := w.unhashParents(ctx, schema, t, where, stamp); err != nil {
			return 0, err
		}
		if err := w.noteRemoved(ctx, schema, t, g); err != nil {
			return 0, err
		}
		n, err := w.db.DB.Exec(ctx, "DELETE FROM "+clause.Stored(schema, t)+" WHERE "+where)
		if err != nil {
			return 0, err
		}
		gone += n
	}
	var unhashed []string // a changed row loses its content hash
	if hasRowHash(t) {
		unhashed = append(unhashed, fmt.Sprintf("CASE WHEN __changes = 0 THEN %[1]s END AS %[1]s", transform.HashColumn))
	}
	masked, err := w.db.DB.RewriteTable(ctx, clause.StoredSchema(schema, t), t.Name, mask.steps, unhashed, stamp, w.db.RunID())
	if err != nil {
		return 0, err
	}
	if masked+gone == 0 {
		return 0, nil
	}
	if masked > 0 {
		if err := w.unhashParents(ctx, schema, t, transform.SyncedAtColumn+" = $1", stamp); err != nil {
			return 0, err
		}
	}
	return masked + gone, w.db.CountRows(ctx, schema, t.Name, -gone, stamp)
}

// noteRemoved counts the rows that a group deletes, before it does. The publish guard does not take them for lost. Soft-deleted rows do not count there.
func (w *Masks) noteRemoved(ctx context.Context, schema string, t transform.Table, g maskrule.Group) error {
	where := rowsCondition(g, "", t.HasColumn)
	if t.HasColumn(transform.GoneColumn) {
		where += " AND " + transform.GoneColumn + " IS NULL"
	}
	var more int64
	if err := w.db.DB.Scan(ctx, "SELECT count(*) FROM "+clause.Stored(schema, t)+" WHERE "+where, nil, &more); err != nil || more == 0 {
		return err
	}
	before, err := workdb.ReadMaskedRows(ctx, w.db.DB, schema, t.Name)
	if err != nil {
		return err
	}
	return w.db.SaveNames(ctx, workdb.MaskedRowsKey(schema, t.Name), []string{strconv.FormatInt(before+more, 10)})
}
