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

// DeadLetterCount counts the values, or the rejected records, that did not fit a column for one reason.
type DeadLetterCount struct {
	Table, Column, Reason string
	Count                 int64
	New                   int64  // of them: recorded first by this run
	Key                   string // key of one such record
}

// Temporary tables of the values of a batch that did not fit: as the decoder reported them, and each once.
const (
	reportedLetters = "temp.complained"
	distinctLetters = "temp.unfit"
)

// noteDeadLetters makes _sync.misfits say what does not fit in each record of a batch, and no more: a record that is read
// again may fit now. An entry that is still true keeps the run that recorded it first.
func noteDeadLetters(ctx context.Context, m *commitMerger, g stagedGroup) error {
	if g.own.Rows == 0 && len(g.deadLetters) == 0 {
		return nil
	}
	t := g.own.Table
	of := "schema = " + duck.Text(m.schema) + " AND record_table = " + duck.Text(t.Name)
	var stored int64
	if err := m.work.DB.Scan(ctx, "SELECT count(*) FROM _sync.misfits WHERE "+of, nil, &stored); err != nil {
		return err
	}
	if stored == 0 && len(g.deadLetters) == 0 {
		return nil
	}
	columns := []string{"row", "key", "table_name", "column_name", "reason", "count"}
	err := stage.Fill(ctx, m.work.DB, reportedLetters, columns, len(g.deadLetters), func(i int) []string {
		f := g.deadLetters[i]
		return []string{strconv.FormatInt(f.Row, 10), f.Key, f.Table, f.Column, f.Reason, strconv.FormatInt(f.Count, 10)}
	})
	if err != nil {
		return err
	}
	defer stage.Drop(ctx, m.work.DB, reportedLetters, distinctLetters)
	arrived := "SELECT key FROM " + reportedLetters + " WHERE row::BIGINT < 0"
	rows := "SELECT -1 AS row, NULL::VARCHAR AS key WHERE false"
	if g.own.Rows > 0 {
		rows = fmt.Sprintf("SELECT max(_row) AS row, %s AS key FROM %s GROUP BY 2", recordName("", t), g.own.Name)
		arrived += " UNION ALL SELECT key FROM (" + rows + ")"
	}
	const same = "m.key = u.key AND m.table_name = u.table_name AND m.column_name = u.column_name AND m.reason = u.reason AND m.count = u.count"
	of = "m." + strings.ReplaceAll(of, " AND ", " AND m.")
	for _, statement := range []string{
		fmt.Sprintf(`CREATE OR REPLACE TEMP TABLE %[1]s AS SELECT key, table_name, column_name, reason, whole, sum(n)::BIGINT AS count FROM (
			SELECT r.key, c.table_name, c.column_name, c.reason, false AS whole, c.count::BIGINT AS n FROM %[2]s c JOIN (%[3]s) r ON r.row = c.row::BIGINT
			UNION ALL SELECT key, table_name, column_name, reason, true, count::BIGINT FROM %[2]s WHERE row::BIGINT < 0) GROUP BY ALL`, distinctLetters, reportedLetters, rows),
		fmt.Sprintf("DELETE FROM _sync.misfits m WHERE %s AND m.key IN (%s) AND NOT EXISTS (SELECT 1 FROM %s u WHERE %s)", of, arrived, distinctLetters, same),
		fmt.Sprintf("UPDATE _sync.misfits AS m SET stream = %s, seen_at = %s FROM %s u WHERE %s AND %s", duck.Text(m.stream), clause.Instant(m.stamp), distinctLetters, of, same),
		fmt.Sprintf(`INSERT INTO _sync.misfits (schema, stream, record_table, key, table_name, column_name, reason, whole, count, run_id, seen_at)
			SELECT %s, %s, %s, key, table_name, column_name, reason, whole, count, %s, %s FROM %s u WHERE NOT EXISTS (SELECT 1 FROM _sync.misfits m WHERE %s AND %s)`,
			duck.Text(m.schema), duck.Text(m.stream), duck.Text(t.Name), duck.Text(m.work.RunID()), clause.Instant(m.stamp), distinctLetters, of, same),
	} {
		if _, err := m.execStatement(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// recordName is the text that identifies a row of a stream's own table: its key, or its content hash where it has no key.
func recordName(prefix string, t transform.Table) string {
	if len(t.Key) == 0 {
		return prefix + transform.HashColumn + "::VARCHAR"
	}
	return clause.KeyText(prefix, t.Key)
}

// DeadLetters are the values and records that did not fit, and the records that are stored incompletely.
type DeadLetters struct{ db *workdb.Database }

// AffectedStreams gives the streams that have dead letters, as pairs of schema and stream.
func (w *DeadLetters) AffectedStreams(ctx context.Context) (streams map[[2]string]bool, err error) {
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

// ClearResolved deletes the dead letters of a stream whose record is no longer stored, or whose column has a value by
// now. It also deletes rejected records that a complete reading, which began at complete, did not bring again; the zero
// time says that there was none. tables are those of the stream, its own first.
func (w *DeadLetters) ClearResolved(ctx context.Context, schema, stream string, tables []transform.Table, complete time.Time) error {
	return w.updateDeadLetters(ctx, stream, func(*duck.DB) error {
		return w.deleteResolved(ctx, schema, stream, tables[0], complete)
	})
}

// MergeCopies keeps one entry of a value that two tables hold copies of: that of the table in Beside, with the earlier of
// both runs. The caller has run ClearResolved for both streams.
func (w *DeadLetters) MergeCopies(ctx context.Context, schema, stream string, tables []transform.Table) error {
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
	return w.updateDeadLetters(ctx, stream, func(db *duck.DB) error {
		_, err := db.Exec(ctx, "UPDATE _sync.misfits AS m SET run_id = least(m.run_id, c.run_id) FROM _sync.misfits c WHERE "+same)
		if err == nil {
			_, err = db.Exec(ctx, "DELETE FROM _sync.misfits c WHERE EXISTS (SELECT 1 FROM _sync.misfits m WHERE "+same+")")
		}
		return err
	})
}

// updateDeadLetters runs a change of a stream's dead letters in one transaction.
func (w *DeadLetters) updateDeadLetters(ctx context.Context, stream string, change func(db *duck.DB) error) error {
	return w.db.Do("update the dead letters of "+stream, func(db *duck.DB) error {
		return db.Transaction(ctx, func() error { return change(db) })
	})
}

func deadLettersOf(schema, stream string) string {
	return "schema = " + duck.Text(schema) + " AND stream = " + duck.Text(stream)
}

// CountByColumn counts the dead letters of a stream by table, column and reason. A value counts once, however often it
// was read.
func (w *DeadLetters) CountByColumn(ctx context.Context, schema, stream string) (list []DeadLetterCount, err error) {
	err = w.db.Do("count the dead letters of "+stream, func(db *duck.DB) error {
		return db.Each(ctx, `SELECT table_name, column_name, reason, sum(count)::BIGINT, coalesce(sum(count) FILTER (run_id = $1), 0)::BIGINT, min(key)
			FROM _sync.misfits WHERE `+deadLettersOf(schema, stream)+" GROUP BY ALL ORDER BY ALL", []any{w.db.RunID()}, func(rows *sql.Rows) error {
			var m DeadLetterCount
			err := rows.Scan(&m.Table, &m.Column, &m.Reason, &m.Count, &m.New, &m.Key)
			list = append(list, m)
			return err
		})
	})
	return list, err
}

// deleteResolved deletes the dead letters of ClearResolved. It compares them with the stored rows only where one of both has changed since the last time.
func (w *DeadLetters) deleteResolved(ctx context.Context, schema, stream string, own transform.Table, complete time.Time) error {
	of, key := deadLettersOf(schema, stream), workdb.ComparedLetters+schema+"."+stream
	if !complete.IsZero() {
		if _, err := w.db.DB.Exec(ctx, "DELETE FROM _sync.misfits WHERE "+of+" AND whole AND seen_at < $1", complete); err != nil {
			return err
		}
	}
	compared, err := workdb.ReadFact(ctx, w.db.DB, key)
	if err != nil {
		return err
	}
	state, err := w.comparedState(ctx, schema, of, own)
	if err != nil || state == compared {
		return err
	}
	if err := w.deleteByRows(ctx, schema, of, own); err != nil {
		return err
	}
	if state, err = w.comparedState(ctx, schema, of, own); err != nil {
		return err
	}
	return workdb.NoteFact(ctx, w.db.DB, key, state)
}

// comparedState is another text after any change of the rows of a table, of its columns, or of the dead letters of its rows.
func (w *DeadLetters) comparedState(ctx context.Context, schema, of string, own transform.Table) (state string, err error) {
	err = w.db.DB.Scan(ctx, `SELECT concat_ws(' ', (SELECT concat_ws(':', rows, epoch_us(changed_at)) FROM _sync.tables WHERE schema = $1 AND table_name = $2),
		count(*), bit_xor(hash(key, table_name, column_name, reason))) FROM _sync.misfits WHERE NOT whole AND `+of, []any{schema, own.Name}, &state)
	state += " " + duck.Names("", own.Key)
	for _, c := range own.Columns {
		state += " " + duck.Name(c.Name) + " " + c.SQL
	}
	return state, err
}

// deleteByRows deletes the dead letters whose record is no longer stored, or whose column has a value by now.
func (w *DeadLetters) deleteByRows(ctx context.Context, schema, of string, own transform.Table) error {
	// Of the stored keys, only those of dead letters are collected: a large workspace has more than fit into memory.
	stored := fmt.Sprintf("SELECT %[1]s FROM %[2]s WHERE %[1]s IN (SELECT key FROM _sync.misfits WHERE %[3]s AND NOT whole)", recordName("", own), clause.Stored(schema, own), of)
	present := stored
	if own.Gone {
		present += " AND " + transform.GoneColumn + " IS NULL"
	}
	if _, err := w.db.DB.Exec(ctx, "DELETE FROM _sync.misfits WHERE "+of+" AND NOT whole AND key NOT IN ("+present+")"); err != nil {
		return err
	}
	affected, err := w.db.DB.ScanTexts(ctx, "SELECT DISTINCT column_name FROM _sync.misfits WHERE "+of+" AND NOT whole AND table_name = $1", own.Name)
	if err != nil {
		return err
	}
	for _, c := range own.Columns {
		if !slices.Contains(affected, c.Name) {
			continue
		}
		// The column may have widened since, and taken the value from _extra.
		_, err := w.db.DB.Exec(ctx, "DELETE FROM _sync.misfits WHERE "+of+" AND NOT whole AND table_name = $1 AND column_name = $2 AND reason IN ($3, $4) AND key IN ("+
			stored+" AND "+duck.Name(c.Name)+" IS NOT NULL)", own.Name, c.Name, transform.ReasonType, transform.ReasonRange)
		if err != nil {
			return err
		}
	}
	return nil
}
