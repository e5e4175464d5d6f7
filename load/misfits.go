package load

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
	"aqueduck/load/internal/stage"
	"aqueduck/load/internal/workdb"
	"aqueduck/transform"
)

// Misfits counts values, or records that were kept out whole, that do not fit: of one column and one reason.
type Misfits struct {
	Table, Column, Reason string
	Count                 int64
	New                   int64  // of them: noted by this run
	Key                   string // of one such record
}

// Temporary tables of what did not fit in a batch: as it came, and each once.
const (
	complained = "temp.complained"
	unfit      = "temp.unfit"
)

// noteMisfits has _sync.misfits tell of each record of a batch what did not fit in it, whoever read it before.
func noteMisfits(ctx context.Context, m *commitMerger, g stagedGroup) error {
	t := g.own.Table
	of := "schema = " + duck.Text(m.schema) + " AND record_table = " + duck.Text(t.Name)
	var stored int64
	if err := m.work.DB.Scan(ctx, "SELECT count(*) FROM _sync.misfits WHERE "+of, nil, &stored); err != nil {
		return err
	}
	if stored == 0 && len(g.misfits) == 0 {
		return nil
	}
	columns := []string{"row", "key", "table_name", "column_name", "reason", "count"}
	err := stage.Fill(ctx, m.work.DB, complained, columns, len(g.misfits), func(i int) []string {
		f := g.misfits[i]
		return []string{strconv.FormatInt(f.Row, 10), f.Key, f.Table, f.Column, f.Reason, strconv.FormatInt(f.Count, 10)}
	})
	if err != nil {
		return err
	}
	defer stage.Drop(ctx, m.work.DB, complained, unfit)
	came := "SELECT key FROM " + complained + " WHERE row::BIGINT < 0"
	rows := "SELECT -1 AS row, NULL::VARCHAR AS key WHERE false"
	if g.own.Rows > 0 {
		rows = fmt.Sprintf("SELECT max(_row) AS row, %s AS key FROM %s GROUP BY 2", recordName("", t), g.own.Name)
		came += " UNION ALL SELECT key FROM (" + rows + ")"
	}
	const same = "m.key = u.key AND m.table_name = u.table_name AND m.column_name = u.column_name AND m.reason = u.reason AND m.count = u.count"
	of = "m." + strings.ReplaceAll(of, " AND ", " AND m.")
	for _, statement := range []string{
		fmt.Sprintf(`CREATE OR REPLACE TEMP TABLE %[1]s AS SELECT key, table_name, column_name, reason, whole, sum(n)::BIGINT AS count FROM (
			SELECT r.key, c.table_name, c.column_name, c.reason, false AS whole, c.count::BIGINT AS n FROM %[2]s c JOIN (%[3]s) r ON r.row = c.row::BIGINT
			UNION ALL SELECT key, table_name, column_name, reason, true, count::BIGINT FROM %[2]s WHERE row::BIGINT < 0) GROUP BY ALL`, unfit, complained, rows),
		fmt.Sprintf("DELETE FROM _sync.misfits m WHERE %s AND m.key IN (%s) AND NOT EXISTS (SELECT 1 FROM %s u WHERE %s)", of, came, unfit, same),
		fmt.Sprintf("UPDATE _sync.misfits AS m SET stream = %s, seen_at = %s FROM %s u WHERE %s AND %s", duck.Text(m.stream), clause.Instant(m.stamp), unfit, of, same),
		fmt.Sprintf(`INSERT INTO _sync.misfits (schema, stream, record_table, key, table_name, column_name, reason, whole, count, run_id, seen_at)
			SELECT %s, %s, %s, key, table_name, column_name, reason, whole, count, %s, %s FROM %s u WHERE NOT EXISTS (SELECT 1 FROM _sync.misfits m WHERE %s AND %s)`,
			duck.Text(m.schema), duck.Text(m.stream), duck.Text(t.Name), duck.Text(m.work.RunID()), clause.Instant(m.stamp), unfit, of, same),
	} {
		if _, err := m.execStatement(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// recordName is the text that names a row of a stream's own table: its key, or its content where it has none.
func recordName(prefix string, t transform.Table) string {
	if len(t.Key) == 0 {
		return prefix + transform.HashColumn + "::VARCHAR"
	}
	return clause.KeyText(prefix, t.Key)
}

// DeadLetters tell what came and is not stored, or not whole.
type DeadLetters struct{ db *workdb.Database }

// MisfitStreams gives the streams that have anything that does not fit, as pairs of schema and stream.
func (w *DeadLetters) MisfitStreams(ctx context.Context) (streams map[[2]string]bool, err error) {
	err = w.db.Do("list the streams with dead letters", func(db *duck.DB) error {
		streams = map[[2]string]bool{}
		return db.Each(ctx, "SELECT DISTINCT schema, stream FROM _sync.misfits", nil, func(rows *sql.Rows) error {
			var name [2]string
			err := rows.Scan(&name[0], &name[1])
			streams[name] = true
			return err
		})
	})
	return streams, err
}

// ClearResolvedMisfits forgets what does not fit of a stream of MisfitStreams where it is not stored any more, or fits by now; and so it does with
// the records kept out whole that a complete reading, which began at complete, did not bring again; the zero time: there was none. tables
// are those of the stream, its own first.
func (w *DeadLetters) ClearResolvedMisfits(ctx context.Context, schema, stream string, tables []transform.Table, complete time.Time) error {
	return w.withMisfits(ctx, stream, func(*duck.DB) error {
		return w.forgetMisfits(ctx, schema, misfitsOf(schema, stream), tables[0], complete)
	})
}

// MergeMisfits has a value of a record that two tables hold noted once, of the one beside which the other is, as first met by whichever run
// did so. What does not fit of the streams has been settled.
func (w *DeadLetters) MergeMisfits(ctx context.Context, schema, stream string, tables []transform.Table) error {
	if !tables[0].Copies {
		return nil
	}
	beside := "CASE c.table_name"
	for _, t := range tables {
		if t.Beside != "" {
			beside += " WHEN " + duck.Text(t.Name) + " THEN " + duck.Text(t.Beside)
		}
	}
	same := fmt.Sprintf(`m.schema = c.schema AND m.record_table = %s AND c.record_table = %s AND m.key = c.key AND m.table_name = %s END
		AND m.column_name = c.column_name AND m.reason = c.reason AND m.whole = c.whole`, duck.Text(tables[0].Beside), duck.Text(tables[0].Name), beside)
	return w.withMisfits(ctx, stream, func(db *duck.DB) error {
		_, err := db.Exec(ctx, "UPDATE _sync.misfits AS m SET run_id = least(m.run_id, c.run_id) FROM _sync.misfits c WHERE "+same)
		if err == nil {
			_, err = db.Exec(ctx, "DELETE FROM _sync.misfits c WHERE EXISTS (SELECT 1 FROM _sync.misfits m WHERE "+same+")")
		}
		return err
	})
}

// withMisfits runs what changes the notes of a stream, in one transaction.
func (w *DeadLetters) withMisfits(ctx context.Context, stream string, change func(db *duck.DB) error) error {
	return w.db.Do("update the dead letters of "+stream, func(db *duck.DB) error {
		return db.Transaction(ctx, func() error { return change(db) })
	})
}

func misfitsOf(schema, stream string) string {
	return "schema = " + duck.Text(schema) + " AND stream = " + duck.Text(stream)
}

// Misfits gives what does not fit of a stream, each value once however often it was read, by table, column and reason.
func (w *DeadLetters) Misfits(ctx context.Context, schema, stream string) (list []Misfits, err error) {
	err = w.db.Do("count the dead letters of "+stream, func(db *duck.DB) error {
		return db.Each(ctx, `SELECT table_name, column_name, reason, sum(count)::BIGINT, coalesce(sum(count) FILTER (run_id = $1), 0)::BIGINT, min(key)
			FROM _sync.misfits WHERE `+misfitsOf(schema, stream)+" GROUP BY ALL ORDER BY ALL", []any{w.db.RunID()}, func(rows *sql.Rows) error {
			var m Misfits
			err := rows.Scan(&m.Table, &m.Column, &m.Reason, &m.Count, &m.New, &m.Key)
			list = append(list, m)
			return err
		})
	})
	return list, err
}

// forgetMisfits takes out what is not stored any more, what fits by now, and what a complete reading did not bring again.
func (w *DeadLetters) forgetMisfits(ctx context.Context, schema, of string, own transform.Table, complete time.Time) error {
	if !complete.IsZero() {
		if _, err := w.db.DB.Exec(ctx, "DELETE FROM _sync.misfits WHERE "+of+" AND whole AND seen_at < $1", complete); err != nil {
			return err
		}
	}
	stored := "SELECT " + recordName("", own) + " FROM " + duck.Table(schema, own.Name)
	there := stored
	if own.Gone {
		there += " WHERE " + transform.GoneColumn + " IS NULL"
	}
	if _, err := w.db.DB.Exec(ctx, "DELETE FROM _sync.misfits WHERE "+of+" AND NOT whole AND key NOT IN ("+there+")"); err != nil {
		return err
	}
	var unfit []string
	err := w.db.DB.Each(ctx, "SELECT DISTINCT column_name FROM _sync.misfits WHERE "+of+" AND NOT whole AND table_name = $1", []any{own.Name}, func(rows *sql.Rows) error {
		var name string
		err := rows.Scan(&name)
		unfit = append(unfit, name)
		return err
	})
	if err != nil {
		return err
	}
	for _, c := range own.Columns {
		if !slices.Contains(unfit, c.Name) {
			continue
		}
		// It may have widened, and taken the value that was waiting beside it.
		_, err := w.db.DB.Exec(ctx, "DELETE FROM _sync.misfits WHERE "+of+" AND NOT whole AND table_name = $1 AND column_name = $2 AND reason IN ($3, $4) AND key IN ("+
			stored+" WHERE "+duck.Name(c.Name)+" IS NOT NULL)", own.Name, c.Name, transform.ReasonType, transform.ReasonRange)
		if err != nil {
			return err
		}
	}
	return nil
}
