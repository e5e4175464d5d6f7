package load

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"aqueduck/internal/crash"
	"aqueduck/load/internal/duck"
	"aqueduck/load/internal/workdb"
)

// Checkpoint is how far a stream is read, as of its commit number Seq. The zero value belongs to a stream that was never committed.
type Checkpoint struct {
	Workspace, Stream string
	Seq               int64
	State             string    // where reading continues; the reader's own JSON, which load only stores
	SyncedTo          time.Time // the watermark
	HistoryTo         time.Time // how far back the backfill has read
}

// ErrFenced is the error of a commit whose base is not the stored checkpoint: another process has committed since.
var ErrFenced = errors.New("the checkpoint changed while the stream was read")

// Written counts what a commit changed.
type Written struct {
	Rows      int64     // rows written, over all tables
	New       int64     // records that were not stored
	Changed   int64     // records whose content changed, that returned, or that are now soft-deleted
	ChildRows int64     // rows written to child tables
	Deleted   int64     // child rows deleted, including those that were written again with their parent
	SyncedAt  time.Time // the time of the commit, which its rows have as _synced_at
}

// Checkpoints are the checkpoints of all streams. Each moves only in the transaction that writes the rows it stands for.
type Checkpoints struct{ db *workdb.Database }

// Checkpoint gives the stored checkpoint of a stream; a stream without one has the zero Seq. After an interrupted commit it
// is what the database has: the commit may be stored although its caller got an error.
func (w *Checkpoints) Checkpoint(ctx context.Context, workspace, stream string) (c Checkpoint, err error) {
	err = w.db.Do("", func(*duck.DB) error {
		c, err = w.readCheckpoint(ctx, workspace, stream)
		return err
	})
	return c, err
}

func (w *Checkpoints) readCheckpoint(ctx context.Context, workspace, stream string) (Checkpoint, error) {
	all, err := duck.Remember(w.db.DB, "checkpoints", duck.SystemTable("checkpoints"), func() (map[[2]string]Checkpoint, error) {
		all := map[[2]string]Checkpoint{}
		err := w.db.DB.Each(ctx, "SELECT schema, stream, seq, state, synced_to, history_to FROM _sync.checkpoints", nil, func(rows *sql.Rows) error {
			var c Checkpoint
			var syncedTo, historyTo sql.NullTime
			err := rows.Scan(&c.Workspace, &c.Stream, &c.Seq, &c.State, &syncedTo, &historyTo)
			if syncedTo.Valid {
				c.SyncedTo = syncedTo.Time.UTC()
			}
			if historyTo.Valid {
				c.HistoryTo = historyTo.Time.UTC()
			}
			all[[2]string{c.Workspace, c.Stream}] = c
			return err
		})
		return all, err
	})
	if err != nil {
		return Checkpoint{}, fmt.Errorf("read the checkpoint of %s: %w", stream, err)
	}
	c, there := all[[2]string{workspace, stream}]
	if !there {
		c = Checkpoint{Workspace: workspace, Stream: stream}
	}
	return c, nil
}

// equalsStored reports whether a checkpoint is the one already stored, at the precision of the database.
func (c Checkpoint) equalsStored(stored Checkpoint) bool {
	return c.Seq == stored.Seq && c.State == stored.State &&
		workdb.Micro(c.SyncedTo).Equal(stored.SyncedTo) && workdb.Micro(c.HistoryTo).Equal(stored.HistoryTo)
}

// MoveManually moves a checkpoint for a person. It records in the same transaction what was done and by whom. The next
// publish shows it to readers, even if no row changes.
func (w *Checkpoints) MoveManually(ctx context.Context, base, next Checkpoint, what, who string) (err error) {
	w.db.WithLock(func() { err = w.db.MakeWritableLocked() })
	if err != nil {
		return err
	}
	return w.db.Do(fmt.Sprintf("move the checkpoint of %s", base.Stream), func(db *duck.DB) error {
		_, err := w.moveCheckpoint(ctx, base.Workspace, base.Stream, base, next, func(stamp time.Time) (Written, error) {
			_, err := db.Exec(ctx, `INSERT INTO _sync.moves (run_id, recorded_at, schema, stream, what, synced_from, synced_to, moved_by)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`, w.db.RunID(), stamp, base.Workspace, base.Stream, what, nullTime(base.SyncedTo), nullTime(next.SyncedTo), who)
			return Written{}, errors.Join(err, w.db.SaveStamp(ctx, stamp))
		})
		return err
	})
}

// moveCheckpoint runs steps and moves a checkpoint, in one transaction.
func (w *Checkpoints) moveCheckpoint(ctx context.Context, workspace, stream string, base, next Checkpoint, steps func(stamp time.Time) (Written, error)) (Written, error) {
	if next.Seq != base.Seq+1 {
		return Written{}, fmt.Errorf("commit %d does not follow %d", next.Seq, base.Seq)
	}
	var written Written
	stamp, landed := w.db.Stamp(), false
	err := w.db.DB.Transaction(ctx, func() error {
		crash.At(crash.CommitStaged)
		moved, err := w.saveCheckpoint(ctx, base, workspace, stream, next, stamp)
		if err != nil {
			return fmt.Errorf("move the checkpoint: %w", err)
		}
		if !moved {
			landed, err = w.isStored(ctx, workspace, stream, base, next)
			return err
		}
		w.db.Counted = false
		if written, err = steps(stamp); err != nil {
			return err
		}
		crash.At(crash.CommitWritten)
		if written == (Written{}) && !w.db.Counted {
			return nil // no row has the stamp
		}
		return w.db.SaveStamp(ctx, stamp)
	})
	crash.At(crash.CommitDone)
	if err != nil || landed {
		return Written{SyncedAt: w.db.Last}, err
	}
	w.db.NoteCommit(stamp)
	written.SyncedAt = stamp
	return written, nil
}

// saveCheckpoint replaces the checkpoint base by c; false where base is not the stored one. This is the fence: whoever read
// from an older checkpoint must not overwrite what another process committed since.
func (w *Checkpoints) saveCheckpoint(ctx context.Context, base Checkpoint, workspace, stream string, c Checkpoint, stamp time.Time) (moved bool, err error) {
	args := []any{workspace, stream, c.Seq, c.State, nullTime(c.SyncedTo), nullTime(c.HistoryTo), w.db.RunID(), stamp}
	statement := `INSERT INTO _sync.checkpoints (schema, stream, seq, state, synced_to, history_to, run_id, committed_at)
		SELECT $1, $2, $3, $4, $5, $6, $7, $8 WHERE NOT EXISTS (SELECT 1 FROM _sync.checkpoints WHERE schema = $1 AND stream = $2)`
	if base.Seq > 0 {
		args = append(args, base.Seq)
		statement = `UPDATE _sync.checkpoints SET seq = $3, state = $4, synced_to = $5, history_to = $6, run_id = $7, committed_at = $8
			WHERE schema = $1 AND stream = $2 AND seq = $9`
	}
	n, err := w.db.DB.Exec(ctx, statement, args...)
	return n == 1, err
}

// isStored reports whether next is stored already, where base is not the stored checkpoint. A process may die after its
// commit is durable and before it learns so. It then commits the same again, which succeeds and writes nothing.
func (w *Checkpoints) isStored(ctx context.Context, workspace, stream string, base, next Checkpoint) (bool, error) {
	stored, err := w.readCheckpoint(ctx, workspace, stream)
	if err != nil || next.equalsStored(stored) {
		return err == nil, err
	}
	return false, fmt.Errorf("%w: stored is commit %d, expected %d", ErrFenced, stored.Seq, base.Seq)
}

func nullTime(t time.Time) sql.NullTime { return sql.NullTime{Time: t, Valid: !t.IsZero()} }
