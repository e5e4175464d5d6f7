package load

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"aqueduck/load/internal/clause"
	"aqueduck/load/internal/duck"
	"aqueduck/load/internal/stage"
	"aqueduck/schemas"
	"aqueduck/transform"
)

// fillKey is the key in _sync.meta of a new column that is not filled yet. DuckDB cannot change columns and rows of a
// table in one transaction, and a process may die between the two.
func fillKey(schema string, t transform.Table, c transform.Column) string {
	return "fill " + duck.Table(schema, t.Name) + "." + duck.Name(c.Name)
}

// fillNew fills the columns that are new, or that an earlier process died before filling, from _extra or from a text
// column of the same field.
func (w *Tables) fillNew(ctx context.Context, schema string, tables []transform.Table) (changes []Change, err error) {
	waiting := map[string]bool{}
	err = w.db.DB.Each(ctx, "SELECT key FROM _sync.meta WHERE key LIKE 'fill %'", nil, func(rows *sql.Rows) error {
		var key string
		err := rows.Scan(&key)
		waiting[key] = true
		return err
	})
	if err != nil || len(waiting) == 0 {
		return nil, err
	}
	for _, t := range tables {
		for _, c := range t.Columns {
			if !waiting[fillKey(schema, t, c)] {
				continue
			}
			filled, err := w.fillColumn(ctx, schema, t, c)
			if err != nil {
				return nil, fmt.Errorf("fill column %s of %s: %w", c.Name, t.Name, err)
			}
			changes = append(changes, filled...)
		}
	}
	return changes, nil
}

// fillColumn fills one column, and records it, in a transaction of its own: DuckDB keeps the changes of a transaction in memory.
func (w *Tables) fillColumn(ctx context.Context, schema string, t transform.Table, c transform.Column) (filled []Change, err error) {
	stamp := w.db.Stamp()
	err = w.db.DB.Transaction(ctx, func() error {
		n, err := w.fillFromExtra(ctx, schema, t, c, stamp)
		if err != nil {
			return err
		}
		if n > 0 {
			filled = []Change{{schema, t.Name, c.Name, fmt.Sprintf("filled in %d rows", n)}}
		}
		if err := w.recordChanges(ctx, filled); err != nil {
			return err
		}
		return w.db.SaveStamp(ctx, stamp)
	})
	stage.Drop(ctx, w.db.DB, madeValues)
	stage.Drop(ctx, w.db.DB, widenedValues)
	if err != nil {
		return nil, err
	}
	w.db.NoteCommit(stamp)
	if w.db.FoldNeeded() {
		err = w.db.FoldLocked(ctx)
	}
	return filled, err
}

// fillFromExtra moves the values of a new column from _extra into it. Where the column has several paths, the first path
// with a value wins. A value that does not fit the column stays in _extra. It returns the number of rows filled.
func (w *Tables) fillFromExtra(ctx context.Context, schema string, t transform.Table, c transform.Column, stamp time.Time) (int64, error) {
	if _, err := w.db.DB.Exec(ctx, "DELETE FROM _sync.meta WHERE key = $1", fillKey(schema, t, c)); err != nil {
		return 0, err
	}
	var filled int64
	for _, path := range append([][]string{c.Path}, c.Or...) {
		if c.As == schemas.HasText {
			break // the column of the text itself takes it out of _extra
		}
		n, err := w.fillFrom(ctx, schema, t, c, path, stamp)
		if err != nil {
			return 0, err
		}
		filled += n
	}
	n, err := w.fillFromText(ctx, schema, t, c, stamp)
	if err != nil {
		return 0, err
	}
	filled += n
	if filled == 0 {
		return 0, nil
	}
	return filled, w.db.CountRows(ctx, schema, t.Name, 0, stamp)
}

// fillFrom moves the values at one path of _extra into the rows that have no value yet.
func (w *Tables) fillFrom(ctx context.Context, schema string, t transform.Table, c transform.Column, path []string, stamp time.Time) (int64, error) {
	table, name := clause.Stored(schema, t), duck.Name(c.Name)
	value := "json_extract(_extra, " + duck.Text("/"+strings.Join(jsonPointer(path), "/")) + ")"
	if len(c.NarrowerTypes) > 0 {
		return w.fillWidened(ctx, table, c, path, value, stamp)
	}
	fitting := fromJSON(c.SQL, value)
	where, from := fmt.Sprintf("_extra IS NOT NULL AND t.%s IS NULL AND %s IS NOT NULL", name, fitting), ""
	set := fitting
	if c.As != "" {
		// The decoder's own code converts each different text once: a second implementation in SQL could differ from it.
		if err := w.fillMade(ctx, fmt.Sprintf("SELECT DISTINCT %s FROM %s t WHERE %s", fitting, table, where), c.As); err != nil {
			return 0, err
		}
		set, from, where = "m.made", " FROM "+madeValues+" m", where+" AND m.sent = "+fitting
	}
	return w.db.DB.Exec(ctx, fmt.Sprintf(`UPDATE %s AS t SET %s = %s, _extra = nullif(json_merge_patch(_extra, %s)::VARCHAR, '{}')::JSON,
		_synced_at = $1, _run_id = $2%s WHERE %s`, table, name, set, duck.Text(clause.Without(path)), from, where), stamp, w.db.RunID())
}

// fillFromText fills a new column from a text column that has taken the same field until now. A column of whole numbers takes plain
// numbers of up to 18 digits; any other text is left to the next read of the record. A column with has_text takes whether there is a plain text.
func (w *Tables) fillFromText(ctx context.Context, schema string, t transform.Table, c transform.Column, stamp time.Time) (int64, error) {
	as, value, fits := "", "%s::BIGINT", "regexp_full_match(%s, '-?(0|[1-9][0-9]{0,17})')"
	if c.As == schemas.HasText {
		as, value, fits = schemas.PlainText, "%s <> ''", "%s IS NOT NULL"
	}
	at := slices.IndexFunc(t.Columns, func(other transform.Column) bool {
		return other.Name != c.Name && other.SQL == "VARCHAR" && other.As == as && slices.Equal(other.Path, c.Path)
	})
	if at < 0 || c.SQL != "BIGINT" && c.As != schemas.HasText {
		return 0, nil
	}
	text := duck.Name(t.Columns[at].Name)
	return w.db.DB.Exec(ctx, fmt.Sprintf("UPDATE %s SET %s = "+value+", _synced_at = $1, _run_id = $2 WHERE %[2]s IS NULL AND "+strings.ReplaceAll(fits, "%s", "%[3]s"),
		clause.Stored(schema, t), duck.Name(c.Name), text), stamp, w.db.RunID())
}

// widenedValues is the temporary table of the values in _extra, each with what a widened column takes of it.
const widenedValues = "temp.words"

// fillWidened is fillFrom for a widened column: it stores what a new record with that value would bring.
func (w *Tables) fillWidened(ctx context.Context, table string, c transform.Column, path []string, value string, stamp time.Time) (int64, error) {
	var pairs [][]string
	err := w.db.DB.Each(ctx, "SELECT DISTINCT ("+value+")::VARCHAR FROM "+table+" WHERE ("+value+") IS NOT NULL", nil, func(rows *sql.Rows) error {
		var raw string
		if err := rows.Scan(&raw); err != nil {
			return err
		}
		if taken, ok := transform.SpellScalar(c, []byte(raw)); ok {
			pairs = append(pairs, []string{raw, taken})
		}
		return nil
	})
	if err != nil || len(pairs) == 0 {
		return 0, err
	}
	if err := stage.Fill(ctx, w.db.DB, widenedValues, []string{"raw", "taken"}, len(pairs), func(i int) []string { return pairs[i] }); err != nil {
		return 0, err
	}
	return w.db.DB.Exec(ctx, fmt.Sprintf(`UPDATE %s AS t SET %s = x.taken::%s, _extra = nullif(json_merge_patch(_extra, %s)::VARCHAR, '{}')::JSON,
		_synced_at = $1, _run_id = $2 FROM %s x WHERE _extra IS NOT NULL AND t.%[2]s IS NULL AND (%[6]s)::VARCHAR = x.raw`,
		table, duck.Name(c.Name), c.SQL, duck.Text(clause.Without(path)), widenedValues, value), stamp, w.db.RunID())
}

// madeValues is the temporary table of texts in _extra, each with what the column makes of it.
const madeValues = "temp.made"

func (w *Tables) fillMade(ctx context.Context, query, as string) error {
	var pairs [][]string
	err := w.db.DB.Each(ctx, query, nil, func(rows *sql.Rows) error {
		var sent string
		err := rows.Scan(&sent)
		pairs = append(pairs, []string{sent, transform.TextAs(as, sent)})
		return err
	})
	if err != nil {
		return err
	}
	return stage.Fill(ctx, w.db.DB, madeValues, []string{"sent", "made"}, len(pairs), func(i int) []string { return pairs[i] })
}

// jsonPointer escapes the names of a path for a JSON pointer.
func jsonPointer(path []string) []string {
	escaped := make([]string, len(path))
	for i, s := range path {
		escaped[i] = strings.NewReplacer("~", "~0", "/", "~1").Replace(s)
	}
	return escaped
}

// fromJSON is the SQL that converts a JSON value to a column's type; it gives NULL for a value that does not fit.
func fromJSON(kind, value string) string {
	text := "(" + value + " ->> '$')"
	scalar := "json_type(" + value + ") NOT IN ('OBJECT', 'ARRAY', 'NULL')"
	switch kind {
	case "JSON":
		return "CASE WHEN json_type(" + value + ") <> 'NULL' THEN " + value + " END"
	case "VARCHAR":
		return "CASE WHEN " + scalar + " THEN " + text + " END"
	case "TIMESTAMPTZ":
		return fmt.Sprintf(`CASE WHEN json_type(%s) IN ('BIGINT', 'UBIGINT')
			AND TRY_CAST(%s AS BIGINT) BETWEEN 631152000 AND 4102444800 THEN to_timestamp(TRY_CAST(%s AS BIGINT))
			WHEN json_type(%s) = 'VARCHAR' THEN TRY_CAST(%s AS TIMESTAMPTZ) END`, value, text, text, value, text)
	case "BIGINT": // a plain cast would round
		return fmt.Sprintf("CASE WHEN %s AND TRY_CAST(%s AS DECIMAL(38,10)) = TRY_CAST(%[2]s AS BIGINT) THEN TRY_CAST(%[2]s AS BIGINT) END", scalar, text)
	}
	return "CASE WHEN " + scalar + " THEN TRY_CAST(" + text + " AS " + kind + ") END"
}
