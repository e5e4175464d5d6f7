// Package keycheck finds keys that a stored table has twice. The tables have no index that would refuse them (T143).
package keycheck

import (
	"context"
	"fmt"
	"time"

	"aqueduck/load/internal/clause"
	"aqueduck/load/internal/duck"
	"aqueduck/transform"
)

// rowsPerCheck limits the rows whose keys are compared at once. A publish of many changes has little memory left beside them: it ran out of it over
// the keys of ten million parts.
const rowsPerCheck = 1_000_000

// rowsPerJoin limits the later rows that are looked for at once.
const rowsPerJoin = 100_000

// RequireUnique refuses a table with a key twice. rows is how many it has. Since checked its keys were unique once, so that only keys of rows written later
// are looked for in all of it, unless these are many; zero: all keys are compared. Hashes are compared first, because they need less memory, and large
// tables in parts. Only where a hash comes twice are the keys themselves compared.
func RequireUnique(ctx context.Context, db *duck.DB, schema string, t transform.Table, rows int64, checked time.Time) error {
	if len(t.Key) == 0 {
		return nil
	}
	stored, keys := clause.Stored(schema, t), duck.Names("", t.Key)
	selected, parts, err := selectHashes(ctx, db, stored, keys, rows, checked)
	var n int64
	for part := int64(0); part < parts && n == 0 && err == nil; part++ {
		hashes := fmt.Sprintf("FROM (%s) WHERE h %% %d = %d GROUP BY h HAVING count(*) > 1", selected, parts, part)
		err = db.Scan(ctx, "SELECT count(*) FROM (SELECT h "+hashes+" LIMIT 1)", nil, &n)
		if n > 0 && err == nil {
			err = db.Scan(ctx, fmt.Sprintf("SELECT coalesce(max(__n), 0) FROM (SELECT count(*) AS __n FROM %s WHERE hash(%s) IN (SELECT h %s) GROUP BY %s HAVING count(*) > 1)", stored, keys, hashes, keys), nil, &n)
		}
	}
	if err != nil {
		return fmt.Errorf("check the keys of %s.%s: %w", schema, t.Name, err)
	}
	if n > 0 {
		return fmt.Errorf("%s.%s has a key %d times", schema, t.Name, n)
	}
	return nil
}

// selectHashes is a query of the hashes to compare, and in how many parts.
func selectHashes(ctx context.Context, db *duck.DB, stored, keys string, rows int64, checked time.Time) (query string, parts int64, err error) {
	all := fmt.Sprintf("SELECT hash(%s) AS h FROM %s", keys, stored)
	if rows <= rowsPerJoin || checked.IsZero() {
		return all, rows/rowsPerCheck + 1, nil
	}
	later := fmt.Sprintf(" WHERE %s > TIMESTAMPTZ %s", transform.SyncedAtColumn, duck.Text(checked.Format(time.RFC3339Nano)))
	var changed int64
	if err := db.Scan(ctx, "SELECT count(*) FROM "+stored+later, nil, &changed); err != nil {
		return "", 0, err
	}
	if changed > rowsPerCheck/4 {
		return all, rows/rowsPerCheck + 1, nil
	}
	return "SELECT h FROM (" + all + ") SEMI JOIN (" + all + later + ") USING (h)", changed/rowsPerJoin + 1, nil
}
