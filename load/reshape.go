package load

import (
	"context"
	"slices"

	"aqueduck/load/facts"
	"aqueduck/load/internal/duck"
	"aqueduck/load/internal/workdb"
	"aqueduck/transform"
)

// lostNote is the key in _sync.meta of a stored column that the stream file has lost.
func lostNote(schema string, t transform.Table, column string) string {
	return "lost " + duck.Table(schema, t.Name) + "." + duck.Name(column)
}

// noteTable notes the key of a table of a user's stream file, and the columns that the file has lost. A column that has returned is filled from _extra, like
// a new one, in the history, too: rows that were read in the meantime have its values there.
func (w *Tables) noteTable(ctx context.Context, schema string, t transform.Table, stored map[string]string) error {
	if t.File == "" || t.CopyOf != "" {
		return nil
	}
	key, noted, err := workdb.ReadNames(ctx, w.db.DB, facts.KeyNote(schema, t))
	if now := facts.NotedKey(t); err == nil && (!noted || !slices.Equal(key, now)) {
		err = w.db.SaveNames(ctx, facts.KeyNote(schema, t), now)
	}
	if err != nil {
		return err
	}
	for name := range stored {
		if err := w.noteColumn(ctx, schema, t, name); err != nil {
			return err
		}
	}
	return nil
}

// noteColumn notes a stored column that the stream file has lost, or that one has returned.
func (w *Tables) noteColumn(ctx context.Context, schema string, t transform.Table, name string) error {
	note := lostNote(schema, t, name)
	_, lost, err := workdb.ReadNames(ctx, w.db.DB, note)
	i := slices.IndexFunc(t.Columns, func(c transform.Column) bool { return c.Name == name })
	if err != nil || lost == (i < 0) {
		return err
	}
	if i < 0 {
		return workdb.NoteFact(ctx, w.db.DB, note, "")
	}
	if _, err := w.db.DB.Exec(ctx, "DELETE FROM _sync.meta WHERE key = $1", note); err != nil || len(t.Columns[i].Path) == 0 {
		return err
	}
	return workdb.NoteFact(ctx, w.db.DB, fillKey(schema, t, t.Columns[i]), "")
}
