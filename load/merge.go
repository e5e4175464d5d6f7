package load

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"aqueduck/load/internal/clause"
	"aqueduck/load/internal/duck"
	"aqueduck/load/internal/stage"
	"aqueduck/load/internal/workdb"
	"aqueduck/schemas"
	"aqueduck/transform"
)

// stageBatches copies all batches into temporary tables. It runs before the transaction: temporary tables do not belong
// to the file, so a failure here leaves nothing to undo.
func (m *commitMerger) stageBatches(ctx context.Context, batches []transform.Batch) error {
	for i, b := range batches {
		s := stage.Batch{Table: b.Table}
		if b.Rows.NumRows() > 0 {
			var err error
			if s, err = stage.New(ctx, m.work.DB, fmt.Sprintf("stage_%d", i), b); err != nil {
				return err
			}
		}
		if b.Table.Parent == "" {
			m.groups = append(m.groups, stagedGroup{own: s, mode: b.Mode, window: b.Window, sweep: b.Sweep, seen: b.Seen, feeds: b.ChildStreams, gone: goneRows(b) > 0, refresh: b.Refresh, redactedIDs: b.RedactedIDs, deadLetters: b.DeadLetters, incomplete: b.Incomplete, completed: b.Completed})
			m.answeredSets = append(m.answeredSets, answeredIDs{b.Answered, b.AskedAt})
			continue
		}
		last := len(m.groups) - 1
		if last < 0 || m.groups[last].own.Table.Name != b.Table.Parent {
			return fmt.Errorf("the batch of %s does not follow that of its parent %s", b.Table.Name, b.Table.Parent)
		}
		m.groups[last].children = append(m.groups[last].children, s)
	}
	if err := m.hook.AfterStaging(ctx, batches, m.stagedTables()); err != nil {
		return fmt.Errorf("keep erased persons out of the batches: %w", err)
	}
	return nil
}

// stagedTables gives all tables of the commit, also those without rows.
func (m *commitMerger) stagedTables() (all []*stage.Batch) {
	for i := range m.groups {
		g := &m.groups[i]
		all = append(all, &g.own)
		for j := range g.children {
			all = append(all, &g.children[j])
		}
	}
	return all
}

// goneRows counts the rows that only say that their record is gone.
func goneRows(b transform.Batch) int {
	at := b.Rows.Schema().FieldIndices(transform.GoneColumn)
	if !b.Table.Gone || len(at) == 0 {
		return 0
	}
	column := b.Rows.Column(at[0])
	return column.Len() - column.NullN()
}

// dropStaged drops the temporary tables of the commit.
func (m *commitMerger) dropStaged(ctx context.Context) {
	var names []string
	for _, g := range m.groups {
		for _, s := range append(g.children, g.own) {
			if s.Name != "" {
				names = append(names, s.Name)
			}
		}
	}
	if len(names) > 0 { // without staged rows the merge has made no table
		stage.Drop(ctx, m.work.DB, append(names, decided, "temp.gone", "temp.items", "temp.leaving", states, partialRows, otherLists, places)...)
	}
}

func (m *commitMerger) mergeGroups(ctx context.Context) (Written, error) {
	if err := dequeueAnswered(ctx, m); err != nil {
		return Written{}, err
	}
	for _, g := range m.groups {
		if err := noteIncomplete(ctx, m, g); err != nil {
			return Written{}, err
		}
		if err := noteDeadLetters(ctx, m, g); err != nil {
			return Written{}, fmt.Errorf("record dead letters: %w", err)
		}
		// The merge overwrites stored texts. What the source redacted can only be found before it.
		if err := m.hook.BeforeMerge(ctx, g.own.Table, g.redactedIDs); err != nil {
			return Written{}, fmt.Errorf("find what the source redacted in %s: %w", g.own.Table.Name, err)
		}
		if err := m.mergeGroup(ctx, g); err != nil {
			return Written{}, fmt.Errorf("merge %s: %w", g.own.Table.Name, err)
		}
	}
	if err := m.hook.AfterMerge(ctx, m.stamp); err != nil {
		return Written{}, fmt.Errorf("erase stored rows of erased persons: %w", err)
	}
	emptied, err := m.hook.BeforeCommit(ctx, m.stamp)
	if err != nil {
		return Written{}, fmt.Errorf("record redactions: %w", err)
	}
	m.written.Rows += emptied
	m.written.Changed += emptied
	return m.written, nil
}

func (m *commitMerger) mergeGroup(ctx context.Context, g stagedGroup) error {
	if g.mode != transform.Merge {
		return m.mergeUnkeyed(ctx, g)
	}
	if err := recordSeenKeys(ctx, m, g); err != nil {
		return err
	}
	if g.own.Rows == 0 {
		return nil
	}
	return mergeRounds(ctx, m, g)
}

// mergeRecords merges the records of a batch, with their lists.
func (m *commitMerger) mergeRecords(ctx context.Context, g stagedGroup) error {
	before := m.written.Rows
	counts, err := m.decideRecords(ctx, g)
	if err != nil {
		return err
	}
	// In this order: the rows are completed from the stored ones, then compared with the history, then written. Child
	// rows come after their parents, and soft deletes last, since a batch may have a record and its deletion.
	if counts, err = m.keepAbsent(ctx, g, counts); err != nil {
		return err
	}
	if err := m.keepStates(ctx, g); err != nil {
		return fmt.Errorf("%s: %w", g.own.Table.History, err)
	}
	if err := m.writeOwn(ctx, g, counts); err != nil {
		return err
	}
	for _, child := range g.children {
		if err := m.mergeChild(ctx, g, child, counts); err != nil {
			return fmt.Errorf("%s: %w", child.Table.Name, err)
		}
	}
	if err := noteMet(ctx, m, g); err != nil {
		return err
	}
	if g.gone {
		if err := m.markGone(ctx, g.own); err != nil {
			return err
		}
		if err := endStates(ctx, m.work, m.schema, g.own.Table, m.stamp); err != nil {
			return err
		}
		if err := dropGoneNotes(ctx, m.work.DB, m.schema, m.stream, g.own.Table); err != nil {
			return err
		}
	}
	if m.written.Rows == before {
		return nil
	}
	return enqueueWritten(ctx, m, g)
}

// recordSeenKeys records the keys that a full-list sweep has read, including those of unchanged records.
func recordSeenKeys(ctx context.Context, m *commitMerger, g stagedGroup) error {
	if g.sweep == 0 {
		return nil
	}
	const into = "INSERT INTO _sync.seen SELECT DISTINCT $1, $2, $3::INTEGER, "
	if g.own.Rows > 0 {
		_, err := m.execStatement(ctx, fmt.Sprintf(into+"%s FROM %s", clause.KeyText("", g.own.Table.Key), g.own.Name), m.schema, m.stream, g.sweep)
		if err != nil {
			return err
		}
	}
	if len(g.seen) == 0 {
		return nil
	}
	_, err := m.execStatement(ctx, into+"unnest(string_split($4, $5))", m.schema, m.stream, g.sweep, strings.Join(g.seen, clause.Separator), clause.Separator)
	return err
}

// decideRecords fills the table decided: for each key the winning copy in the batch, and whether it is new, changed,
// unchanged or older.
func (m *commitMerger) decideRecords(ctx context.Context, g stagedGroup) (mergeCounts, error) {
	t := g.own.Table
	live := g.own.Name
	if g.gone {
		live = "(SELECT * FROM " + live + " WHERE " + transform.GoneColumn + " IS NULL)"
	}
	doubled, err := m.hasDuplicateKeys(ctx, g.own, live)
	if err != nil {
		return mergeCounts{}, err
	}
	candidates := live
	if doubled {
		candidates = clause.NewestCopies(live, t)
	}
	stored, err := m.work.StoredRows(ctx, m.schema, t.Name)
	if err != nil {
		return mergeCounts{}, err
	}
	state := m.stateExpression(g, doubled)
	if !doubled && !g.gone && !g.refresh && g.own.Rows <= stored/fewOfStored {
		if same, err := decideUnchanged(ctx, m, g, state); err != nil || same {
			return mergeCounts{unchanged: g.own.Rows}, err
		}
	}
	keys := duck.Names("s.", t.Key)
	query := fmt.Sprintf("SELECT s._row, %s, '%s' AS __state FROM %s s", keys, isNew, candidates)
	if stored > 0 {
		query = fmt.Sprintf("SELECT s._row, %s, %s AS __state FROM %s s LEFT JOIN %s t ON %s",
			keys, state, candidates, clause.Stored(m.schema, t), clause.Matches("s.", t.Key, "t.", t.Key))
	}
	if _, err := m.execStatement(ctx, "CREATE OR REPLACE TEMP TABLE "+decided+" AS "+query); err != nil {
		return mergeCounts{}, fmt.Errorf("compare with the stored rows: %w", err)
	}
	if g.refresh && stored > 0 {
		if err := m.completeRefresh(ctx, g); err != nil {
			return mergeCounts{}, err
		}
	}
	return m.countDecisions(ctx, g)
}

// fewOfStored is how many times more rows than a batch a table has for which decideUnchanged is tried.
const fewOfStored = 128

// decideUnchanged fills the table decided if each record of a batch is stored without a difference, and reports whether that is so. A quiet night
// brings only records that are read once more. Their stored rows have the same times, so DuckDB skips most of the table. A key that is wrongly stored twice
// counts once.
func decideUnchanged(ctx context.Context, m *commitMerger, g stagedGroup, state string) (bool, error) {
	t := g.own.Table
	column := orderColumn(t)
	if column == "" {
		return false, nil
	}
	var first, last sql.NullInt64 // microseconds: a year may have more than four digits
	query := fmt.Sprintf("SELECT epoch_us(min(%[1]s)), epoch_us(max(%[1]s)) FROM %[2]s", duck.Name(column), g.own.Name)
	if err := m.work.DB.Scan(ctx, query, nil, &first, &last); err != nil || !last.Valid {
		return false, err
	}
	found, err := m.createTemporary(ctx, decided, fmt.Sprintf("SELECT DISTINCT s._row, %s, '%s' AS __state FROM %s s JOIN %s t ON %s WHERE t.%s BETWEEN make_timestamptz(%d) AND make_timestamptz(%d) AND %s = '%s'",
		duck.Names("s.", t.Key), isUnchanged, g.own.Name, clause.Stored(m.schema, t), clause.Matches("s.", t.Key, "t.", t.Key),
		duck.Name(column), first.Int64, last.Int64, state, isUnchanged))
	if err != nil {
		return false, fmt.Errorf("compare with the stored rows of the same times: %w", err)
	}
	return found == g.own.Rows, nil
}

// orderColumn is the column with the times by which the rows of a table mostly come; "" where it has none.
func orderColumn(t transform.Table) string {
	for _, name := range []string{t.Newest, "updated_at", "created_at"} {
		if slices.ContainsFunc(t.Columns, func(c transform.Column) bool { return c.Name == name && c.Type == schemas.Timestamp }) {
			return name
		}
	}
	return ""
}

// countDecisions counts the records by their decision.
func (m *commitMerger) countDecisions(ctx context.Context, g stagedGroup) (c mergeCounts, err error) {
	err = m.work.DB.Each(ctx, "SELECT __state, count(*) FROM "+decided+" GROUP BY __state", nil, func(rows *sql.Rows) error {
		var state string
		var n int64
		if err := rows.Scan(&state, &n); err != nil {
			return err
		}
		into := map[string]*int64{isNew: &c.added, isChanged: &c.changed, isUnchanged: &c.unchanged, isOlder: &c.older}
		*into[state] = n
		return nil
	})
	c.whole = c.added+c.changed == g.own.Rows
	return c, err
}

// writeOwn replaces changed records and adds new ones.
func (m *commitMerger) writeOwn(ctx context.Context, g stagedGroup, c mergeCounts) error {
	t := g.own.Table
	if c.added+c.changed == 0 {
		return nil
	}
	if c.changed > 0 {
		if err := m.hook.BeforeReplace(ctx, g.own, fmt.Sprintf("%s s WHERE s._row IN (SELECT _row FROM %s WHERE __state = '%s')", g.own.Name, decided, isChanged)); err != nil {
			return err
		}
	}
	if c.changed > 0 {
		_, err := m.execStatement(ctx, fmt.Sprintf("DELETE FROM %s t USING %s d WHERE %s AND d.__state = '%s'",
			clause.Stored(m.schema, t), decided, clause.Matches("t.", t.Key, "d.", t.Key), isChanged))
		if err != nil {
			return fmt.Errorf("delete the stored copies: %w", err)
		}
	}
	rows := g.own.Name
	if !c.whole {
		rows += " WHERE _row IN (" + writtenRows() + ")"
	}
	n, err := m.insertRows(ctx, t, rows)
	if err != nil {
		return err
	}
	m.written.Rows += n
	m.written.New += c.added
	m.written.Changed += c.changed
	return m.work.CountRows(ctx, m.schema, t.Name, c.added, m.stamp)
}

// markGone applies the rows that say that their record is gone. The stored row keeps its content and gets the time in
// _gone_at. A record that was never stored gets a row with nothing else. A record that is gone already gets the new time:
// it is the answer to a new question. A record that a later row of the batch has again is not gone.
func (m *commitMerger) markGone(ctx context.Context, own stage.Batch) error {
	t, gone := own.Table, transform.GoneColumn
	key := duck.Names("", t.Key)
	_, err := m.execStatement(ctx, fmt.Sprintf(`CREATE OR REPLACE TEMP TABLE gone AS SELECT %[1]s, max(_row) AS _row, max_by(%[2]s, _row) AS __at
		FROM %[3]s GROUP BY %[1]s HAVING max(_row) = max(_row) FILTER (%[2]s IS NOT NULL)`, key, gone, own.Name))
	if err != nil {
		return err
	}
	table := clause.Stored(m.schema, t)
	newly := fmt.Sprintf("%s AND t.%s IS DISTINCT FROM g.__at", clause.Matches("t.", t.Key, "g.", t.Key), gone)
	probe := workdb.Probe{SQL: "SELECT 1 FROM " + table + " t, temp.gone g WHERE " + newly}
	marked, err := m.work.ExecIfAny(ctx, probe, fmt.Sprintf("UPDATE %s AS t SET %s = g.__at, %s = $1, %s = $2 FROM temp.gone g WHERE %s",
		table, gone, transform.SyncedAtColumn, transform.RunIDColumn, newly), m.stamp, m.work.RunID())
	if err != nil {
		return fmt.Errorf("soft-delete the gone records: %w", err)
	}
	added, err := m.insertRows(ctx, t, fmt.Sprintf("%s s WHERE _row IN (SELECT _row FROM temp.gone g WHERE NOT EXISTS (SELECT 1 FROM %s t WHERE %s))",
		own.Name, table, clause.Matches("t.", t.Key, "g.", t.Key)))
	if err != nil || marked+added == 0 {
		return err
	}
	m.written.Rows += marked + added
	m.written.New += added
	m.written.Changed += marked
	return m.work.CountRows(ctx, m.schema, t.Name, added, m.stamp)
}
