package load

import (
	"context"
	"errors"
	"fmt"

	"aqueduck/load/internal/clause"
	"aqueduck/load/internal/duck"
	"aqueduck/transform"
)

// mergeUnkeyed handles the modes without keys: rows are added, and where the batch is all that a window of time has, stored
// ones of the window that it has not go.
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
	changed := min(deleted, added) // rows have no names: one that went and one that came may be one that changed
	m.written.Rows += added
	m.written.New += added - changed
	m.written.Changed += changed
	m.written.Deleted += deleted
	return m.work.CountRows(ctx, m.schema, g.own.Table.Name, added-deleted, m.stamp)
}

// replaceWindow makes the rows of a window those of the batch. Rows are compared by content, each copy with one copy:
// what is stored and comes again stays as it is, so that a window read again in vain changes nothing.
func (m *commitMerger) replaceWindow(ctx context.Context, g stagedGroup) (deleted, added int64, err error) {
	t := g.own.Table
	if t.Newest == "" {
		return 0, 0, errors.New("a window can be replaced only in a table with a time column")
	}
	table, newest := duck.Table(m.schema, t.Name), duck.Name(t.Newest)
	window := fmt.Sprintf("%[1]s >= %[2]s AND %[1]s < %[3]s", newest, clause.Instant(g.window[0]), clause.Instant(g.window[1]))
	if g.own.Rows == 0 {
		deleted, err = m.execStatement(ctx, "DELETE FROM "+table+" WHERE "+window)
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
	if g.refresh { // a hash may lie
		same = "[" + clause.Texts("", append(clause.Compared(t), transform.HashColumn)) + "]"
	}
	const copies = "(SELECT %s AS place, %s AS content, row_number() OVER (PARTITION BY %[2]s) AS copy FROM %s)"
	stored := fmt.Sprintf(copies, "rowid", same, table+" WHERE "+window)
	came := fmt.Sprintf(copies, transform.RowColumn, same, g.own.Name)
	fresh := fmt.Sprintf("CREATE OR REPLACE TEMP TABLE %s AS SELECT c.place FROM %s c ANTI JOIN %s s USING (content, copy)", decided, came, stored)
	if _, err := m.execStatement(ctx, fresh); err != nil {
		return 0, 0, fmt.Errorf("compare with the stored rows: %w", err)
	}
	gone := fmt.Sprintf("DELETE FROM %s WHERE rowid IN (SELECT s.place FROM %s s ANTI JOIN %s c USING (content, copy))", table, stored, came)
	if deleted, err = m.execStatement(ctx, gone); err != nil {
		return 0, 0, fmt.Errorf("delete the rows that the window no longer has: %w", err)
	}
	added, err = m.insertRows(ctx, t, fmt.Sprintf("%s WHERE %s IN (SELECT place FROM %s)", g.own.Name, transform.RowColumn, decided))
	return deleted, added, err
}
