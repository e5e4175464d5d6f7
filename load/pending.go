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

// dequeueAnswered takes the answered ids out of _sync.pending. One that was put there again since it was asked for stays.
func dequeueAnswered(ctx context.Context, m *commitMerger) error {
	for _, a := range m.answeredSets {
		if len(a.ids) == 0 {
			continue
		}
		_, err := m.execStatement(ctx, `DELETE FROM _sync.pending WHERE schema = $1 AND stream = $2 AND since <= $3
			AND id IN (SELECT unnest(string_split($4, $5)))`, m.schema, m.stream, workdb.Micro(a.at), strings.Join(a.ids, clause.Separator), clause.Separator)
		if err != nil {
			return fmt.Errorf("delete the ids that were read: %w", err)
		}
	}
	return nil
}

// enqueueWritten puts the rows that this commit wrote into _sync.pending for the streams that are read over them.
func enqueueWritten(ctx context.Context, m *commitMerger, g stagedGroup) error {
	for _, f := range g.feeds {
		rows := fmt.Sprintf("%s = %s", transform.SyncedAtColumn, clause.Instant(m.stamp))
		if _, err := enqueueIDs(ctx, m.work, m.schema, f.Stream, g.own.Table, f.Column, rows, m.stamp); err != nil {
			return err
		}
	}
	return nil
}

// enqueueIDs has a stream wait for the ids in a column of the rows of a table that fit a condition and are not gone.
func enqueueIDs(ctx context.Context, w *workdb.Database, schema, stream string, t transform.Table, column, rows string, stamp time.Time) (int64, error) {
	id := duck.Name(column) + "::VARCHAR"
	query := fmt.Sprintf("SELECT DISTINCT %s AS id FROM %s WHERE %s AND %s IS NOT NULL", id, duck.Table(schema, t.Name), rows, duck.Name(column))
	if t.Gone {
		query += " AND " + transform.GoneColumn + " IS NULL"
	}
	if _, err := w.DB.Exec(ctx, "CREATE OR REPLACE TEMP TABLE awaited AS "+query); err != nil {
		return 0, fmt.Errorf("find the ids that %s has to read: %w", stream, err)
	}
	defer stage.Drop(ctx, w.DB, "temp.awaited")
	_, err := w.DB.Exec(ctx, "DELETE FROM _sync.pending WHERE schema = $1 AND stream = $2 AND id IN (SELECT id FROM temp.awaited)", schema, stream)
	if err != nil {
		return 0, fmt.Errorf("postpone the ids that %s has to read: %w", stream, err)
	}
	n, err := w.DB.Exec(ctx, "INSERT INTO _sync.pending (schema, stream, id, since) SELECT $1, $2, id, $3 FROM temp.awaited", schema, stream, stamp)
	if err != nil {
		return 0, fmt.Errorf("store the ids that %s has to read: %w", stream, err)
	}
	return n, nil
}

// ChildQueue has the ids that streams wait for which are read over another.
type ChildQueue struct{ checkpoints *Checkpoints }

// ParentTable is a table whose rows a stream is read over.
type ParentTable struct {
	Table  transform.Table
	Column string    // has the id
	Since  time.Time // only rows that are not from before it, by the table's own newest; zero: all
	Until  time.Time // and from before this; zero: all
}

// EnqueueStored has a stream wait for the rows that its origins hold already, and moves its checkpoint, in one transaction.
func (w *ChildQueue) EnqueueStored(ctx context.Context, schema, stream string, base, next Checkpoint, origins []ParentTable) error {
	return w.checkpoints.db.Do("", func(*duck.DB) error {
		_, err := w.checkpoints.moveCheckpoint(ctx, schema, stream, base, next, func(stamp time.Time) (Written, error) {
			for _, o := range origins {
				rows := "true"
				if !o.Since.IsZero() && o.Table.Newest != "" {
					rows = duck.Name(o.Table.Newest) + " >= " + clause.Instant(o.Since)
				}
				if !o.Until.IsZero() && o.Table.Newest != "" {
					rows += " AND " + duck.Name(o.Table.Newest) + " < " + clause.Instant(o.Until)
				}
				if _, err := enqueueIDs(ctx, w.checkpoints.db, schema, stream, o.Table, o.Column, rows, stamp); err != nil {
					return Written{}, err
				}
			}
			return Written{}, nil
		})
		return err
	})
}

// Pending gives the ids that a stream waits for, those that have waited longest first, and when the last was put there.
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
