package load

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"aqueduck/load/erase"
	"aqueduck/load/internal/clause"
	"aqueduck/load/internal/duck"
	"aqueduck/load/internal/stage"
	"aqueduck/load/internal/workdb"
	"aqueduck/load/read"
	"aqueduck/transform"
)

// Current says which records of a table with a history exist, as readers see them.
type Current struct {
	Table     transform.Table // the stream's own, with History
	Relations []Derived       // made in this order; the last one has the existing records. None: the table itself has them
	Lifecycle string          // name of the relation in Relations with the column lifecycle; "": none
}

// Derived is a relation that a publish makes, a view or a table: its SELECT, with {schema} and {raw} for the names of the schemas.
type Derived struct{ Name, Kind, SQL string }

// namedRelation matches a relation that the SQL of another one reads.
var namedRelation = regexp.MustCompile(`\{schema\}\.(\w+)`)

// unaligned is the temporary table of the records whose open state in the history differs from what readers see.
const unaligned = "temp.unaligned"

// Histories keep the past states of records: one row for each state, with the time from which and to which it held.
type Histories struct {
	db       *workdb.Database
	erasures *erase.Erasures
}

// AlignHistory makes the open states of a history equal to the records that readers see, as of now on the source's clock.
// A record that disappeared has no open state afterwards, and its last state says what became of it. A record that
// returned, or that another stream changed, has a new open state. So a question about a past instant has the answer that
// readers had then. AlignHistory returns how many states it ended or began.
func (w *Histories) AlignHistory(ctx context.Context, schema string, c Current, now time.Time) (n int64, err error) {
	err = w.db.Do("", func(*duck.DB) error {
		history, err := w.db.Table(schema, c.Table.History)
		if err != nil {
			return err
		}
		changed, err := w.latestChange(ctx, schema, c)
		if err != nil {
			return fmt.Errorf("check whether %s matches the records: %w", history.Name, err)
		}
		if changed == "" {
			return nil
		}
		a := historyAligner{work: w, schema: schema, current: c, history: history, names: map[string]string{}}
		defer a.dropTemporary(ctx)
		n, err = a.alignStates(ctx, now.UTC())
		if err != nil {
			return fmt.Errorf("update %s to match the records: %w", history.Name, err)
		}
		return nil
	})
	return n, err
}

// alignedKey is the key in _sync.meta of the last change that a history was compared with.
func alignedKey(schema, history string) string { return "aligned " + duck.Table(schema, history) }

// latestChange gives the time when the records of a history, or the history, last changed. It gives "" where the history
// was compared since that change.
func (w *Histories) latestChange(ctx context.Context, schema string, c Current) (string, error) {
	query, args := "SELECT coalesce(max(changed_at)::VARCHAR, '') FROM _sync.tables WHERE schema = $1", []any{schema}
	if len(c.Relations) == 0 {
		query += " AND table_name IN ($2, $3)"
		args = append(args, c.Table.Name, c.Table.History)
	}
	var latest, compared string
	if err := w.db.DB.Scan(ctx, query, args, &latest); err != nil {
		return "", err
	}
	err := w.db.DB.Scan(ctx, "SELECT value FROM _sync.meta WHERE key = $1", []any{alignedKey(schema, c.Table.History)}, &compared)
	if err != nil && !errors.Is(err, sql.ErrNoRows) || compared == latest {
		return "", err
	}
	return latest, nil
}

// historyAligner aligns one history with what readers see.
type historyAligner struct {
	work    *Histories
	schema  string
	current Current
	history transform.Table
	names   map[string]string // temporary relations, by the names that they have when they are published
}

// dropTemporary drops the temporary relations. It ignores errors: a relation that stays is replaced by the next one of
// its name.
func (a *historyAligner) dropTemporary(ctx context.Context) {
	stage.Drop(ctx, a.work.db.DB, unaligned)
	for _, r := range a.current.Relations {
		if name, made := a.names[r.Name]; made {
			_, _ = a.work.db.DB.Exec(context.WithoutCancel(ctx), "DROP "+r.Kind+" IF EXISTS "+name)
		}
	}
}

// createRelations makes the relations under temporary names, as a publish would make them now. It returns what stands
// after FROM to read the existing records.
func (a *historyAligner) createRelations(ctx context.Context) (string, error) {
	t := a.current.Table
	if len(a.current.Relations) == 0 {
		if t.Gone {
			return "(SELECT * FROM " + clause.Stored(a.schema, t) + " WHERE " + transform.GoneColumn + " IS NULL)", nil
		}
		return clause.Stored(a.schema, t), nil
	}
	last := ""
	for _, r := range a.current.Relations {
		query := namedRelation.ReplaceAllStringFunc(r.SQL, func(named string) string {
			if temporary, ok := a.names[strings.TrimPrefix(named, "{schema}.")]; ok {
				return temporary
			}
			return named
		})
		query = clause.Bare(query, a.schema)
		if err := read.RequireRead(a.work.db.DB, query); err != nil {
			return "", fmt.Errorf("relation %s: %w", r.Name, err)
		}
		last = "temp.main." + duck.Name("aligning_"+r.Name)
		a.names[r.Name] = last
		if _, err := a.work.db.DB.Exec(ctx, "CREATE OR REPLACE TEMP "+r.Kind+" "+last+" AS "+query); err != nil {
			return "", fmt.Errorf("relation %s: %w", r.Name, err)
		}
	}
	return last, nil
}

func (a *historyAligner) alignStates(ctx context.Context, now time.Time) (n int64, err error) {
	w, t := a.work, a.current.Table
	current, err := a.createRelations(ctx)
	if err != nil {
		return 0, err
	}
	if err := a.findUnaligned(ctx, current); err != nil {
		return 0, err
	}
	stamp := w.db.Stamp()
	err = w.db.DB.Transaction(ctx, func() error {
		ended, err := a.endStates(ctx, now, stamp)
		if err != nil {
			return fmt.Errorf("end states: %w", err)
		}
		begun, err := a.beginStates(ctx, current, now, stamp)
		if err != nil {
			return fmt.Errorf("begin states: %w", err)
		}
		if n = ended + begun; n > 0 {
			if err := w.db.CountRows(ctx, a.schema, a.history.Name, begun, stamp); err != nil {
				return err
			}
		}
		changed, err := w.latestChange(ctx, a.schema, a.current)
		if err != nil {
			return err
		}
		if err := w.db.SaveNames(ctx, alignedKey(a.schema, t.History), []string{changed}); err != nil || n == 0 {
			return err
		}
		return w.db.SaveStamp(ctx, stamp)
	})
	if err == nil && n > 0 {
		w.db.NoteCommit(stamp)
	}
	return n, err
}

// findUnaligned fills the table unaligned: a full join finds open states without a record, records without an open state,
// and pairs that differ.
func (a *historyAligner) findUnaligned(ctx context.Context, current string) error {
	w, t := a.work, a.current.Table
	query := fmt.Sprintf(`CREATE OR REPLACE TEMP TABLE unaligned AS SELECT %s, h.__state IS NOT NULL AS __open, c.__state IS NOT NULL AS __here
		FROM (SELECT %s, hash(%s) AS __state FROM %s WHERE %s IS NULL) h FULL JOIN (SELECT %[2]s, hash(%[6]s) AS __state FROM %[7]s c) c ON %[8]s
		WHERE h.__state IS DISTINCT FROM c.__state`, eitherKey(t.Key), duck.Names("", t.Key), clause.Content("", t), duck.Table(a.schema, a.history.Name), transform.ValidTo,
		clause.Content("c.", t), current, clause.Matches("h.", t.Key, "c.", t.Key))
	if _, err := w.db.DB.Exec(ctx, query); err != nil {
		return fmt.Errorf("compare: %w", err)
	}
	return a.dropErased(ctx)
}

// eitherKey gives the key of a joined pair of rows, one of which may be missing.
func eitherKey(key []string) string {
	names := make([]string, len(key))
	for i, k := range key {
		names[i] = fmt.Sprintf("coalesce(h.%[1]s, c.%[1]s) AS %[1]s", duck.Name(k))
	}
	return strings.Join(names, ", ")
}

// dropErased removes erased persons from the table unaligned, where their rows are deleted from the history as a whole:
// they must not get a state again.
func (a *historyAligner) dropErased(ctx context.Context) error {
	w, t := a.work, a.current.Table
	people := clause.Persons(t)
	if len(people) == 0 || !w.erasures.LeavesNoState(a.schema, a.history) {
		return nil
	}
	for _, column := range people {
		if !strings.Contains("\x00"+strings.Join(t.Key, "\x00")+"\x00", "\x00"+column+"\x00") {
			continue // unaligned has the columns of the key only
		}
		var erased []string
		err := w.db.EachValue(ctx, unaligned, []string{column}, func(values []string) {
			if w.erasures.Erased(a.schema, values[0]) {
				erased = append(erased, duck.Text(values[0]))
			}
		})
		if err != nil || len(erased) == 0 {
			return err
		}
		if _, err := w.db.DB.Exec(ctx, "DELETE FROM "+unaligned+" WHERE "+duck.Name(column)+" IN ("+strings.Join(erased, ", ")+")"); err != nil {
			return err
		}
	}
	return nil
}

// endStates ends the open states of the unaligned records. The states of records that disappeared say what became of
// them.
func (a *historyAligner) endStates(ctx context.Context, now, stamp time.Time) (int64, error) {
	t := a.current.Table
	// A history without a relation that knows more can only say that the record is gone.
	word := duck.Text(transform.LifecycleGone)
	if name, ok := a.names[a.current.Lifecycle]; ok {
		word = fmt.Sprintf("coalesce((SELECT any_value(l.lifecycle) FROM %s l WHERE %s), %s)", name, clause.Matches("l.", t.Key, "u.", t.Key), word)
	}
	return a.work.db.DB.Exec(ctx, fmt.Sprintf(`UPDATE %s AS h SET %s = greatest($1, h.%s + to_microseconds(1)), %s = CASE WHEN NOT u.__here THEN u.__word END, %s = $2, %s = $3
		FROM (SELECT *, %s AS __word FROM %s u WHERE u.__open) u WHERE h.%[2]s IS NULL AND %[9]s`, duck.Table(a.schema, a.history.Name), transform.ValidTo, transform.ValidFrom,
		transform.Lifecycle, transform.SyncedAtColumn, transform.RunIDColumn, word, unaligned, clause.Matches("h.", t.Key, "u.", t.Key)), now, stamp, a.work.db.RunID())
}

// beginStates begins a state of each existing unaligned record. It begins after the end of the record's last state, so
// that no two states overlap.
func (a *historyAligner) beginStates(ctx context.Context, current string, now, stamp time.Time) (int64, error) {
	t := a.current.Table
	columns, newest := sharedColumns(a.history), "NULL"
	if t.Newest != "" {
		newest = "c." + duck.Name(t.Newest)
	}
	history := duck.Table(a.schema, a.history.Name)
	return a.work.db.DB.Exec(ctx, fmt.Sprintf(`INSERT INTO %s (%s, %s, %s, %s, %s)
		SELECT %s, greatest($1, (SELECT greatest(max(h.%[11]s), max(h.%[3]s) + to_microseconds(1)) FROM %[1]s h WHERE %[8]s)), %[9]s, $2, $3
		FROM %[10]s c JOIN %[12]s u ON %[13]s WHERE u.__here`,
		history, duck.Names("", columns), transform.ValidFrom, transform.SourceUpdatedAt, transform.SyncedAtColumn, transform.RunIDColumn,
		duck.Names("c.", columns), clause.Matches("h.", t.Key, "c.", t.Key), newest, current, transform.ValidTo, unaligned, clause.Matches("c.", t.Key, "u.", t.Key)),
		now, stamp, a.work.db.RunID())
}

// FreezeHistories ends the open states of histories that the configuration no longer keeps, where their tables are still
// read. Without it such a history would claim that its last states still hold. It returns how many states it ended, by
// history.
func (w *Histories) FreezeHistories(ctx context.Context, schema string, now time.Time) (ended map[string]int64, err error) {
	err = w.db.Do("end the states of removed histories", func(db *duck.DB) error {
		ended = map[string]int64{}
		stamp := w.db.Stamp()
		err := db.Transaction(ctx, func() error {
			for _, h := range w.db.UnmanagedHistories(schema) {
				n, err := db.Exec(ctx, fmt.Sprintf("UPDATE %s SET %s = greatest($1, %s + to_microseconds(1)), %s = $2, %s = $3 WHERE %[2]s IS NULL",
					duck.Table(schema, h.Name), transform.ValidTo, transform.ValidFrom, transform.SyncedAtColumn, transform.RunIDColumn), now.UTC(), stamp, w.db.RunID())
				if err != nil {
					return fmt.Errorf("%s: %w", h.Name, err)
				}
				if n == 0 {
					continue
				}
				ended[h.Name] = n
				if err := w.db.CountRows(ctx, schema, h.Name, 0, stamp); err != nil {
					return err
				}
			}
			if len(ended) == 0 {
				return nil
			}
			return w.db.SaveStamp(ctx, stamp)
		})
		if err != nil {
			return err
		}
		if len(ended) > 0 {
			w.db.NoteCommit(stamp)
		}
		return nil
	})
	return ended, err
}
