package load

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"aqueduck/load/failure"
	"aqueduck/load/internal/duck"
	"aqueduck/load/internal/workdb"
	"aqueduck/transform"
)

// A user's stream file may change while its tables have rows. What the tables were made with is noted in _sync.meta: the key of each, and the columns
// that the file has lost.

func keyNote(schema string, t transform.Table) string {
	return "key " + duck.Table(schema, t.Name)
}

func lostNote(schema string, t transform.Table, column string) string {
	return "lost " + duck.Table(schema, t.Name) + "." + duck.Name(column)
}

// isReshaped reports whether changes of a stream file can make the table another one: it is a user's, and no copy of another table.
func isReshaped(t transform.Table) bool { return t.File != "" && t.HistoryOf == "" && t.CopyOf == "" }

// requireSameTable returns failure.ErrReshaped where the stored rows of a table have another key, or are in a table with another name, because the
// stream file was another one when they were stored. stored are the columns of all stored tables.
func (w *Tables) requireSameTable(ctx context.Context, schema string, t transform.Table, stored map[string]map[string]string) error {
	if !isReshaped(t) {
		return nil
	}
	if stored[t.Name] == nil {
		was, before := t.Name+"_all", "had"
		if t.View != "" {
			was, before = t.View, "did not have"
		}
		_, gone := stored[was][transform.GoneColumn]
		if stored[was] != nil && gone == (t.View == "") {
			return fmt.Errorf("%w: the file %s `absent: gone` when the rows of %s were stored", failure.ErrReshaped, before, was)
		}
		return nil
	}
	key, noted, err := workdb.ReadNames(ctx, w.db.DB, keyNote(schema, t))
	if err != nil || !noted || slices.Equal(key, t.Key) {
		return err
	}
	rows, err := w.db.StoredRows(ctx, schema, t.Name)
	if err == nil && rows > 0 {
		err = fmt.Errorf("%w: the key was %s when its rows were stored, and is %s now", failure.ErrReshaped, strings.Join(key, ", "), strings.Join(t.Key, ", "))
	}
	return err
}

// noteTable notes the key of a table, and the columns that its file has lost. A column that has returned is filled from _extra, like a new one: rows that
// were read in the meantime have its values there.
func (w *Tables) noteTable(ctx context.Context, schema string, t transform.Table, stored map[string]string) error {
	if !isReshaped(t) {
		return nil
	}
	key, noted, err := workdb.ReadNames(ctx, w.db.DB, keyNote(schema, t))
	if err == nil && (!noted || !slices.Equal(key, t.Key)) {
		err = w.db.SaveNames(ctx, keyNote(schema, t), t.Key)
	}
	if err != nil {
		return err
	}
	for name := range stored {
		note := lostNote(schema, t, name)
		_, lost, err := workdb.ReadNames(ctx, w.db.DB, note)
		declared := slices.IndexFunc(t.Columns, func(c transform.Column) bool { return c.Name == name })
		switch {
		case err != nil || lost == (declared < 0):
		case declared < 0:
			err = workdb.NoteFact(ctx, w.db.DB, note, "")
		default:
			if _, err = w.db.DB.Exec(ctx, "DELETE FROM _sync.meta WHERE key = $1", note); err == nil && len(t.Columns[declared].Path) > 0 {
				err = workdb.NoteFact(ctx, w.db.DB, fillKey(schema, t, t.Columns[declared]), "")
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}
