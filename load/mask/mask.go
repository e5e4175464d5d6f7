package mask

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"time"

	"aqueduck/load/internal/clause"
	"aqueduck/load/internal/duck"
	"aqueduck/load/internal/stage"
	"aqueduck/load/internal/workdb"
	"aqueduck/load/layout"
	"aqueduck/transform"
	"aqueduck/transform/maskrule"
)

// hashes is the temporary table of values and what masking makes of them; newHashes has those that are added to it.
const (
	hashes    = "temp.hashes"
	newHashes = "temp.new_hashes"
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
			for _, g := range maskrule.MakeGroups(m.Mask) {
				n, err := w.maskGroup(ctx, schema, g, m.Key, stamp)
				if err != nil {
					return fmt.Errorf("%s.%s: %w", g.Table, g.Column, err)
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
		stage.Drop(ctx, db, hashes, newHashes)
		if err != nil {
			return fmt.Errorf("change the masking of %s: %w", m.Stream, err)
		}
		w.db.NoteCommit(stamp)
		return nil
	})
	return rows, err
}

// maskGroup masks the values of a group of rules in a table, in its history and in its daily copies.
func (w *Masks) maskGroup(ctx context.Context, schema string, g maskrule.Group, key []byte, stamp time.Time) (int64, error) {
	var all int64
	for _, t := range w.db.DescribedTables(schema) {
		if t.Name != g.Table && t.HistoryOf != g.Table && t.CopyOf != g.Table {
			continue
		}
		if g.Rules[0].Rows {
			if err := w.unhashParents(ctx, schema, t, rowsCondition(g, "", t.HasColumn), stamp); err != nil {
				return 0, err
			}
		}
		if g.Rules[0].Rows {
			if err := w.noteRemoved(ctx, schema, t, g); err != nil {
				return 0, err
			}
		}
		n, gone, err := w.maskInTable(ctx, clause.Stored(schema, t), t, g, key, stamp)
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

func (w *Masks) maskInTable(ctx context.Context, relation string, t transform.Table, g maskrule.Group, key []byte, stamp time.Time) (rows, gone int64, err error) {
	p, own := g.Rules[0], rowsCondition(g, "t.", t.HasColumn)
	if p.Rows {
		gone, err = w.db.DB.Exec(ctx, "DELETE FROM "+relation+" AS t WHERE "+own)
		return gone, gone, err
	}
	if !t.HasColumn(p.Column) {
		return 0, 0, nil
	}
	column, source, unhashed := duck.Name(p.Column), duck.Name(p.Column), ""
	if hasRowHash(t) {
		unhashed = ", " + transform.HashColumn + " = NULL"
	}
	set := func(value, from, where string) (int64, error) {
		return w.db.DB.Exec(ctx, fmt.Sprintf("UPDATE %s AS t SET %s = %s%s, %s = $1, %s = $2%s WHERE %s", relation, column, value, unhashed,
			transform.SyncedAtColumn, transform.RunIDColumn, from, own+" AND "+where), stamp, w.db.RunID())
	}
	isJSON := slices.ContainsFunc(t.Columns, func(c transform.Column) bool { return c.Name == p.Column && c.SQL == "JSON" })
	switch {
	case len(p.Path) > 0 || isJSON && p.Hash:
		if err := w.fillHashes(ctx, relation, column+"::VARCHAR", maskedCondition(g, t.HasColumn), transform.MaskJSON(g.Rules, key)); err != nil {
			return 0, 0, err
		}
		rows, err = set("nullif(h.hash, '')::JSON", " FROM "+hashes+" h", "t."+column+"::VARCHAR = h.word")
		return rows, 0, err
	case p.Hash && p.From != "" && t.HasColumn(p.From):
		source = duck.Name(p.From)
	case !p.Hash || p.From != "":
		rows, err = set("NULL", "", column+" IS NOT NULL")
		return rows, 0, err
	}
	hashable := rowsCondition(g, "", t.HasColumn) + " AND " + source + " IS NOT NULL"
	if p.Hashed { // values that look like a hash stay
		hashable += " AND NOT " + looksHashed(p)
	}
	if err := w.fillHashes(ctx, relation, source, hashable, func(text string) string { return transform.Hash(key, text) }); err != nil {
		return 0, 0, err
	}
	if rows, err = set("h.hash", " FROM "+hashes+" h", "t."+column+" IS NOT NULL AND t."+source+" = h.word"); err != nil || source == column {
		return rows, 0, err
	}
	removed, err := set("NULL", "", column+" IS NOT NULL AND "+source+" IS NULL")
	return rows + removed, 0, err
}

// looksHashed is the condition for values that look like a hash.
func looksHashed(p maskrule.Rule) string {
	return "regexp_full_match(" + duck.Name(cmp.Or(p.From, p.Column)) + "::VARCHAR, '\"?[0-9a-f]{32}\"?')"
}

// fillHashes fills the table hashes with the different values of an expression that masking changes, and what it makes of them.
func (w *Masks) fillHashes(ctx context.Context, relation, value, where string, masked func(string) string) error {
	db := w.db.DB
	var size int64
	if err := db.Scan(ctx, "SELECT coalesce(sum(strlen("+value+")), 0)::BIGINT FROM "+relation+" WHERE "+where, nil, &size); err != nil {
		return err
	}
	if _, err := db.Exec(ctx, "CREATE OR REPLACE TEMP TABLE "+hashes+" (word VARCHAR, hash VARCHAR)"); err != nil {
		return err
	}
	const atOnce = 128 << 20 // bytes of text in memory
	parts := size/atOnce + 1
	for part := range parts {
		var pairs [][]string
		query := fmt.Sprintf("SELECT DISTINCT %[1]s FROM %[2]s WHERE %[3]s AND hash(%[1]s) %% %[4]d = %[5]d", value, relation, where, parts, part)
		err := db.Each(ctx, query, nil, func(rows *sql.Rows) error {
			var word string
			if err := rows.Scan(&word); err != nil {
				return err
			}
			if hash := masked(word); hash != word {
				pairs = append(pairs, []string{word, hash})
			}
			return nil
		})
		if err != nil {
			return err
		}
		if err := stage.Fill(ctx, db, newHashes, []string{"word", "hash"}, len(pairs), func(i int) []string { return pairs[i] }); err != nil {
			return err
		}
		if _, err := db.Exec(ctx, "INSERT INTO "+hashes+" FROM "+newHashes); err != nil {
			return err
		}
	}
	return nil
}
