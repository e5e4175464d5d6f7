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

// partialRecordsQuery is the query for the keys of a stream's records that are noted as partly omitted; "" where there are
// none.
func partialRecordsQuery(ctx context.Context, db *duck.DB, schema, stream string) (string, error) {
	noted, err := readIncomplete(ctx, db)
	partly := func(record transform.Incomplete) bool { return record.Reason == transform.OmitsStored }
	if err != nil || !slices.ContainsFunc(noted[[2]string{schema, stream}], partly) {
		return "", err
	}
	return fmt.Sprintf("SELECT id FROM _sync.incomplete WHERE schema = %s AND stream = %s AND reason = '%s'", duck.Text(schema), duck.Text(stream), transform.OmitsStored), nil
}

// dropGoneNotes removes the notes of partly omitted records that are gone: no answer will complete them.
func dropGoneNotes(ctx context.Context, db *duck.DB, schema, stream string, t transform.Table) error {
	noted, err := partialRecordsQuery(ctx, db, schema, stream)
	if err != nil || noted == "" {
		return err
	}
	_, err = db.Exec(ctx, fmt.Sprintf("DELETE FROM _sync.incomplete WHERE schema = $1 AND stream = $2 AND reason = '%s' AND id IN (SELECT %s FROM %s t WHERE t.%s IS NOT NULL)",
		transform.OmitsStored, clause.KeyText("t.", t.Key), clause.Stored(schema, t), transform.GoneColumn), schema, stream)
	if err != nil {
		return fmt.Errorf("remove the notes of records that are gone: %w", err)
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
