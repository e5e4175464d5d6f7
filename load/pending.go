package load

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"aqueduck/load/internal/clause"
	"aqueduck/load/internal/duck"
	"aqueduck/load/internal/stage"
	"aqueduck/load/internal/workdb"
	"aqueduck/transform"
)

// dequeueAnswered removes the answered ids from _sync.pending. An id that was enqueued again after the question stays:
// its answer may be older than that change.
func dequeueAnswered(ctx context.Context, m *commitMerger) error {
	for _, a := range m.answeredSets {
		if len(a.ids) == 0 {
			continue
		}
		_, err := m.execStatement(ctx, `DELETE FROM _sync.pending WHERE schema = $1 AND stream = $2 AND since <= $3
			AND id IN (SELECT unnest(string_split($4, $5)))`, m.schema, m.stream, workdb.Micro(a.at), strings.Join(a.ids, clause.Separator), clause.Separator)
		if err != nil {
			return fmt.Errorf("dequeue the ids that were read: %w", err)
		}
	}
	return nil
}

// enqueueWritten enqueues the rows that this commit wrote for the child streams that read over them.
func enqueueWritten(ctx context.Context, m *commitMerger, g stagedGroup) error {
	for _, f := range g.feeds {
		rows := fmt.Sprintf("%s = %s", transform.SyncedAtColumn, clause.Instant(m.stamp))
		if _, err := enqueueIDs(ctx, m.work, m.schema, f.Stream, g.own.Table, f.Column, rows, m.stamp); err != nil {
			return err
		}
	}
	return nil
}

// enqueueIDs enqueues for a child stream the ids in a column of a table, of the rows that fit a condition and are not
// soft-deleted.
func enqueueIDs(ctx context.Context, w *workdb.Database, schema, stream string, t transform.Table, column, rows string, stamp time.Time) (int64, error) {
	id := duck.Name(column) + "::VARCHAR"
	query := fmt.Sprintf("SELECT DISTINCT %s AS id FROM %s WHERE %s AND %s IS NOT NULL", id, clause.Stored(schema, t), rows, duck.Name(column))
	if t.Gone {
		query += " AND " + transform.GoneColumn + " IS NULL"
	}
	if _, err := w.DB.Exec(ctx, "CREATE OR REPLACE TEMP TABLE awaited AS "+query); err != nil {
		return 0, fmt.Errorf("find the ids that %s has to read: %w", stream, err)
	}
	defer stage.Drop(ctx, w.DB, "temp.awaited")
	_, err := w.DB.Exec(ctx, "DELETE FROM _sync.pending WHERE schema = $1 AND stream = $2 AND id IN (SELECT id FROM temp.awaited)", schema, stream)
	if err != nil {
		return 0, fmt.Errorf("requeue what %s has to read: %w", stream, err)
	}
	n, err := w.DB.Exec(ctx, "INSERT INTO _sync.pending (schema, stream, id, since) SELECT $1, $2, id, $3 FROM temp.awaited", schema, stream, stamp)
	if err != nil {
		return 0, fmt.Errorf("store the ids that %s has to read: %w", stream, err)
	}
	return n, nil
}

// ChildQueue has the ids that child streams still have to read.
type ChildQueue struct{ checkpoints *Checkpoints }

// ParentTable is a table with the ids that a child stream reads.
type ParentTable struct {
	Table  transform.Table
	Column string    // column with the id
	Since  time.Time // only rows from then on, by the table's column newest; zero: all
	Until  time.Time // only rows from before then; zero: all

	Written time.Time // only rows that a commit wrote from then on; zero: all
}

// EnqueueStored enqueues the stored rows of a child stream's parent tables and moves its checkpoint, in one transaction.
func (w *ChildQueue) EnqueueStored(ctx context.Context, schema, stream string, base, next Checkpoint, parents []ParentTable) error {
	return w.checkpoints.db.Do("", func(*duck.DB) error {
		_, err := w.checkpoints.moveCheckpoint(ctx, schema, stream, base, next, func(stamp time.Time) (Written, error) {
			for _, parent := range parents {
				rows := "true"
				if !parent.Since.IsZero() && parent.Table.Newest != "" {
					rows = duck.Name(parent.Table.Newest) + " >= " + clause.Instant(parent.Since)
				}
				if !parent.Until.IsZero() && parent.Table.Newest != "" {
					rows += " AND " + duck.Name(parent.Table.Newest) + " < " + clause.Instant(parent.Until)
				}
				if !parent.Written.IsZero() {
					rows += " AND " + transform.SyncedAtColumn + " >= " + clause.Instant(parent.Written)
				}
				if _, err := enqueueIDs(ctx, w.checkpoints.db, schema, stream, parent.Table, parent.Column, rows, stamp); err != nil {
					return Written{}, err
				}
			}
			return Written{}, nil
		})
		return err
	})
}

// Pending gives the ids that a child stream still has to read, the longest waiting first, and when the last of them was
// enqueued.
func (w *ChildQueue) Pending(ctx context.Context, schema, stream string) (ids []string, at time.Time, err error) {
	err = w.checkpoints.db.Do(fmt.Sprintf("read the ids that %s has to read", stream), func(db *duck.DB) error {
		err = db.Each(ctx, "SELECT id, since FROM _sync.pending WHERE schema = $1 AND stream = $2 ORDER BY since, id", []any{schema, stream},
			func(rows *sql.Rows) error {
				var id string
				err := rows.Scan(&id, &at)
				ids = append(ids, id)
				return err
			})
		if err != nil {
			return err
		}
		at = at.UTC()
		return nil
	})
	return ids, at, err
}
