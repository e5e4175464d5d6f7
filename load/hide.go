package load

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"aqueduck/load/internal/duck"
	"aqueduck/transform"
)

// hashes is the temporary table of values with what becomes of them.
const hashes = "temp.hashes"

// Hidden gives the names of hash and drop that the stored rows of a stream were made with; false where that was never noted.
func (w *Work) Hidden(ctx context.Context, schema, stream string) ([]string, bool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.db == nil {
		return nil, false, errClosed
	}
	var text string
	err := w.db.Scan(ctx, "SELECT value FROM _sync.meta WHERE key = $1", []any{hiddenKey(schema, stream)}, &text)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, w.judge(fmt.Errorf("read what of %s is hidden: %w", stream, err))
	}
	return strings.FieldsFunc(text, func(r rune) bool { return r == '\n' }), true, nil
}

func hiddenKey(schema, stream string) string { return "hidden " + duck.Table(schema, stream) }

// Hide takes out of the stored rows of a stream what is hashed or dropped from now on, and notes all names that are. It
// tells how many rows it changed; where it changed any, the next publish writes every file anew.
func (w *Work) Hide(ctx context.Context, schema, stream string, names []string, places []transform.Hiding, key []byte) (int64, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.db == nil {
		return 0, errClosed
	}
	if len(places) > 0 {
		if err := w.dir.beginErasing(); err != nil {
			return 0, w.judge(err)
		}
	}
	var rows int64
	stamp := w.stamp()
	err := w.db.Transaction(ctx, func() error {
		for _, p := range places {
			n, err := w.hideOne(ctx, schema, p, key, stamp)
			if err != nil {
				return fmt.Errorf("%s.%s: %w", p.Table, p.Column, err)
			}
			rows += n
		}
		if _, err := w.db.Exec(ctx, "DELETE FROM _sync.meta WHERE key = $1", hiddenKey(schema, stream)); err != nil {
			return err
		}
		if _, err := w.db.Exec(ctx, "INSERT INTO _sync.meta VALUES ($1, $2)", hiddenKey(schema, stream), strings.Join(names, "\n")); err != nil {
			return err
		}
		return w.saveStamp(ctx, stamp)
	})
	drop(ctx, w.db, hashes)
	if err != nil {
		return 0, w.judge(fmt.Errorf("hide what %s no longer keeps: %w", stream, err))
	}
	w.last = stamp
	return rows, nil
}

// hideOne works on a table and on the states that its rows were in.
func (w *Work) hideOne(ctx context.Context, schema string, p transform.Hiding, key []byte, stamp time.Time) (int64, error) {
	var all int64
	for _, t := range w.known(schema) {
		if t.Name != p.Table && t.HistoryOf != p.Table {
			continue
		}
		n, gone, err := w.hideIn(ctx, duck.Table(schema, t.Name), t, p, key, stamp)
		if err != nil {
			return 0, err
		}
		if n == 0 {
			continue
		}
		all += n
		if err := w.countRows(ctx, schema, t.Name, -gone, stamp); err != nil {
			return 0, err
		}
	}
	return all, nil
}

func (w *Work) hideIn(ctx context.Context, relation string, t transform.Table, p transform.Hiding, key []byte, stamp time.Time) (rows, gone int64, err error) {
	if p.Rows {
		gone, err = w.db.Exec(ctx, "DELETE FROM "+relation)
		return gone, gone, err
	}
	if !slices.ContainsFunc(t.Columns, func(c transform.Column) bool { return c.Name == p.Column }) {
		return 0, 0, nil
	}
	column := duck.Name(p.Column)
	set := func(value, from, where string) (int64, error) {
		return w.db.Exec(ctx, fmt.Sprintf("UPDATE %s AS t SET %s = %s, %s = $1, %s = $2%s WHERE %s", relation, column, value,
			transform.SyncedAtColumn, transform.RunIDColumn, from, where), stamp, w.options.RunID)
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
		// A path goes on in the items of lists, which no patch reaches: what still has the name after it goes whole.
		named := func(value string) string {
			return "contains(" + value + "::VARCHAR, " + duck.Text(quoteJSON(p.Path[len(p.Path)-1])+":") + ")"
		}
		patched := "json_merge_patch(" + column + ", " + duck.Text(without(p.Path)) + ")"
		rows, err = set("CASE WHEN NOT "+named(patched)+" THEN nullif("+patched+"::VARCHAR, '{}')::JSON END", "", column+" IS NOT NULL AND "+named(column))
	}
	return rows, 0, err
}

// fillHashes makes the table of a column's values with their hashes. Where some may be hashes already, what looks like one is.
func (w *Work) fillHashes(ctx context.Context, relation, column string, some bool, key []byte) error {
	var pairs [][]string
	query := "SELECT DISTINCT " + column + " FROM " + relation + " WHERE " + column + " IS NOT NULL"
	if some {
		query += " AND NOT regexp_full_match(" + column + ", '[0-9a-f]{32}')"
	}
	err := w.db.Each(ctx, query, nil, func(rows *sql.Rows) error {
		var word string
		err := rows.Scan(&word)
		pairs = append(pairs, []string{word, transform.Hash(key, word)})
		return err
	})
	if err != nil {
		return err
	}
	return fillKeys(ctx, w.db, hashes, []string{"word", "hash"}, len(pairs), func(i int) []string { return pairs[i] })
}
