package load

import (
	"context"
	"fmt"

	"aqueduck/load/internal/clause"
	"aqueduck/load/internal/duck"
	"aqueduck/load/internal/stage"
	"aqueduck/transform"
)

// mergeChild brings a child table in line with what became of its parents. Of a child inside an incomplete one, within is
// the batch of the items that its lists lie in.
func (m *commitMerger) mergeChild(ctx context.Context, g stagedGroup, child stage.Batch, c mergeCounts) error {
	own, within := g.own, g.childBatch(child.Table.Within)
	if child.Table.Complete {
		return m.replaceSets(ctx, own, child, c)
	}
	if child.Table.Within != "" {
		if err := m.leaveItems(ctx, own, child, within); err != nil {
			return err
		}
	}
	return m.addItems(ctx, g, child)
}

// replaceSets replaces the children of changed parents and adds those of new ones. Parents that stay as they are have
// the same children: their hash covers them.
func (m *commitMerger) replaceSets(ctx context.Context, own, child stage.Batch, c mergeCounts) error {
	if c.added+c.changed == 0 {
		return nil
	}
	t := child.Table
	var deleted, added int64
	stored, err := m.work.StoredRows(ctx, m.schema, t.Name)
	if err != nil {
		return err
	}
	if c.changed > 0 && stored > 0 {
		deleted, err = m.execStatement(ctx, fmt.Sprintf("DELETE FROM %s t USING %s d WHERE %s AND d.state = '%s'",
			duck.Table(m.schema, t.Name), decided, clause.Matches("t.", t.ParentKey, "d.", own.Table.Key), isChanged))
		if err != nil {
			return fmt.Errorf("delete the stored children: %w", err)
		}
	}
	if child.Rows > 0 {
		from := child.Name
		if !c.whole {
			from = "(SELECT *, rowid AS place FROM " + from + " WHERE _row IN (" + writtenRows() + "))"
		}
		if from, err = m.lastCopies(ctx, child, from, c.whole); err != nil {
			return err
		}
		if added, err = m.insertRows(ctx, t, from); err != nil {
			return err
		}
	}
	return m.countChildren(ctx, t, added, deleted)
}

// addItems adds to child sets that are not complete: rows that are new or have other content are written, the others
// stay. A parent that was not written itself moves its _synced_at with them.
func (m *commitMerger) addItems(ctx context.Context, g stagedGroup, child stage.Batch) error {
	if child.Rows == 0 {
		return nil
	}
	t := child.Table
	table := duck.Table(m.schema, t.Name)
	from := fmt.Sprintf("(SELECT *, rowid AS place FROM %s WHERE _row IN (SELECT _row FROM %s WHERE state <> '%s'))",
		child.Name, decided, isOlder)
	from, err := m.lastCopies(ctx, child, from, false)
	if err != nil {
		return err
	}
	other := fmt.Sprintf("s.%[1]s IS DISTINCT FROM t.%[1]s", transform.HashColumn)
	if g.refresh {
		other += " OR " + clause.Differ(t, "s.", "t.")
	}
	_, err = m.execStatement(ctx, fmt.Sprintf(`CREATE OR REPLACE TEMP TABLE items AS SELECT s.place, %s, t.%s IS NOT NULL AS stored
		FROM %s s LEFT JOIN %s t ON %s WHERE t.%[2]s IS NULL OR %[6]s`,
		duck.Names("s.", clause.Union(t.Key, t.ParentKey)), transform.SyncedAtColumn, from, table, clause.Matches("s.", t.Key, "t.", t.Key), other))
	if err != nil {
		return fmt.Errorf("compare with the stored children: %w", err)
	}
	if err := m.hook.BeforeReplace(ctx, child, child.Name+" s WHERE s.rowid IN (SELECT place FROM temp.items WHERE stored)"); err != nil {
		return err
	}
	deleted, err := m.execStatement(ctx, fmt.Sprintf("DELETE FROM %s t USING temp.items i WHERE %s AND i.stored", table, clause.Matches("t.", t.Key, "i.", t.Key)))
	if err != nil {
		return fmt.Errorf("delete the stored children: %w", err)
	}
	added, err := m.insertRows(ctx, t, child.Name+" WHERE rowid IN (SELECT place FROM temp.items)")
	if err != nil || added == 0 {
		return err
	}
	if err := m.moveParents(ctx, g.own, t, "temp.items"); err != nil {
		return err
	}
	return m.countChildren(ctx, t, added, deleted)
}

// leaveItems takes out the stored rows that an item no longer has. Items that did not come keep theirs.
func (m *commitMerger) leaveItems(ctx context.Context, own, child, within stage.Batch) error {
	if within.Rows == 0 {
		return nil
	}
	t := child.Table
	counting := fmt.Sprintf("_row IN (SELECT _row FROM %s WHERE state <> '%s')", decided, isOlder) // of copies of a record the one
	still := ""
	if child.Rows > 0 {
		still = fmt.Sprintf(" WHERE NOT EXISTS (SELECT 1 FROM %s s WHERE %s AND s.%s)", child.Name, clause.Matches("s.", t.Key, "t.", t.Key), counting)
	}
	_, err := m.execStatement(ctx, fmt.Sprintf(`CREATE OR REPLACE TEMP TABLE leaving AS SELECT %s FROM %s t
		SEMI JOIN (SELECT %s FROM %s WHERE %s) w ON %s%s`,
		duck.Names("t.", clause.Union(t.Key, t.ParentKey)), duck.Table(m.schema, t.Name),
		duck.Names("", within.Table.Key), within.Name, counting, clause.Matches("t.", t.WithinKey, "w.", within.Table.Key), still))
	if err != nil {
		return fmt.Errorf("compare with the items that came: %w", err)
	}
	deleted, err := m.execStatement(ctx, fmt.Sprintf("DELETE FROM %s t USING temp.leaving l WHERE %s", duck.Table(m.schema, t.Name), clause.Matches("t.", t.Key, "l.", t.Key)))
	if err != nil || deleted == 0 {
		return err
	}
	if err := m.moveParents(ctx, own, t, "temp.leaving"); err != nil {
		return err
	}
	return m.countChildren(ctx, t, 0, deleted)
}

// moveParents moves the _synced_at of records that were not written themselves, with those of their rows in a table t.
func (m *commitMerger) moveParents(ctx context.Context, own stage.Batch, t transform.Table, rows string) error {
	moved, err := m.execStatement(ctx, fmt.Sprintf("UPDATE %s AS p SET %s = $1, %s = $2 FROM (SELECT DISTINCT %s FROM %s) i WHERE %s AND p.%[2]s < $1",
		duck.Table(m.schema, own.Table.Name), transform.SyncedAtColumn, transform.RunIDColumn, duck.Names("", t.ParentKey), rows,
		clause.Matches("p.", own.Table.Key, "i.", t.ParentKey)), m.stamp, m.work.RunID())
	if err != nil {
		return fmt.Errorf("update the parents: %w", err)
	}
	if moved == 0 {
		return nil
	}
	m.written.Rows += moved
	m.written.Changed += moved
	return m.work.CountRows(ctx, m.schema, own.Table.Name, 0, m.stamp)
}

func (m *commitMerger) countChildren(ctx context.Context, t transform.Table, added, deleted int64) error {
	if added+deleted == 0 {
		return nil
	}
	m.written.Rows += added
	m.written.ChildRows += added
	m.written.Deleted += deleted
	return m.work.CountRows(ctx, m.schema, t.Name, added-deleted, m.stamp)
}
