package load

import (
	"context"
	"fmt"
	"slices"
	"time"

	"aqueduck/load/internal/clause"
	"aqueduck/load/internal/duck"
	"aqueduck/load/internal/workdb"
	"aqueduck/transform"
)

// states is the temporary table of the states of a batch's records, in the order of reading, each with its interval. The
// last stored state of a record comes first, with _row -1.
const states = "temp.states"

// keepStates adds the states of a batch to the history of its table, before its rows are written. A copy older than one
// that was read before it comes from a replica that lags, and is not a state. Equal states in a row are one state, so
// that reading again adds nothing (T154).
func (m *commitMerger) keepStates(ctx context.Context, g stagedGroup) error {
	t := g.own.Table
	if t.History == "" {
		return nil
	}
	history, err := m.work.Table(m.schema, t.History)
	if err != nil {
		return err
	}
	if err := m.findStates(ctx, g); err != nil {
		return fmt.Errorf("compare with the stored states: %w", err)
	}
	name := duck.Table(m.schema, history.Name)
	ended, err := m.execStatement(ctx, fmt.Sprintf(`UPDATE %s AS h SET %s = s.__until, %s = $1, %s = $2 FROM %s s
		WHERE s._row < 0 AND s.__until IS NOT NULL AND h.%[2]s IS NULL AND %[6]s`, name, transform.ValidTo, transform.SyncedAtColumn, transform.RunIDColumn,
		states, clause.Matches("h.", t.Key, "s.", t.Key)), m.stamp, m.work.RunID())
	if err != nil {
		return fmt.Errorf("end the states before: %w", err)
	}
	shared := sharedColumns(history)
	newest := "NULL"
	if t.Newest != "" {
		newest = "b." + duck.Name(t.Newest)
	}
	added, err := m.execStatement(ctx, fmt.Sprintf("INSERT INTO %s (%s, %s, %s, %s, %s, %s) SELECT %s, s.__since, %s, s.__until, $1, $2 FROM %s s JOIN %s b ON b._row = s._row",
		name, duck.Names("", shared), transform.ValidFrom, transform.SourceUpdatedAt, transform.ValidTo, transform.SyncedAtColumn, transform.RunIDColumn,
		duck.Names("b.", shared), newest, states, g.own.Name), m.stamp, m.work.RunID())
	if err != nil || added+ended == 0 {
		return err
	}
	m.written.Rows += added
	return m.work.CountRows(ctx, m.schema, history.Name, added, m.stamp)
}

// sharedColumns are the columns that a history shares with its table.
func sharedColumns(history transform.Table) []string {
	var names []string
	for _, c := range history.Columns {
		if !slices.Contains(append(transform.HistoryColumns(), transform.SyncedAtColumn, transform.RunIDColumn), c.Name) {
			names = append(names, c.Name)
		}
	}
	return names
}

// findStates fills the temporary table states. A state begins when its answer was read, and at least a microsecond after
// the state before it: the server's clock has whole seconds, and one second may show several states.
func (m *commitMerger) findStates(ctx context.Context, g stagedGroup) error {
	own, t := g.own, g.own.Table
	key, live := duck.Names("", t.Key), ""
	if t.Gone {
		live = " AND s." + transform.GoneColumn + " IS NULL"
	} else {
		// A state that AlignHistory ended says what became of the record. Only AlignHistory knows when such a record is back.
		live = fmt.Sprintf(" AND NOT coalesce((SELECT arg_max(h.%s IS NOT NULL, h.%s) FROM %s h WHERE %s), false)", transform.Lifecycle, transform.ValidFrom,
			duck.Table(m.schema, t.History), clause.Matches("h.", t.Key, "s.", t.Key))
	}
	newest, before := "NULL", ""
	if t.Dated != "" {
		newest = "s." + duck.Name(t.Dated)
		before = ", max(" + newest + ") OVER (PARTITION BY " + duck.Names("s.", t.Key) + " ORDER BY s._row ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)"
	}
	if t.Newest != "" {
		last := "(SELECT max(t." + duck.Name(t.Newest) + ") FROM " + clause.Stored(m.schema, t) + " t WHERE " + clause.Matches("t.", t.Key, "s.", t.Key) + ")"
		if g.refresh { // only a copy that this refresh has read itself can prove that another is older (T172)
			last = "CASE WHEN " + metBefore(m, "s.", t) + " THEN " + last + " END"
		}
		before += ", " + last
	}
	// seen: the states in the batch, and the last stored one. changed: without older copies and repetitions. placed: the
	// number of each state, in microseconds. begun: the latest of all times so far, each plus the microseconds from its
	// number to this one, which keeps the times strictly increasing.
	query := fmt.Sprintf(`CREATE OR REPLACE TEMP TABLE states AS
		WITH seen AS (
			SELECT s._row, %[1]s, s.%[2]s AS __came, %[3]s AS __state, %[4]s < greatest(NULL::TIMESTAMPTZ%[5]s) AS __older FROM %[6]s s WHERE true%[7]s
			UNION ALL
			SELECT -1, %[8]s, coalesce(h.%[13]s, h.%[9]s), CASE WHEN h.%[13]s IS NULL THEN %[10]s END, false FROM %[11]s h SEMI JOIN %[6]s s ON %[12]s
			QUALIFY row_number() OVER (PARTITION BY %[8]s ORDER BY h.%[9]s DESC) = 1),
		changed AS (SELECT * EXCLUDE (__state, __older) FROM seen WHERE __older IS NOT true
			QUALIFY _row < 0 OR __state IS DISTINCT FROM lag(__state) OVER (PARTITION BY %[14]s ORDER BY _row)),
		placed AS (SELECT *, to_microseconds(row_number() OVER (PARTITION BY %[14]s ORDER BY _row)) AS __place FROM changed),
		begun AS (SELECT *, __place + max(__came - __place) OVER (PARTITION BY %[14]s ORDER BY _row) AS __since FROM placed)
		SELECT _row, %[14]s, __since, lead(__since) OVER (PARTITION BY %[14]s ORDER BY _row) AS __until FROM begun`,
		duck.Names("s.", t.Key), transform.ReadAtColumn, clause.Content("s.", t), newest, before, own.Name, live,
		duck.Names("h.", t.Key), transform.ValidFrom, clause.Content("h.", t), duck.Table(m.schema, t.History),
		clause.Matches("h.", t.Key, "s.", t.Key), transform.ValidTo, key)
	_, err := m.execStatement(ctx, query)
	return err
}

// endStates ends the open states of soft-deleted records, at the time when the source was found not to have them.
func endStates(ctx context.Context, w *workdb.Database, schema string, t transform.Table, stamp time.Time) error {
	if t.History == "" || !t.Gone {
		return nil
	}
	history, table := duck.Table(schema, t.History), clause.Stored(schema, t)
	ends := fmt.Sprintf("h.%s IS NULL AND t.%s IS NOT NULL AND %s", transform.ValidTo, transform.GoneColumn, clause.Matches("h.", t.Key, "t.", t.Key))
	probe := workdb.Probe{SQL: fmt.Sprintf("SELECT 1 FROM %s h, %s t WHERE %s", history, table, ends)}
	n, err := w.ExecIfAny(ctx, probe, fmt.Sprintf(`UPDATE %s AS h SET %s = greatest(t.%s, h.%s + to_microseconds(1)), %s = $1, %s = $2, %s = '%s' FROM %s t WHERE %s`,
		history, transform.ValidTo, transform.GoneColumn, transform.ValidFrom,
		transform.SyncedAtColumn, transform.RunIDColumn, transform.Lifecycle, transform.LifecycleGone, table, ends), stamp, w.RunID())
	if err != nil || n == 0 {
		return err
	}
	return w.CountRows(ctx, schema, t.History, 0, stamp)
}
