package load

import (
	"context"
	"errors"
	"fmt"

	"aqueduck/load/internal/clause"
	"aqueduck/load/internal/duck"
	"aqueduck/load/internal/workdb"
	"aqueduck/transform"
)

// mergeUnkeyed merges a batch of a table without a key. It appends the rows, or replaces a window of time by them.
func (m *commitMerger) mergeUnkeyed(ctx context.Context, g stagedGroup) error {
	var deleted, added int64
	var err error
	switch {
	case g.mode == transform.ReplaceWindow:
		deleted, added, err = m.replaceWindow(ctx, g)
	case g.own.Rows > 0:
		added, err = m.insertRows(ctx, g.own.Table, g.own.Name)
	}
	if err != nil || deleted+added == 0 {
		return err
	}
	changed := min(deleted, added) // without keys, a deleted and an added row count as one changed row
	m.written.Rows += added
	m.written.New += added - changed
	m.written.Changed += changed
	m.written.Deleted += deleted
	return m.work.CountRows(ctx, m.schema, g.own.Table.Name, added-deleted, m.stamp)
}

// replaceWindow replaces the rows of a window by those of the batch. It compares rows by content, each stored copy with
// one copy of the batch. A row that is in both stays as it is, so that reading a window again writes nothing.
func (m *commitMerger) replaceWindow(ctx context.Context, g stagedGroup) (deleted, added int64, err error) {
	t := g.own.Table
	if t.Newest == "" {
		return 0, 0, errors.New("a window can be replaced only in a table with a time column")
	}
	table, newest := clause.Stored(m.schema, t), duck.Name(t.Newest)
	window := fmt.Sprintf("%[1]s >= %[2]s AND %[1]s < %[3]s", newest, clause.Instant(g.window[0]), clause.Instant(g.window[1]))
	if g.own.Rows == 0 {
		rows := " FROM " + table + " WHERE " + window
		deleted, err = m.work.ExecIfAny(ctx, workdb.Probe{SQL: "SELECT 1" + rows}, "DELETE"+rows)
		return deleted, 0, err
	}
	var stray int64
	if err := m.work.DB.Scan(ctx, fmt.Sprintf("SELECT count(*) FILTER ((%s) IS NOT TRUE) FROM %s", window, g.own.Name), nil, &stray); err != nil {
		return 0, 0, err
	}
	if stray > 0 {
		return 0, 0, fmt.Errorf("%d rows are outside the window that they replace", stray)
	}
	same := transform.HashColumn
	if g.refresh { // a stored hash may be wrong (T172)
		same = "[" + clause.Texts("", append(clause.Compared(t), transform.HashColumn)) + "]"
	}
	const copies = "(SELECT %s AS place, %s AS content, row_number() OVER (PARTITION BY %[2]s) AS copy FROM %s)"
	stored := fmt.Sprintf(copies, "rowid", same, table+" WHERE "+window)
	arrived := fmt.Sprintf(copies, transform.RowColumn, same, g.own.Name)
	additions, err := m.createTemporary(ctx, decided, fmt.Sprintf("SELECT c.place FROM %s c ANTI JOIN %s s USING (content, copy)", arrived, stored))
	if err != nil {
		return 0, 0, fmt.Errorf("compare with the stored rows: %w", err)
	}
	gone := fmt.Sprintf("SELECT s.place FROM %s s ANTI JOIN %s c USING (content, copy)", stored, arrived)
	if deleted, err = m.work.ExecIfAny(ctx, workdb.Probe{SQL: gone}, "DELETE FROM "+table+" WHERE rowid IN ("+gone+")"); err != nil {
		return 0, 0, fmt.Errorf("delete the rows that the window no longer has: %w", err)
	}
	if additions == 0 {
		return deleted, 0, nil
	}
	added, err = m.insertRows(ctx, t, fmt.Sprintf("%s WHERE %s IN (SELECT place FROM %s)", g.own.Name, transform.RowColumn, decided))
	return deleted, added, err
}
