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

// hashes is the temporary table of values and what masking makes of them; newHashes has those that are added to it.
const (
	hashes    = "temp.hashes"
	newHashes = "temp.new_hashes"
)

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
			for _, rules := range rulesByColumn(m.Mask) {
				n, err := w.maskColumn(ctx, schema, rules, m.Key, stamp)
				if err != nil {
					return fmt.Errorf("%s.%s: %w", rules[0].Table, rules[0].Column, err)
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

// maskColumn masks the values of one column in a table, in its history and in its daily copies.
func (w *Masks) maskColumn(ctx context.Context, schema string, rules []transform.MaskRule, key []byte, stamp time.Time) (int64, error) {
	var all int64
	p := rules[0]
	for _, t := range w.db.DescribedTables(schema) {
		if t.Name != p.Table && t.HistoryOf != p.Table && t.CopyOf != p.Table {
			continue
		}
		if p.Rows {
			if err := w.unhashParents(ctx, schema, t, "true", stamp); err != nil {
				return 0, err
			}
		}
		n, gone, err := w.maskInTable(ctx, duck.Table(schema, t.Name), t, rules, key, stamp)
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

func (w *Masks) maskInTable(ctx context.Context, relation string, t transform.Table, rules []transform.MaskRule, key []byte, stamp time.Time) (rows, gone int64, err error) {
	p := rules[0]
	if p.Rows {
		gone, err = w.db.DB.Exec(ctx, "DELETE FROM "+relation)
		return gone, gone, err
	}
	has := func(name string) bool {
		return slices.ContainsFunc(t.Columns, func(c transform.Column) bool { return c.Name == name })
	}
	if !has(p.Column) {
		return 0, 0, nil
	}
	column, source, unhashed := duck.Name(p.Column), duck.Name(p.Column), ""
	if hasRowHash(t) {
		unhashed = ", " + transform.HashColumn + " = NULL"
	}
	set := func(value, from, where string) (int64, error) {
		return w.db.DB.Exec(ctx, fmt.Sprintf("UPDATE %s AS t SET %s = %s%s, %s = $1, %s = $2%s WHERE %s", relation, column, value, unhashed,
			transform.SyncedAtColumn, transform.RunIDColumn, from, where), stamp, w.db.RunID())
	}
	isJSON := slices.ContainsFunc(t.Columns, func(c transform.Column) bool { return c.Name == p.Column && c.SQL == "JSON" })
	switch {
	case len(p.Path) > 0 || isJSON && p.Hash:
		if err := w.fillHashes(ctx, relation, column+"::VARCHAR", anyMaskedCondition(rules, has), transform.MaskJSON(rules, key)); err != nil {
			return 0, 0, err
		}
		rows, err = set("nullif(h.hash, '')::JSON", " FROM "+hashes+" h", "t."+column+"::VARCHAR = h.word")
		return rows, 0, err
	case p.Hash && p.From != "" && has(p.From):
		source = duck.Name(p.From)
	case !p.Hash || p.From != "":
		rows, err = set("NULL", "", column+" IS NOT NULL")
		return rows, 0, err
	}
	hashable := source + " IS NOT NULL"
	if p.Hashed { // values that look like a hash stay
		hashable += " AND NOT regexp_full_match(" + source + ", '[0-9a-f]{32}')"
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
