package workdb

import (
	"context"
	"database/sql"
	"strings"

	"aqueduck/load/internal/duck"
)

// ReadNames reads a list of names from _sync.meta; false where there is none.
func ReadNames(ctx context.Context, db *duck.DB, key string) ([]string, bool, error) {
	meta, err := readMeta(ctx, db)
	if err != nil {
		return nil, false, err
	}
	text, noted := meta[key]
	return strings.FieldsFunc(text, func(r rune) bool { return r == '\n' }), noted, nil
}

// readMeta gives all of _sync.meta. A run asks it for a few names of each stream.
func readMeta(ctx context.Context, db *duck.DB) (map[string]string, error) {
	return duck.Remember(db, "meta", duck.SystemTable("meta"), func() (map[string]string, error) {
		meta := map[string]string{}
		err := db.Each(ctx, "SELECT key, coalesce(value, '') FROM _sync.meta", nil, func(rows *sql.Rows) error {
			var key, value string
			err := rows.Scan(&key, &value)
			meta[key] = value
			return err
		})
		return meta, err
	})
}

// SaveNames stores a list of names in _sync.meta. An empty list of unmasked names is deleted; other empty lists are
// stored.
func (w *Database) SaveNames(ctx context.Context, key string, names []string) error {
	if _, err := w.DB.Exec(ctx, "DELETE FROM _sync.meta WHERE key = $1", key); err != nil {
		return err
	}
	if len(names) == 0 && strings.HasPrefix(key, "unhidden ") {
		return nil
	}
	_, err := w.DB.Exec(ctx, "INSERT INTO _sync.meta VALUES ($1, $2)", key, strings.Join(names, "\n"))
	return err
}

// MaskedRowsKey is the key in _sync.meta of the number of rows of a table that maskings have removed.
func MaskedRowsKey(schema, table string) string {
	return "rows removed by masking " + duck.Table(schema, table)
}

// WasKey is the key in _sync.meta of the types that a column had before it widened.
func WasKey(schema, table, column string) string {
	return "was " + duck.Table(schema, table) + "." + duck.Name(column)
}
