package mask

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"aqueduck/load/internal/clause"
	"aqueduck/load/internal/duck"
	"aqueduck/load/internal/stage"
	"aqueduck/load/internal/workdb"
	"aqueduck/load/layout"
	"aqueduck/transform"
)

// hashes is the temporary table of values with their hashes.
const hashes = "temp.hashes"

// MaskedNames gives the entries of hash and drop that the stored rows of a stream were made with; false where that was
// never recorded.
func (w *Masks) MaskedNames(ctx context.Context, schema, stream string) (names []string, noted bool, err error) {
	err = w.db.Do(fmt.Sprintf("read what of %s is masked", stream), func(db *duck.DB) error {
		names, noted, err = workdb.ReadNames(ctx, db, maskedKey(schema, stream))
		return err
	})
	return names, noted, err
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
			for _, p := range m.Mask {
				n, err := w.maskOne(ctx, schema, p, m.Key, stamp)
				if err != nil {
					return fmt.Errorf("%s.%s: %w", p.Table, p.Column, err)
				}
				rows += n
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
		stage.Drop(ctx, db, hashes)
		if err != nil {
			return fmt.Errorf("change the masking of %s: %w", m.Stream, err)
		}
		w.db.NoteCommit(stamp)
		return nil
	})
	return rows, err
}

// maskOne masks one place in a table, in its history and in its daily copies.
func (w *Masks) maskOne(ctx context.Context, schema string, p transform.MaskRule, key []byte, stamp time.Time) (int64, error) {
	var all int64
	for _, t := range w.db.DescribedTables(schema) {
		if t.Name != p.Table && t.HistoryOf != p.Table && t.CopyOf != p.Table {
			continue
		}
		if p.Rows {
			if err := w.unhashParents(ctx, schema, t, "true", stamp); err != nil {
				return 0, err
			}
		}
		n, gone, err := w.maskIn(ctx, duck.Table(schema, t.Name), t, p, key, stamp)
		if err != nil {
			return 0, err
		}
		if n == 0 {
			continue
		}
		all += n
		if err := w.unhashParents(ctx, schema, t, transform.SyncedAtColumn+" = $1", stamp); err != nil {
			return 0, err
		}
		if err := w.db.CountRows(ctx, schema, t.Name, -gone, stamp); err != nil {
			return 0, err
		}
	}
	return all, nil
}

func (w *Masks) maskIn(ctx context.Context, relation string, t transform.Table, p transform.MaskRule, key []byte, stamp time.Time) (rows, gone int64, err error) {
	if p.Rows {
		gone, err = w.db.DB.Exec(ctx, "DELETE FROM "+relation)
		return gone, gone, err
	}
	if !slices.ContainsFunc(t.Columns, func(c transform.Column) bool { return c.Name == p.Column }) {
		return 0, 0, nil
	}
	column, unhashed := duck.Name(p.Column), ""
	if hasRowHash(t) {
		unhashed = ", " + transform.HashColumn + " = NULL"
	}
	set := func(value, from, where string) (int64, error) {
		return w.db.DB.Exec(ctx, fmt.Sprintf("UPDATE %s AS t SET %s = %s%s, %s = $1, %s = $2%s WHERE %s", relation, column, value, unhashed,
			transform.SyncedAtColumn, transform.RunIDColumn, from, where), stamp, w.db.RunID())
	}
	switch {
	case p.Hash:
		if err := w.fillHashes(ctx, relation, column, p.Hashed, key); err != nil {
			return 0, 0, err
		}
		rows, err = set("h.hash", " FROM "+hashes+" h", "t."+column+" = h.word")
	case len(p.Path) == 0:
		rows, err = set("NULL", "", column+" IS NOT NULL")
	default:
		// A merge patch does not reach into lists. A value that still has the field after the patch is dropped as a whole.
		patched := "json_merge_patch(" + column + ", " + duck.Text(clause.Without(p.Path)) + ")"
		rows, err = set("CASE WHEN NOT "+hasFieldCondition(patched, p.Path)+" THEN nullif("+patched+"::VARCHAR, '{}')::JSON END", "", column+" IS NOT NULL AND "+hasFieldCondition(column, p.Path))
	}
	return rows, 0, err
}

// fillHashes fills the table hashes with a column's values. some says that some values may be hashes already: values that
// look like one stay.
func (w *Masks) fillHashes(ctx context.Context, relation, column string, some bool, key []byte) error {
	var pairs [][]string
	query := "SELECT DISTINCT " + column + " FROM " + relation + " WHERE " + column + " IS NOT NULL"
	if some {
		query += " AND NOT regexp_full_match(" + column + ", '[0-9a-f]{32}')"
	}
	err := w.db.DB.Each(ctx, query, nil, func(rows *sql.Rows) error {
		var word string
		err := rows.Scan(&word)
		pairs = append(pairs, []string{word, transform.Hash(key, word)})
		return err
	})
	if err != nil {
		return err
	}
	return stage.Fill(ctx, w.db.DB, hashes, []string{"word", "hash"}, len(pairs), func(i int) []string { return pairs[i] })
}
