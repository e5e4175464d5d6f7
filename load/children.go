package load

import (
	"context"
	"fmt"
	"slices"

	"aqueduck/load/internal/clause"
	"aqueduck/load/internal/duck"
	"aqueduck/load/internal/stage"
	"aqueduck/transform"
)

// mergeChild updates a child table after its parents were decided. For a list inside the items of an incomplete list,
// within is the batch of these items.
func (m *commitMerger) mergeChild(ctx context.Context, g stagedGroup, child stage.Batch, c mergeCounts) error {
	own, within := g.own, g.childBatch(child.Table.Within)
	if child.Table.Complete {
		return m.replaceSets(ctx, g, child, c)
	}
	if child.Table.Within != "" {
		if err := m.removeMissingItems(ctx, own, child, within); err != nil {
			return err
		}
	}
	return m.addItems(ctx, g, child)
}

// replaceSets replaces the lists of changed parents that differ from the stored ones, and adds those of new parents. It skips unchanged parents: their
// hash covers their lists.
func (m *commitMerger) replaceSets(ctx context.Context, g stagedGroup, child stage.Batch, c mergeCounts) error {
	t := child.Table
	stored, err := m.work.StoredRows(ctx, m.schema, t.Name)
	if err != nil || c.added+c.changed == 0 {
		return err
	}
	var deleted, added int64
	written, whole := writtenRows(), c.whole
	if c.changed > 0 && stored > 0 {
		others, err := m.compareLists(ctx, g.own, child, isChanged, listColumns(t, g.refresh))
		if err != nil {
			return fmt.Errorf("compare with the stored children: %w", err)
		}
		if others+c.added == 0 {
			return nil
		}
		deleted, err = m.execStatement(ctx, fmt.Sprintf("DELETE FROM %s t USING %s x WHERE %s", clause.Stored(m.schema, t), otherLists, clause.Matches("t.", t.ParentKey, "x.", t.ParentKey)))
		if err != nil {
			return fmt.Errorf("delete the stored children: %w", err)
		}
		written, whole = fmt.Sprintf("SELECT _row FROM %s d WHERE __state = '%s' OR __state = '%s' AND EXISTS (SELECT 1 FROM %s x WHERE %s)",
			decided, isNew, isChanged, otherLists, clause.Matches("d.", g.own.Table.Key, "x.", t.ParentKey)), false
	}
	if child.Rows > 0 {
		from := child.Name
		if !whole {
			from = "(SELECT *, rowid AS __place FROM " + from + " WHERE _row IN (" + written + "))"
		}
		if from, err = m.lastCopies(ctx, child, from, whole); err != nil {
			return err
		}
		if added, err = m.insertRows(ctx, t, from); err != nil {
			return err
		}
	}
	return m.countChildren(ctx, t, added, deleted)
}

// listColumns are the columns by which the rows of a list are compared with the stored ones. A full refresh compares the values too: a stored hash may be wrong (T172).
func listColumns(t transform.Table, refresh bool) []string {
	if refresh {
		return clause.Compared(t)
	}
	return append(slices.Clone(t.Key), transform.HashColumn)
}

// addItems merges the rows of an incomplete list: it writes new and changed rows and keeps all others. It also moves
// _synced_at of a parent that was not written itself, so that a reader who follows _synced_at sees the change.
func (m *commitMerger) addItems(ctx context.Context, g stagedGroup, child stage.Batch) error {
	if child.Rows == 0 {
		return nil
	}
	t := child.Table
	table := clause.Stored(m.schema, t)
	from := fmt.Sprintf("(SELECT *, rowid AS __place FROM %s WHERE _row IN (SELECT _row FROM %s WHERE __state <> '%s'))",
		child.Name, decided, isOlder)
	from, err := m.lastCopies(ctx, child, from, false)
	if err != nil {
		return err
	}
	// The version of the answer decides what an item means (T67). A full refresh compares the values too: a stored hash may be wrong (T172).
	other := fmt.Sprintf("s.%[1]s IS DISTINCT FROM t.%[1]s OR s.%[2]s IS DISTINCT FROM t.%[2]s", transform.HashColumn, transform.VersionColumn)
	if g.refresh {
		other += " OR " + clause.Differ(t, "s.", "t.")
	}
	differing, err := m.createTemporary(ctx, "temp.items", fmt.Sprintf(`SELECT s.__place, %s, t.%s IS NOT NULL AS __stored
		FROM %s s LEFT JOIN %s t ON %s WHERE t.%[2]s IS NULL OR %[6]s`,
		duck.Names("s.", clause.Union(t.Key, t.ParentKey)), transform.SyncedAtColumn, from, table, clause.Matches("s.", t.Key, "t.", t.Key), other))
	if err != nil {
		return fmt.Errorf("compare with the stored children: %w", err)
	}
	if differing == 0 {
		return nil
	}
	if err := m.hook.BeforeReplace(ctx, child, child.Name+" s WHERE s.rowid IN (SELECT __place FROM temp.items WHERE __stored)"); err != nil {
		return err
	}
	deleted, err := m.execStatement(ctx, fmt.Sprintf("DELETE FROM %s t USING temp.items i WHERE %s AND i.__stored", table, clause.Matches("t.", t.Key, "i.", t.Key)))
	if err != nil {
		return fmt.Errorf("delete the stored children: %w", err)
	}
	added, err := m.insertRows(ctx, t, child.Name+" WHERE rowid IN (SELECT __place FROM temp.items)")
	if err != nil || added == 0 {
		return err
	}
	if err := m.moveParents(ctx, g.own, t, "temp.items"); err != nil {
		return err
	}
	return m.countChildren(ctx, t, added, deleted)
}

// removeMissingItems deletes the stored rows of a nested list that its item no longer has. Items that are not in the
// batch keep theirs.
func (m *commitMerger) removeMissingItems(ctx context.Context, own, child, within stage.Batch) error {
	if within.Rows == 0 {
		return nil
	}
	t := child.Table
	current := fmt.Sprintf("_row IN (SELECT _row FROM %s WHERE __state <> '%s')", decided, isOlder) // of several copies of a record the one that was decided
	still := ""
	if child.Rows > 0 {
		still = fmt.Sprintf(" WHERE NOT EXISTS (SELECT 1 FROM %s s WHERE %s AND s.%s)", child.Name, clause.Matches("s.", t.Key, "t.", t.Key), current)
	}
	leaving, err := m.createTemporary(ctx, "temp.leaving", fmt.Sprintf(`SELECT %s FROM %s t
		SEMI JOIN (SELECT %s FROM %s WHERE %s) w ON %s%s`,
		duck.Names("t.", clause.Union(t.Key, t.ParentKey)), clause.Stored(m.schema, t),
		duck.Names("", within.Table.Key), within.Name, current, clause.Matches("t.", t.WithinKey, "w.", within.Table.Key), still))
	if err != nil {
		return fmt.Errorf("compare with the items of the batch: %w", err)
	}
	if leaving == 0 {
		return nil
	}
	deleted, err := m.execStatement(ctx, fmt.Sprintf("DELETE FROM %s t USING temp.leaving l WHERE %s", clause.Stored(m.schema, t), clause.Matches("t.", t.Key, "l.", t.Key)))
	if err != nil || deleted == 0 {
		return err
	}
	if err := m.moveParents(ctx, own, t, "temp.leaving"); err != nil {
		return err
	}
	return m.countChildren(ctx, t, 0, deleted)
}

// moveParents sets _synced_at of the records whose child rows changed while they did not. t is the child table; rows is
// the relation with its changed rows.
func (m *commitMerger) moveParents(ctx context.Context, own stage.Batch, t transform.Table, rows string) error {
	moved, err := m.execStatement(ctx, fmt.Sprintf("UPDATE %s AS p SET %s = $1, %s = $2 FROM (SELECT DISTINCT %s FROM %s) i WHERE %s AND p.%[2]s < $1",
		clause.Stored(m.schema, own.Table), transform.SyncedAtColumn, transform.RunIDColumn, duck.Names("", t.ParentKey), rows,
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
