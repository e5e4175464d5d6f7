package load

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"aqueduck/transform"
)

// noteIncomplete takes out of _sync.incomplete what came whole, and puts in what did not. A record that is there already keeps its time.
func (m *merger) noteIncomplete(ctx context.Context, g group) error {
	if len(g.completed) > 0 {
		_, err := m.exec(ctx, "DELETE FROM _sync.incomplete WHERE schema = $1 AND stream = $2 AND id IN (SELECT unnest(string_split($3, $4)))",
			m.schema, m.stream, strings.Join(g.completed, separator), separator)
		if err != nil {
			return fmt.Errorf("take out the records that came whole: %w", err)
		}
	}
	for _, one := range g.incomplete {
		text := sql.NullString{String: one.Error, Valid: one.Error != ""}
		n, err := m.exec(ctx, "UPDATE _sync.incomplete SET reason = $4, error = $5 WHERE schema = $1 AND stream = $2 AND id = $3", m.schema, m.stream, one.Key, one.Reason, text)
		if err == nil && n == 0 {
			_, err = m.exec(ctx, "INSERT INTO _sync.incomplete (schema, stream, id, reason, error, since) VALUES ($1, $2, $3, $4, $5, $6)",
				m.schema, m.stream, one.Key, one.Reason, text, m.stamp)
		}
		if err != nil {
			return fmt.Errorf("note a record that did not come whole: %w", err)
		}
	}
	return nil
}

// Incomplete gives the records of a stream that the last reading did not bring whole, the oldest first.
func (w *Work) Incomplete(ctx context.Context, schema, stream string) (list []transform.Incomplete, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.db == nil {
		return nil, errClosed
	}
	err = w.db.Each(ctx, "SELECT id, reason, coalesce(error, '') FROM _sync.incomplete WHERE schema = $1 AND stream = $2 ORDER BY since, id", []any{schema, stream},
		func(rows *sql.Rows) error {
			var one transform.Incomplete
			err := rows.Scan(&one.Key, &one.Reason, &one.Error)
			list = append(list, one)
			return err
		})
	if err != nil {
		return nil, w.judge(fmt.Errorf("read which records of %s are incomplete: %w", stream, err))
	}
	return list, nil
}
