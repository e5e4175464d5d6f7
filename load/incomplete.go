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

// incompleteRows is the temporary table of the records of a batch that the source did not send completely.
const incompleteRows = "temp.doubted"

// noteIncomplete updates _sync.incomplete: it deletes records that are complete now and adds those that are not. A record
// that is already there keeps the time of its first note, so that the oldest is asked for first.
func noteIncomplete(ctx context.Context, m *commitMerger, g stagedGroup) error {
	if len(g.completed) > 0 {
		_, err := m.execStatement(ctx, "DELETE FROM _sync.incomplete WHERE schema = $1 AND stream = $2 AND id IN (SELECT unnest(string_split($3, $4)))",
			m.schema, m.stream, strings.Join(g.completed, clause.Separator), clause.Separator)
		if err != nil {
			return fmt.Errorf("delete the records that are complete now: %w", err)
		}
	}
	if len(g.incomplete) == 0 {
		return nil
	}
	reasons := map[string]transform.Incomplete{} // the last note of each record counts
	for _, record := range g.incomplete {
		reasons[record.Key] = record
	}
	keys := slices.Sorted(maps.Keys(reasons))
	err := stage.Fill(ctx, m.work.DB, incompleteRows, []string{"id", "reason", "error"}, len(keys), func(i int) []string {
		record := reasons[keys[i]]
		return []string{record.Key, record.Reason, record.Error}
	})
	if err != nil {
		return fmt.Errorf("collect the incomplete records: %w", err)
	}
	defer stage.Drop(ctx, m.work.DB, incompleteRows)
	of := "schema = " + duck.Text(m.schema) + " AND stream = " + duck.Text(m.stream)
	for _, statement := range []string{
		"UPDATE _sync.incomplete AS i SET reason = d.reason, error = nullif(d.error, '') FROM " + incompleteRows + " d WHERE i." + strings.ReplaceAll(of, "AND ", "AND i.") + " AND i.id = d.id",
		"INSERT INTO _sync.incomplete (schema, stream, id, reason, error, since) SELECT " + duck.Text(m.schema) + ", " + duck.Text(m.stream) + ", id, reason, nullif(error, ''), " + clause.Instant(m.stamp) + " FROM " + incompleteRows +
			" WHERE id NOT IN (SELECT id FROM _sync.incomplete WHERE " + of + ")",
	} {
		if _, err := m.execStatement(ctx, statement); err != nil {
			return fmt.Errorf("note the incomplete records: %w", err)
		}
	}
	return nil
}

// Incomplete gives the records of a stream that are stored incompletely, the oldest note first.
func (w *DeadLetters) Incomplete(ctx context.Context, schema, stream string) (list []transform.Incomplete, err error) {
	err = w.db.Do(fmt.Sprintf("read which records of %s are incomplete", stream), func(db *duck.DB) error {
		all, err := readIncomplete(ctx, db)
		list = slices.Clone(all[[2]string{schema, stream}])
		return err
	})
	return list, err
}

// readIncomplete gives all incomplete records, by schema and stream, the oldest note first.
func readIncomplete(ctx context.Context, db *duck.DB) (map[[2]string][]transform.Incomplete, error) {
	return duck.Remember(db, "incomplete", duck.SystemTable("incomplete"), func() (map[[2]string][]transform.Incomplete, error) {
		all := map[[2]string][]transform.Incomplete{}
		err := db.Each(ctx, "SELECT schema, stream, id, reason, coalesce(error, '') FROM _sync.incomplete ORDER BY since, id", nil, func(rows *sql.Rows) error {
			var of [2]string
			var record transform.Incomplete
			err := rows.Scan(&of[0], &of[1], &record.Key, &record.Reason, &record.Error)
			all[of] = append(all[of], record)
			return err
		})
		return all, err
	})
}
