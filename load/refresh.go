package load

import (
	"context"
	"fmt"
	"strings"

	"aqueduck/load/internal/clause"
	"aqueduck/load/internal/duck"
	"aqueduck/load/internal/stage"
	"aqueduck/transform"
)

// otherLists is the temporary table of the records whose stored lists differ from those of the batch.
const otherLists = "temp.other_lists"

// BeginRefresh deletes the keys that an earlier full refresh of a table has read. The caller runs it before the first
// commit of a new full refresh; one that continues after an interruption does without it.
func (w *Sweeps) BeginRefresh(ctx context.Context, schema, table string) error {
	return w.ClearSeenKeys(ctx, schema, refreshOf(table))
}

// stateExpression is the SQL that decides the state of a record by its stored copy t. A full refresh trusts the source: a
// copy is older only than one that the same refresh has read, and values are compared, since a stored hash may be wrong
// (T172).
func (m *commitMerger) stateExpression(g stagedGroup, doubled bool) string {
	t := g.own.Table
	var s strings.Builder
	s.WriteString("CASE WHEN t." + transform.SyncedAtColumn + " IS NULL THEN '" + isNew + "'")
	if t.Gone {
		s.WriteString(" WHEN t." + transform.GoneColumn + " IS NOT NULL THEN '" + isChanged + "'")
	}
	if t.Newest != "" {
		older := "s." + duck.Name(t.Newest) + " < t." + duck.Name(t.Newest)
		if doubled {
			older += " AND s.unknown IS NULL"
		}
		if g.refresh {
			older += " AND " + metBefore(m, "s.", t)
		}
		s.WriteString(" WHEN " + older + " THEN '" + isOlder + "'")
	}
	same := "s." + transform.HashColumn + " = t." + transform.HashColumn
	if g.refresh {
		same += " AND NOT (" + clause.Differ(t, "s.", "t.") + ")"
	}
	s.WriteString(" WHEN " + same + " THEN '" + isUnchanged + "' ELSE '" + isChanged + "' END")
	return s.String()
}

// completeRefresh completes the decisions of a full refresh: a record is changed also where a stored list has other rows
// than the batch, even if the hashes are equal.
func (m *commitMerger) completeRefresh(ctx context.Context, g stagedGroup) error {
	for _, child := range g.children {
		if !child.Table.Complete {
			continue
		}
		if err := m.compareLists(ctx, g.own, child); err != nil {
			return fmt.Errorf("compare with the stored rows of %s: %w", child.Table.Name, err)
		}
	}
	return nil
}

// noteMet records which keys a full refresh has read. It runs after the merge, which compares with earlier batches only.
func noteMet(ctx context.Context, m *commitMerger, g stagedGroup) error {
	if !g.refresh || g.own.Table.Newest == "" {
		return nil
	}
	_, err := m.execStatement(ctx, fmt.Sprintf("INSERT INTO _sync.seen SELECT $1, $2, %d, %s FROM %s", refreshSweep, clause.KeyText("", g.own.Table.Key), decided),
		m.schema, refreshOf(g.own.Table.Name))
	if err != nil {
		return fmt.Errorf("record which records the refresh has read: %w", err)
	}
	return nil
}

// compareLists marks unchanged records as changed whose stored rows of a list differ from those in the batch.
func (m *commitMerger) compareLists(ctx context.Context, own, child stage.Batch) error {
	t := child.Table
	stored, err := m.work.StoredRows(ctx, m.schema, t.Name)
	if err != nil || stored == 0 && child.Rows == 0 {
		return err
	}
	columns := duck.Names("t.", clause.Union(t.ParentKey, clause.Compared(t)))
	same := fmt.Sprintf("SELECT _row FROM %s WHERE state = '%s'", decided, isUnchanged)
	storedRows := fmt.Sprintf("SELECT %s FROM %s t SEMI JOIN (SELECT * FROM %s WHERE state = '%s') d ON %s", columns, clause.Stored(m.schema, t),
		decided, isUnchanged, clause.Matches("t.", t.ParentKey, "d.", own.Table.Key))
	query := storedRows
	if child.Rows > 0 {
		from, err := m.lastCopies(ctx, child, "(SELECT *, rowid AS place FROM "+child.Name+" WHERE _row IN ("+same+"))", false)
		if err != nil {
			return err
		}
		batchRows := "SELECT " + columns + " FROM " + from + " t"
		query = fmt.Sprintf("(%s EXCEPT %s) UNION ALL (%s EXCEPT %s)", storedRows, batchRows, batchRows, storedRows)
	}
	if _, err := m.execStatement(ctx, fmt.Sprintf("CREATE OR REPLACE TEMP TABLE other_lists AS SELECT DISTINCT %s FROM (%s)", duck.Names("", t.ParentKey), query)); err != nil {
		return err
	}
	_, err = m.execStatement(ctx, fmt.Sprintf("UPDATE %s AS d SET state = '%s' FROM %s x WHERE %s", decided, isChanged, otherLists, clause.Matches("d.", own.Table.Key, "x.", t.ParentKey)))
	return err
}
