package load

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"
	"time"

	"aqueduck/load/internal/clause"
	"aqueduck/load/internal/duck"
	"aqueduck/load/internal/workdb"
	"aqueduck/transform"
)

// Sweep is one reading of a list to its end, with all records of a stream.
type Sweep struct {
	Table   string    // physical table of the stream
	Number  int       // number of the sweep
	Column  string    // column with the list value of a row, for a stream that is one list for each of several values; "": one list
	Refused []string  // values that the source refused (T182): their rows are not soft-deleted
	Opened  time.Time // when it began, by the clock of the commits: rows written since are not soft-deleted

	Copies transform.Table // table of daily copies; without a name there is none
	Day    time.Time       // the day of the copy, midnight UTC of its date
}

// Sweeps keep the keys that full-list sweeps have read, and soft-delete the rows that they have not.
type Sweeps struct{ checkpoints *Checkpoints }

// Absent counts the rows that are not soft-deleted, were written before the sweep began, and were read neither by the
// sweep nor by any of the other numbers. present counts all other rows that are not soft-deleted.
func (w *Sweeps) Absent(ctx context.Context, schema, stream string, sw Sweep, numbers ...int) (absent, present int64, err error) {
	err = w.checkpoints.db.Do("", func(db *duck.DB) error {
		t, err := w.requireSweepable(schema, sw)
		if err != nil {
			return err
		}
		query := fmt.Sprintf("SELECT count(*) FILTER (%s), count(*) FROM %s t WHERE %s IS NULL",
			unseenCondition(t, sw, numbers), clause.Stored(schema, t), transform.GoneColumn)
		var all int64
		if err := db.Scan(ctx, query, []any{schema, stream, sw.Opened}, &absent, &all); err != nil {
			return fmt.Errorf("count the records missing from %s: %w", stream, err)
		}
		present = all - absent
		return nil
	})
	return absent, present, err
}

// SoftDeleteAbsent soft-deletes the rows that Absent counts, makes the copy of the day, deletes the keys that the
// stream's sweeps have read, and moves the checkpoint, in one transaction.
func (w *Sweeps) SoftDeleteAbsent(ctx context.Context, schema, stream string, base, next Checkpoint, sw Sweep, numbers ...int) (written Written, err error) {
	err = w.checkpoints.db.Do("", func(db *duck.DB) error {
		t, err := w.requireSweepable(schema, sw)
		if err != nil {
			return err
		}
		written, err = w.checkpoints.moveCheckpoint(ctx, schema, stream, base, next, func(stamp time.Time) (Written, error) {
			table, absent := clause.Stored(schema, t), transform.GoneColumn+" IS NULL AND "+unseenCondition(t, sw, numbers)
			probe := workdb.Probe{SQL: "SELECT 1 FROM " + table + " t WHERE " + absent, Args: []any{schema, stream, sw.Opened}}
			n, err := w.checkpoints.db.ExecIfAny(ctx, probe, fmt.Sprintf("UPDATE %s AS t SET %s = $3, %s = $4, %s = $5 WHERE %s",
				table, transform.GoneColumn, transform.SyncedAtColumn, transform.RunIDColumn, absent),
				schema, stream, sw.Opened, stamp, w.checkpoints.db.RunID())
			if err != nil {
				return Written{}, err
			}
			if _, err := db.Exec(ctx, "DELETE FROM _sync.seen WHERE schema = $1 AND stream = $2", schema, stream); err != nil {
				return Written{}, err
			}
			written := Written{Rows: n, Changed: n}
			if n > 0 {
				if err := w.checkpoints.db.CountRows(ctx, schema, t.Name, 0, stamp); err != nil {
					return Written{}, err
				}
				if err := dropGoneNotes(ctx, db, schema, stream, t); err != nil {
					return Written{}, err
				}
			}
			if err := endStates(ctx, w.checkpoints.db, schema, t, stamp); err != nil {
				return Written{}, err
			}
			copied, err := w.copyDay(ctx, schema, t, sw, stamp)
			written.Rows += copied
			return written, err
		})
		if err != nil {
			return fmt.Errorf("soft-delete the records missing from %s: %w", stream, err)
		}
		return nil
	})
	return written, err
}

func (w *Sweeps) requireSweepable(schema string, sw Sweep) (transform.Table, error) {
	t, err := w.checkpoints.db.Table(schema, sw.Table)
	if err == nil && !t.Gone {
		err = fmt.Errorf("table %s has no column for soft deletes", t.Name)
	}
	return t, err
}

// unseenCondition is the condition for a row t that no sweep has read. Its parameters 1 to 3 are the schema, the stream
// and when the sweep began.
func unseenCondition(t transform.Table, sw Sweep, numbers []int) string {
	list := []string{strconv.Itoa(sw.Number)}
	for _, n := range numbers {
		list = append(list, strconv.Itoa(n))
	}
	refused := ""
	for _, value := range sw.Refused {
		refused += " AND t." + duck.Name(sw.Column) + " IS DISTINCT FROM " + duck.Text(value)
	}
	return fmt.Sprintf(`t.%s < $3 AND %s NOT IN
		(SELECT key FROM _sync.seen WHERE schema = $1 AND stream = $2 AND sweep IN (%s))%s`,
		transform.SyncedAtColumn, clause.KeyText("t.", t.Key), strings.Join(list, ", "), refused)
}

// SeenKeys counts the different keys that the sweeps of a stream have read: all of them together, and the last one, number n.
func (w *Sweeps) SeenKeys(ctx context.Context, schema, stream string, n int) (all, last int64, err error) {
	err = w.checkpoints.db.Do("", func(db *duck.DB) error {
		return db.Scan(ctx, "SELECT count(DISTINCT key), count(DISTINCT key) FILTER (sweep = $3) FROM _sync.seen WHERE schema = $1 AND stream = $2",
			[]any{schema, stream, n}, &all, &last)
	})
	return all, last, err
}

// ClearSeenKeys deletes the keys that the sweeps of a stream have read, except those of the given numbers.
func (w *Sweeps) ClearSeenKeys(ctx context.Context, schema, stream string, keep ...int) error {
	return w.checkpoints.db.Do("", func(db *duck.DB) error {
		if any, err := w.hasSeenKeys(ctx, schema, stream); err != nil || !any {
			return err
		}
		list := []string{"-1"}
		for _, n := range keep {
			list = append(list, strconv.Itoa(n))
		}
		_, err := db.Exec(ctx, "DELETE FROM _sync.seen WHERE schema = $1 AND stream = $2 AND sweep NOT IN ("+strings.Join(list, ", ")+")",
			schema, stream)
		return err
	})
}

// hasSeenKeys reports whether keys of a stream are stored in _sync.seen.
func (w *Sweeps) hasSeenKeys(ctx context.Context, schema, stream string) (bool, error) {
	db := w.checkpoints.db.DB
	all, err := duck.Remember(db, "seen", duck.SystemTable("seen"), func() (map[[2]string]bool, error) {
		all := map[[2]string]bool{}
		err := db.Each(ctx, "SELECT DISTINCT schema, stream FROM _sync.seen", nil, func(rows *sql.Rows) error {
			var of [2]string
			err := rows.Scan(&of[0], &of[1])
			all[of] = true
			return err
		})
		return all, err
	})
	return all[[2]string{schema, stream}], err
}
