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
			older += " AND s.__unknown IS NULL"
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
		if err := m.markOtherLists(ctx, g.own, child); err != nil {
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

// markOtherLists marks unchanged records as changed whose stored rows of a list differ from those in the batch.
func (m *commitMerger) markOtherLists(ctx context.Context, own, child stage.Batch) error {
	t := child.Table
	if _, err := m.compareLists(ctx, own, child, isUnchanged, clause.Compared(t)); err != nil {
		return err
	}
	_, err := m.execStatement(ctx, fmt.Sprintf("UPDATE %s AS d SET __state = '%s' FROM %s x WHERE %s", decided, isChanged, otherLists, clause.Matches("d.", own.Table.Key, "x.", t.ParentKey)))
	return err
}

// compareLists finds the records of a state whose stored rows of a list differ from those in the batch, in some columns. It fills otherLists with their
// keys and returns how many there are.
func (m *commitMerger) compareLists(ctx context.Context, own, child stage.Batch, state string, columns []string) (int64, error) {
	t := child.Table
	names := duck.Names("t.", clause.Union(t.ParentKey, columns))
	records := fmt.Sprintf("(SELECT * FROM %s WHERE __state = '%s')", decided, state)
	rows := fmt.Sprintf("SELECT %s, 1 AS __copies FROM %s t SEMI JOIN %s d ON %s", names, clause.Stored(m.schema, t), records, clause.Matches("t.", t.ParentKey, "d.", own.Table.Key))
	if child.Rows > 0 {
		from, err := m.lastCopies(ctx, child, fmt.Sprintf("(SELECT *, rowid AS __place FROM %s WHERE _row IN (SELECT _row FROM %s))", child.Name, records), false)
		if err != nil {
			return 0, err
		}
		rows += " UNION ALL SELECT " + names + ", -1 FROM " + from + " t"
	}
	parent := duck.Names("", t.ParentKey)
	return m.createTemporary(ctx, otherLists, fmt.Sprintf("SELECT DISTINCT %s FROM (SELECT %s FROM (%s) t GROUP BY %s HAVING sum(__copies) <> 0)", parent, names, rows, names))
}
