package facts

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"aqueduck/load/failure"
	"aqueduck/load/internal/duck"
	"aqueduck/load/internal/workdb"
	"aqueduck/load/read"
	"aqueduck/transform"
)

// KeyNote is the key in _sync.meta of the key that a table of a user's stream file was made with, as NotedKey gives it.
func KeyNote(schema string, t transform.Table) string { return "key " + duck.Table(schema, t.Name) }

// NotedKey is the key of a table: the names of its columns, each with its place in the record where that is another: "id from code".
func NotedKey(t transform.Table) []string {
	key := slices.Clone(t.Key)
	for i, name := range key {
		at := slices.IndexFunc(t.Columns, func(c transform.Column) bool { return c.Name == name })
		if at >= 0 && len(t.Columns[at].Path) > 0 && strings.Join(t.Columns[at].Path, ".") != name {
			key[i] += " from " + strings.Join(t.Columns[at].Path, ".")
		}
	}
	return key
}

// IsReshaped reports whether changes of a stream file can make the table another one: it is a user's, and no copy of another table.
func IsReshaped(t transform.Table) bool { return t.File != "" && t.HistoryOf == "" && t.CopyOf == "" }

// Unfit says why a run would refuse to store rows in the tables of a published file as the stream files are now; nil where it would not.
func Unfit(ctx context.Context, r *read.Reader, schema string, tables []transform.Table) error {
	stored, err := r.DB.TableTypes(ctx, schema)
	if err != nil {
		return fmt.Errorf("read the columns of %s: %w", schema, err)
	}
	var all []error
	for _, t := range tables {
		if err := RequireFit(ctx, r.DB, schema, t, stored); err != nil {
			all = append(all, NameTable(t, err))
		}
	}
	return errors.Join(all...)
}

// NameTable adds a table, and the file of a user that describes it, to an error.
func NameTable(t transform.Table, err error) error {
	if t.File != "" {
		return fmt.Errorf("table %s (%s): %w", t.Name, t.File, err)
	}
	return fmt.Errorf("table %s: %w", t.Name, err)
}

// RequireFit returns failure.ErrReshaped where the stored rows of a table have another key, or are in a table with another name, because the stream
// file was another one when they were stored; and failure.ErrNarrower for a type that does not hold all stored values. stored has the types of the
// columns of all stored tables.
func RequireFit(ctx context.Context, db *duck.DB, schema string, t transform.Table, stored map[string]map[string]string) error {
	if stored[t.Name] == nil {
		return requireName(t, stored)
	}
	for _, c := range t.Columns {
		kind, there := stored[t.Name][c.Name]
		if there && kind != transform.ReportedType(c.SQL) && !transform.IsWider(c.SQL, kind) {
			return fmt.Errorf("%w: column %s is stored as %s, and the file says %s", failure.ErrNarrower, c.Name, transform.FileType(kind), transform.FileType(transform.ReportedType(c.SQL)))
		}
	}
	if !IsReshaped(t) {
		return nil
	}
	key, noted, err := workdb.ReadNames(ctx, db, KeyNote(schema, t))
	if err != nil || !noted || slices.Equal(key, NotedKey(t)) {
		return err
	}
	var rows int64
	err = db.Scan(ctx, "SELECT coalesce(sum(rows), 0)::BIGINT FROM _sync.tables WHERE schema = $1 AND table_name = $2", []any{schema, t.Name}, &rows)
	if err == nil && rows > 0 {
		err = fmt.Errorf("%w: the key was %s when its rows were stored, and is %s now", failure.ErrReshaped, strings.Join(key, ", "), strings.Join(NotedKey(t), ", "))
	}
	return err
}

// requireName refuses a table that is not stored where its rows are stored under the name that `absent: gone` gives it, or takes from it.
func requireName(t transform.Table, stored map[string]map[string]string) error {
	was, file := t.Name+"_all", "had"
	if t.View != "" {
		was, file = t.View, "did not have"
	}
	_, gone := stored[was][transform.GoneColumn]
	if !IsReshaped(t) || stored[was] == nil || gone != (t.View == "") {
		return nil
	}
	return fmt.Errorf("%w: the file %s `absent: gone` when the rows of %s were stored", failure.ErrReshaped, file, was)
}
