package facts

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"aqueduck/load/internal/clause"
	"aqueduck/load/internal/duck"
	"aqueduck/schemas"
	"aqueduck/transform"
)

// UnchangedFingerprints reports for each fingerprint of a list page whether the table has its record with the same
// values, not soft-deleted. The key of the table must be one column; columns are those of the fingerprints' values.
func (w *Facts) UnchangedFingerprints(ctx context.Context, schema string, t transform.Table, columns []transform.Column, fingerprints []transform.ListFingerprint) (same []bool, err error) {
	err = w.db.Do("", func(db *duck.DB) error {
		same = make([]bool, len(fingerprints))
		if n, err := w.db.StoredRows(ctx, schema, t.Name); err != nil || n == 0 {
			return err
		}
		query, values := fingerprintQuery(db.StoredName(ctx, schema, t.Name), t, columns, fingerprints)
		stored := map[string][]string{}
		err := db.Each(ctx, query, values, func(rows *sql.Rows) error {
			texts := make([]string, len(columns)+1)
			into := make([]any, len(texts))
			for i := range texts {
				into[i] = &texts[i]
			}
			if err := rows.Scan(into...); err != nil {
				return err
			}
			stored[texts[0]] = texts[1:]
			return nil
		})
		if err != nil {
			return fmt.Errorf("compare with the stored rows of %s: %w", t.Name, err)
		}
		for i, fingerprint := range fingerprints {
			known, there := stored[fingerprint.Key]
			same[i] = there && fingerprint.Values != nil && slices.Equal(known, fingerprint.Values)
		}
		return nil
	})
	return same, err
}

// EachKey calls f with the key of every row that is not soft-deleted and, by the table's column newest, not older than
// since; the zero time includes all. The key of the table must be one column.
func (w *Facts) EachKey(ctx context.Context, schema string, t transform.Table, since time.Time, f func(key string)) error {
	return w.db.Do("", func(db *duck.DB) error {
		query := "SELECT " + duck.Name(t.Key[0]) + "::VARCHAR FROM " + db.StoredName(ctx, schema, t.Name) + " WHERE true"
		if t.Gone {
			query += " AND " + transform.GoneColumn + " IS NULL"
		}
		var values []any
		if t.Newest != "" && !since.IsZero() {
			query, values = query+" AND "+duck.Name(t.Newest)+" >= $1", append(values, since)
		}
		return db.Each(ctx, query, values, func(rows *sql.Rows) error {
			var key string
			err := rows.Scan(&key)
			f(key)
			return err
		})
	})
}

// fingerprintQuery is the query for the stored rows that may equal the fingerprints. Its bounds of time let DuckDB skip
// nearly all of the table: pages are in order of time, and so were the commits.
func fingerprintQuery(table string, t transform.Table, columns []transform.Column, fingerprints []transform.ListFingerprint) (string, []any) {
	var keys []string
	for _, fingerprint := range fingerprints {
		if fingerprint.Values != nil && !strings.Contains(fingerprint.Key, clause.Separator) {
			keys = append(keys, fingerprint.Key)
		}
	}
	values := []any{strings.Join(keys, clause.Separator), clause.Separator}
	key := duck.Name(t.Key[0])
	asked := []string{key + "::VARCHAR"}
	where := []string{key + "::VARCHAR IN (SELECT unnest(string_split($1, $2)))"}
	if t.Gone {
		where = append(where, transform.GoneColumn+" IS NULL")
	}
	where = append(where, transform.HashColumn+" IS NOT NULL") // without a hash, the masking has changed since the row was read
	for i, c := range columns {
		name := duck.Name(c.Name)
		where = append(where, name+" IS NOT NULL")
		if c.Type != schemas.Timestamp {
			asked = append(asked, name+"::VARCHAR")
			continue
		}
		asked = append(asked, "epoch_us("+name+")::VARCHAR")
		if first, last, ok := timeRange(fingerprints, i); ok {
			values = append(values, first, last)
			where = append(where, fmt.Sprintf("%s BETWEEN $%d AND $%d", name, len(values)-1, len(values)))
		}
	}
	return "SELECT " + strings.Join(asked, ", ") + " FROM " + table + " WHERE " + strings.Join(where, " AND "), values
}

// timeRange gives the first and the last time among the fingerprints' values.
func timeRange(fingerprints []transform.ListFingerprint, column int) (first, last time.Time, ok bool) {
	for _, fingerprint := range fingerprints {
		if fingerprint.Values == nil {
			continue
		}
		micros, err := strconv.ParseInt(fingerprint.Values[column], 10, 64)
		if err != nil {
			return first, last, false
		}
		at := time.UnixMicro(micros).UTC()
		if !ok || at.Before(first) {
			first = at
		}
		if !ok || at.After(last) {
			last = at
		}
		ok = true
	}
	return first, last, ok
}

// KeysBetween gives the keys and times of the rows that are not soft-deleted and have a time of a column from one instant
// to another, both included: at most most of them, the newest first. The key of the table must be one column. among limits the result to some keys; nil does not.
func (w *Facts) KeysBetween(ctx context.Context, schema string, t transform.Table, column string, from, to time.Time, among []string, most int) (keys map[string]time.Time, err error) {
	err = w.db.Do("", func(db *duck.DB) error {
		key := duck.Name(t.Key[0]) + "::VARCHAR"
		query := fmt.Sprintf("SELECT %s, %s FROM %s WHERE %s", key, duck.Name(column), db.StoredName(ctx, schema, t.Name), betweenCondition(t, column))
		values := []any{from, to}
		if among != nil {
			query += " AND " + key + " IN (SELECT unnest(string_split($3, $4)))"
			values = append(values, strings.Join(among, clause.Separator), clause.Separator)
		}
		query += fmt.Sprintf(" ORDER BY %s DESC LIMIT %d", duck.Name(column), most)
		keys = map[string]time.Time{}
		return db.Each(ctx, query, values, func(rows *sql.Rows) error {
			var key string
			var at time.Time
			err := rows.Scan(&key, &at)
			keys[key] = at
			return err
		})
	})
	return keys, err
}

// betweenCondition is the condition for rows that are not soft-deleted and have a time from $1 to $2.
func betweenCondition(t transform.Table, column string) string {
	where := duck.Name(column) + " BETWEEN $1 AND $2"
	if t.Gone {
		where += " AND " + transform.GoneColumn + " IS NULL"
	}
	return where
}

// RowsBetween counts the stored rows of a window of time; to is not included.
func (w *Facts) RowsBetween(ctx context.Context, schema string, t transform.Table, from, to time.Time) (n int64, err error) {
	err = w.db.Do(fmt.Sprintf("count the rows of a window of %s", t.Name), func(db *duck.DB) error {
		query := fmt.Sprintf("SELECT count(*) FROM %s WHERE %[2]s >= %[3]s AND %[2]s < %[4]s", db.StoredName(ctx, schema, t.Name), duck.Name(t.Newest), clause.Instant(from), clause.Instant(to))
		if err := db.Scan(ctx, query, nil, &n); err != nil {
			return err
		}
		return nil
	})
	return n, err
}
