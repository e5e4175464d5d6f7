package workdb

import (
	"context"
	"database/sql"
	"strconv"
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
	if len(names) == 0 && strings.HasPrefix(key, "unhidden ") {
		_, err := w.DB.Exec(ctx, "DELETE FROM _sync.meta WHERE key = $1", key)
		return err
	}
	return NoteFact(ctx, w.DB, key, strings.Join(names, "\n"))
}

// ComparedLetters begins the keys in _sync.meta of what the dead letters of a stream and the stored rows were when they were last compared.
const ComparedLetters = "dead letters compared: "

// ReadFact reads a fact about the file from _sync.meta by its key; "" where there is none.
func ReadFact(ctx context.Context, db *duck.DB, key string) (string, error) {
	var value sql.NullString
	err := db.Scan(ctx, "SELECT max(value) FROM _sync.meta WHERE key = $1", []any{key}, &value)
	return value.String, err
}

// NoteFact stores a fact about the file in _sync.meta by its key, in place of an earlier one.
func NoteFact(ctx context.Context, db *duck.DB, key, value string) error {
	if _, err := db.Exec(ctx, "DELETE FROM _sync.meta WHERE key = $1", key); err != nil {
		return err
	}
	_, err := db.Exec(ctx, "INSERT INTO _sync.meta VALUES ($1, $2)", key, value)
	return err
}

// MaskedRowsKey is the key in _sync.meta of the number of rows of a table that maskings have removed.
func MaskedRowsKey(schema, table string) string {
	return "rows removed by masking " + duck.Table(schema, table)
}

// ReadMaskedRows reads how many rows of a table maskings have removed. An older program has not counted them.
func ReadMaskedRows(ctx context.Context, db *duck.DB, schema, table string) (int64, error) {
	removed, _, err := ReadNames(ctx, db, MaskedRowsKey(schema, table))
	if err != nil || len(removed) == 0 {
		return 0, err
	}
	return strconv.ParseInt(removed[0], 10, 64)
}

// WasKey is the key in _sync.meta of the types that a column had before it widened.
func WasKey(schema, table, column string) string {
	return "was " + duck.Table(schema, table) + "." + duck.Name(column)
}
