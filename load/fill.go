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
		columns := slices.DeleteFunc(slices.Clone(t.Columns), func(c transform.Column) bool { return !waiting[fillKey(schema, t, c)] })
		if len(columns) == 0 {
			continue
		}
		filled, err := w.fillColumns(ctx, schema, t, columns)
		if err != nil {
			return nil, fmt.Errorf("fill new columns of %s: %w", t.Name, err)
		}
		changes = append(changes, filled...)
	}
	if len(changes) > 0 { // the old tables are still in the file, and the log makes others (T144)
		err = w.db.FoldLocked(ctx)
	}
	return changes, err
}

// fillColumns fills columns of a table, and records it, in one transaction.
func (w *Tables) fillColumns(ctx context.Context, schema string, t transform.Table, columns []transform.Column) (filled []Change, err error) {
	stamp := w.db.Stamp()
	err = w.db.DB.Transaction(ctx, func() error {
		if filled, err = w.fillAll(ctx, schema, t, columns, stamp); err != nil {
			return err
		}
		for _, c := range columns {
			if _, err := w.db.DB.Exec(ctx, "DELETE FROM _sync.meta WHERE key = $1", fillKey(schema, t, c)); err != nil {
				return err
			}
		}
		if err := w.recordChanges(ctx, filled); err != nil {
			return err
		}
		return w.db.SaveStamp(ctx, stamp)
	})
	if err != nil {
		return nil, err
	}
	w.db.NoteCommit(stamp)
	return filled, nil
}

// fillAll fills columns, and returns the changes.
func (w *Tables) fillAll(ctx context.Context, schema string, t transform.Table, columns []transform.Column, stamp time.Time) (filled []Change, err error) {
	table := clause.Stored(schema, t)
	before, err := w.countValues(ctx, table, columns)
	if err != nil {
		return nil, err
	}
	f := filling{db: w.db.DB}
	for _, together := range sharingFields(columns) {
		first := len(f.steps)
		for _, c := range together {
			if err := f.addColumn(t, c); err != nil {
				return nil, fmt.Errorf("column %s: %w", c.Name, err)
			}
		}
		for i := range f.steps[first:] {
			f.steps[first+i].Joined = i > 0
		}
	}
	rest, err := f.defineRest()
	if err != nil {
		return nil, err
	}
	rest = fmt.Sprintf("CASE WHEN %s <> ';;' THEN nullif(%s(%[1]s, _extra::VARCHAR), '{}')::JSON ELSE _extra END AS _extra", duck.Picked, rest)
	schemaOf, args := clause.StoredSchema(schema, t), []any{stamp, w.db.RunID()}
	if _, err := w.db.DB.RewriteTable(ctx, schemaOf, t.Name, f.steps, []string{rest}, args...); err != nil {
		return nil, err
	}
	if _, err := w.db.DB.RewriteTable(ctx, schemaOf, t.Name, f.copies, nil, args...); err != nil {
		return nil, err
	}
	after, err := w.countValues(ctx, table, columns)
	if err != nil {
		return nil, err
	}
	for i, c := range columns {
		if after[i] > before[i] {
			filled = append(filled, Change{schema, t.Name, c.Name, fmt.Sprintf("filled in %d rows", after[i]-before[i])})
		}
	}
	if len(filled) == 0 {
		return nil, nil
	}
	return filled, w.db.CountRows(ctx, schema, t.Name, 0, stamp)
}

// sharingFields groups columns that take the same field, or a field and an object around it. One query fills a group: what it takes out of _extra, the next
// one does not see.
func sharingFields(columns []transform.Column) (groups [][]transform.Column) {
	for _, c := range columns {
		group := []transform.Column{}
		groups = slices.DeleteFunc(groups, func(g []transform.Column) bool {
			shares := slices.ContainsFunc(g, func(other transform.Column) bool { return shareField(c, other) })
			if shares {
				group = append(group, g...)
			}
			return shares
		})
		groups = append(groups, append(group, c))
	}
	return groups
}

// shareField reports whether a place of one column is that of the other, or inside it.
func shareField(a, b transform.Column) bool {
	for _, p := range placesOf(a) {
		for _, q := range placesOf(b) {
			if n := min(len(p), len(q)); slices.Equal(p[:n], q[:n]) {
				return true
			}
		}
	}
	return false
}

func placesOf(c transform.Column) [][]string { return append([][]string{c.Path}, c.Or...) }

// countValues counts the values of some columns.
func (w *Tables) countValues(ctx context.Context, table string, columns []transform.Column) ([]int64, error) {
	counts, into, list := make([]int64, len(columns)), make([]any, len(columns)), make([]string, len(columns))
	for i, c := range columns {
		into[i], list[i] = &counts[i], "count("+duck.Name(c.Name)+")"
	}
	return counts, w.db.DB.Scan(ctx, "SELECT "+strings.Join(list, ", ")+" FROM "+table, nil, into...)
}

// filling is the SQL that fills columns of a table. A column that has no value takes that of the first of its places that fits it.
type filling struct {
	db     *duck.DB
	steps  []duck.Step // from _extra
	paths  [][]string  // by step
	copies []duck.Step // from other columns, which may just have been filled
}

// addColumn adds the steps of a column. The decoder's own code reads _extra and converts the value: a second implementation in SQL could differ from it, and
// DuckDB's functions for JSON need a multiple of the memory. A value that does not fit the column stays in _extra.
func (f *filling) addColumn(t transform.Table, c transform.Column) error {
	step := duck.Step{Column: duck.Name(c.Name), Where: duck.Name(c.Name) + " IS NULL AND {value} IS NOT NULL"}
	for _, path := range placesOf(c) {
		if c.As == schemas.HasText {
			break // the column of the text itself takes it out of _extra
		}
		name, err := f.db.Define(1, func(texts []string) (string, bool) { return transform.SpellField(c, []byte(texts[0]), path) })
		if err != nil {
			return err
		}
		step.Value, step.Stored = name+"(_extra::VARCHAR)", spelled(c.SQL, "{value}")
		f.steps, f.paths = append(f.steps, step), append(f.paths, path)
	}
	if found, ok := fillFromText(t, c); ok {
		step.Value, step.Stored = found, "{value}"
		f.copies = append(f.copies, step)
	}
	return nil
}

// defineRest makes the function that removes what some steps have taken, given as duck.Picked, from _extra.
func (f *filling) defineRest() (name string, err error) {
	known := map[string]func(string) string{}
	return f.db.Define(2, func(texts []string) (string, bool) {
		without := known[texts[0]]
		if without == nil {
			var paths [][]string
			for i, path := range f.paths {
				if strings.Contains(texts[0], fmt.Sprintf(";%d;", i)) {
					paths = append(paths, path)
				}
			}
			without = transform.WithoutFields(paths)
			known[texts[0]] = without
		}
		return without(texts[1]), true
	})
}

// fillFromText is the SQL of what a column takes of a text column that has taken the same field until now. A column of whole numbers takes plain
// numbers of up to 18 digits; any other text is left to the next read of the record. A column with has_text takes whether there is a plain text.
func fillFromText(t transform.Table, c transform.Column) (found string, ok bool) {
	as, found := "", "CASE WHEN regexp_full_match(%[1]s, '-?(0|[1-9][0-9]{0,17})') THEN %[1]s::BIGINT END"
	if c.As == schemas.HasText {
		as, found = schemas.PlainText, "%s <> ''"
	}
	at := slices.IndexFunc(t.Columns, func(other transform.Column) bool {
		return other.Name != c.Name && other.SQL == "VARCHAR" && other.As == as && slices.Equal(other.Path, c.Path)
	})
	if at < 0 || c.SQL != "BIGINT" && c.As != schemas.HasText {
		return "", false
	}
	return fmt.Sprintf(found, duck.Name(t.Columns[at].Name)), true
}

// spelled is the SQL of what a column stores for a text of transform.SpellValue.
func spelled(kind, text string) string {
	switch kind {
	case "TIMESTAMPTZ":
		return "(make_timestamp(" + text + "::BIGINT) AT TIME ZONE 'UTC')"
	case "DATE":
		return "(DATE '1970-01-01' + " + text + "::INTEGER)"
	}
	return text + "::" + kind
}
