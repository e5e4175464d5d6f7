package load

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"

	"aqueduck/load/internal/clause"
	"aqueduck/load/internal/duck"
	"aqueduck/load/internal/stage"
	"aqueduck/transform"
)

// doubted is the temporary table of the records of a batch that did not come whole.
const doubted = "temp.doubted"

// noteIncomplete takes out of _sync.incomplete what came whole, and puts in what did not. A record that is there already keeps its time.
func noteIncomplete(ctx context.Context, m *commitMerger, g stagedGroup) error {
	if len(g.completed) > 0 {
		_, err := m.execStatement(ctx, "DELETE FROM _sync.incomplete WHERE schema = $1 AND stream = $2 AND id IN (SELECT unnest(string_split($3, $4)))",
			m.schema, m.stream, strings.Join(g.completed, clause.Separator), clause.Separator)
		if err != nil {
			return fmt.Errorf("delete the notes of complete records: %w", err)
		}
	}
	if len(g.incomplete) == 0 {
		return nil
	}
	reasons := map[string]transform.Incomplete{} // the last of each
	for _, one := range g.incomplete {
		reasons[one.Key] = one
	}
	keys := slices.Sorted(maps.Keys(reasons))
	err := stage.Fill(ctx, m.work.DB, doubted, []string{"id", "reason", "error"}, len(keys), func(i int) []string {
		one := reasons[keys[i]]
		return []string{one.Key, one.Reason, one.Error}
	})
	if err != nil {
		return fmt.Errorf("collect the incomplete records: %w", err)
	}
	defer stage.Drop(ctx, m.work.DB, doubted)
	of := "schema = " + duck.Text(m.schema) + " AND stream = " + duck.Text(m.stream)
	for _, statement := range []string{
		"UPDATE _sync.incomplete AS i SET reason = d.reason, error = nullif(d.error, '') FROM " + doubted + " d WHERE i." + strings.ReplaceAll(of, "AND ", "AND i.") + " AND i.id = d.id",
		"INSERT INTO _sync.incomplete (schema, stream, id, reason, error, since) SELECT " + duck.Text(m.schema) + ", " + duck.Text(m.stream) + ", id, reason, nullif(error, ''), " + clause.Instant(m.stamp) + " FROM " + doubted +
			" WHERE id NOT IN (SELECT id FROM _sync.incomplete WHERE " + of + ")",
	} {
		if _, err := m.execStatement(ctx, statement); err != nil {
			return fmt.Errorf("record the incomplete records: %w", err)
		}
	}
	return nil
}

// Incomplete gives the records of a stream that the last reading did not bring whole, the oldest first.
func (w *DeadLetters) Incomplete(ctx context.Context, schema, stream string) (list []transform.Incomplete, err error) {
	err = w.db.Do(fmt.Sprintf("read which records of %s are incomplete", stream), func(db *duck.DB) error {
		return db.Each(ctx, "SELECT id, reason, coalesce(error, '') FROM _sync.incomplete WHERE schema = $1 AND stream = $2 ORDER BY since, id", []any{schema, stream},
			func(rows *sql.Rows) error {
				var one transform.Incomplete
				err := rows.Scan(&one.Key, &one.Reason, &one.Error)
				list = append(list, one)
				return err
			})
	})
	return list, err
}
