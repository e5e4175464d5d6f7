package load

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"aqueduck/load/internal/clause"
	"aqueduck/load/internal/duck"
	"aqueduck/load/internal/stage"
	"aqueduck/transform"
)

// partialRows is the temporary table of the records whose answer omitted a list or an object, by their row in the batch.
const partialRows = "temp.lacking"

// keepAbsent completes the staged rows with what their answers omitted and is stored: an omitted field is not an empty
// one (T162). All later steps see complete records. A record that then equals the stored one counts as unchanged. Any
// other record is recorded in _sync.incomplete where something was kept, so that later runs ask for it again.
func (m *commitMerger) keepAbsent(ctx context.Context, g stagedGroup, c mergeCounts) (mergeCounts, error) {
	keptItems, err := m.keepItemLists(ctx, g)
	if err != nil {
		return c, err
	}
	t := g.own.Table
	noted, err := partialRecordsQuery(ctx, m.work.DB, m.schema, m.stream)
	// Records noted by an earlier run are looked at even when they are unchanged: a complete answer removes the note. New
	// records are looked at only where the table beside this one may have a copy of them.
	unstored := false
	if err == nil && c.added > 0 {
		unstored, err = m.anyBeside(ctx, t)
	}
	if err == nil && !t.Absent && noted != "" {
		return takeAsComplete(ctx, m, g, noted, c)
	}
	if err != nil || !t.Absent || c.changed == 0 && !unstored && noted == "" {
		return c, err
	}
	n, err := findPartialRecords(ctx, m, g, unstored, noted, keptItems)
	if err == nil && n == 0 {
		err = m.notePartialRecords(ctx, g, noted, false)
	}
	if err != nil || n == 0 {
		return c, err
	}
	absent, err := m.absentIn(ctx, g.own)
	if err != nil {
		return c, err
	}
	if t.Beside != "" {
		from, err := m.markNewerBeside(ctx, g)
		if err == nil && from.beside {
			err = m.keepFrom(ctx, g, absent, from)
		}
		if err != nil {
			return c, fmt.Errorf("keep the values that only %s has: %w", t.Beside, err)
		}
	}
	if err := m.keepFrom(ctx, g, absent, storedCopies{}); err != nil {
		return c, err
	}
	// An answer that says that all of this is empty has the same hash: with another one the row is compared by its columns next time.
	if _, err := m.execStatement(ctx, fmt.Sprintf("UPDATE %s AS s SET %[2]s = xor(s.%[2]s, -1) FROM %[3]s l WHERE l._row = s._row AND (l.__kept OR l.__items)", g.own.Name, transform.HashColumn, partialRows)); err != nil {
		return c, err
	}
	same, err := m.findUnchanged(ctx, g)
	if err != nil {
		return c, fmt.Errorf("compare the complete records: %w", err)
	}
	c.changed, c.unchanged, c.whole = c.changed-same, c.unchanged+same, c.whole && same == 0
	return c, m.notePartialRecords(ctx, g, noted, true)
}

// findPartialRecords fills the temporary table partialRows. unstored says that new records count, too; noted is the query for the records of earlier notes.
func findPartialRecords(ctx context.Context, m *commitMerger, g stagedGroup, unstored bool, noted, keptItems string) (int64, error) {
	condition := fmt.Sprintf("d.__state = '%s'", isChanged)
	if unstored {
		condition = fmt.Sprintf("d.__state IN ('%s', '%s')", isChanged, isNew)
	}
	if noted != "" {
		condition = fmt.Sprintf("(%s OR d.__state = '%s' AND %s IN (%s))", condition, isUnchanged, clause.KeyText("s.", g.own.Table.Key), noted)
	}
	return m.createTemporary(ctx, partialRows, fmt.Sprintf("SELECT s._row, s.%[1]s, %[2]s, false AS __kept, false AS __beside, d.__state <> '%[5]s' AS __news, %[7]s AS __items FROM %[3]s s JOIN %[4]s d ON d._row = s._row WHERE %[6]s AND (s.%[1]s IS NOT NULL OR __items)",
		transform.AbsentColumn, duck.Names("s.", g.own.Table.Key), g.own.Name, decided, isUnchanged, condition, keptItems))
}

// takeAsComplete writes the records that earlier runs noted as partly omitted, and removes the notes: since then, `left_out: empty` says that they are
// complete.
func takeAsComplete(ctx context.Context, m *commitMerger, g stagedGroup, noted string, c mergeCounts) (mergeCounts, error) {
	n, err := m.execStatement(ctx, fmt.Sprintf("UPDATE %s AS d SET __state = '%s' FROM %s s WHERE s._row = d._row AND d.__state = '%s' AND %s IN (%s)", decided, isChanged, g.own.Name, isUnchanged,
		clause.KeyText("s.", g.own.Table.Key), noted))
	if err != nil {
		return c, fmt.Errorf("find the records that are complete now: %w", err)
	}
	c.changed, c.unchanged = c.changed+n, c.unchanged-n
	return c, m.notePartialRecords(ctx, g, noted, false)
}

// anyBeside reports whether the table with other copies of the same records has any row.
func (m *commitMerger) anyBeside(ctx context.Context, t transform.Table) (some bool, err error) {
	if t.Beside != "" {
		err = m.work.DB.Scan(ctx, "SELECT count(*) > 0 FROM _sync.tables WHERE schema = $1 AND table_name = $2 AND rows > 0", []any{m.schema, t.Beside}, &some)
	}
	return some, err
}

// storedCopies says where the stored copies of records are: in their own tables, or in the tables beside them.
type storedCopies struct {
	beside        bool
	sharedColumns map[string]map[string]bool // by table: the columns that both tables have with the same type
}

// tableFor is the table with the stored copies of a table's rows.
func (c storedCopies) tableFor(t transform.Table) string {
	if c.beside {
		return t.Beside
	}
	return t.Name
}

// markNewerBeside marks the records whose newest stored copy is in the table beside theirs. It returns where that table is, or the zero value where it has
// no such copy.
func (m *commitMerger) markNewerBeside(ctx context.Context, g stagedGroup) (storedCopies, error) {
	t := g.own.Table
	columns, err := m.work.StoredColumns(ctx, m.schema)
	if err != nil || len(columns[t.Beside]) == 0 { // that stream has not been read yet
		return storedCopies{}, err
	}
	from := storedCopies{beside: true, sharedColumns: map[string]map[string]bool{}}
	for _, one := range append([]stage.Batch{g.own}, g.children...) {
		both := map[string]bool{}
		for name, kind := range columns[one.Table.Name] {
			both[name] = columns[one.Table.Beside][name] == kind
		}
		from.sharedColumns[one.Table.Name] = both
	}
	n, err := m.execStatement(ctx, fmt.Sprintf("UPDATE %s AS l SET __beside = true FROM %s x WHERE %s AND %s", partialRows, m.work.DB.StoredName(ctx, m.schema, t.Beside),
		clause.Matches("l.", t.Key, "x.", t.Key), clause.NewestBeside(t, clause.Stored(m.schema, t), columns[t.Beside][transform.GoneColumn] != "")))
	if err != nil || n == 0 {
		return storedCopies{}, err
	}
	return from, nil
}

// keepFrom copies the omitted columns and lists from one place of stored copies into the staged rows. absent has the bits of the groups that any
// record omitted.
func (m *commitMerger) keepFrom(ctx context.Context, g stagedGroup, absent uint64, from storedCopies) error {
	if err := m.keepColumns(ctx, g, absent, from); err != nil {
		return fmt.Errorf("keep the columns that the answers omitted: %w", err)
	}
	for _, group := range g.own.Table.Groups {
		if group.Child == "" || absent&group.Bit == 0 {
			continue
		}
		if err := m.keepList(ctx, g, group, from); err != nil {
			return fmt.Errorf("keep the rows of %s, which the answers omitted: %w", group.Child, err)
		}
	}
	return nil
}

// keepColumns fills the columns of omitted objects.
func (m *commitMerger) keepColumns(ctx context.Context, g stagedGroup, absent uint64, from storedCopies) error {
	t := g.own.Table
	var set, kept []string
	for _, group := range t.Groups {
		for _, column := range group.Columns {
			if absent&group.Bit == 0 || from.beside && !from.sharedColumns[t.Name][column] {
				continue
			}
			name := duck.Name(column)
			set = append(set, fmt.Sprintf("%[1]s = CASE WHEN l._absent & %[2]d <> 0 THEN t.%[1]s ELSE s.%[1]s END", name, group.Bit))
			kept = append(kept, fmt.Sprintf("l._absent & %d <> 0 AND t.%s IS NOT NULL", group.Bit, name))
		}
	}
	if len(set) == 0 {
		return nil
	}
	stored := m.work.DB.StoredName(ctx, m.schema, from.tableFor(t)) + " t WHERE " + clause.Matches("l.", t.Key, "t.", t.Key) + fmt.Sprintf(" AND l.__beside = %t", from.beside)
	if _, err := m.execStatement(ctx, fmt.Sprintf("UPDATE %s AS l SET __kept = true FROM %s AND (%s)", partialRows, stored, strings.Join(kept, " OR "))); err != nil {
		return err
	}
	_, err := m.execStatement(ctx, fmt.Sprintf("UPDATE %s AS s SET %s FROM %s l, %s AND l._row = s._row", g.own.Name, strings.Join(set, ", "), partialRows, stored))
	return err
}

// keepList copies the stored rows of an omitted list, and of the lists inside its items, to the staged rows. A list that
// only grows needs no copy from its own table: the merge deletes nothing of it.
func (m *commitMerger) keepList(ctx context.Context, g stagedGroup, list transform.Group, from storedCopies) error {
	i := slices.IndexFunc(g.children, func(s stage.Batch) bool { return s.Table.Name == list.Child })
	if i < 0 {
		return nil
	}
	t := g.children[i].Table
	condition := fmt.Sprintf("%s AND l._absent & %d <> 0 AND l.__beside = %t", clause.Matches("t.", t.ParentKey, "l.", g.own.Table.Key), list.Bit, from.beside)
	_, err := m.execStatement(ctx, fmt.Sprintf("UPDATE %s AS l SET __kept = true WHERE EXISTS (SELECT 1 FROM %s t WHERE %s)", partialRows, m.work.DB.StoredName(ctx, m.schema, from.tableFor(t)), condition))
	if err != nil || !t.Complete && !from.beside {
		return err
	}
	for _, name := range append([]string{t.Name}, withinAll(g, t.Name)...) {
		if err := m.copyStored(ctx, g, name, from, "l._row", partialRows+" l ON "+condition); err != nil {
			return err
		}
	}
	return nil
}

// keepItemLists does the same for lists inside items: an item that came without one keeps its stored rows. kept is the condition that the content hash of a
// record s covers such rows.
func (m *commitMerger) keepItemLists(ctx context.Context, g stagedGroup) (kept string, err error) {
	kept = "false"
	for _, outer := range g.children {
		bits, err := m.absentIn(ctx, outer)
		if err != nil {
			return kept, err
		}
		for _, group := range outer.Table.Groups {
			if bits&group.Bit == 0 {
				continue
			}
			i := slices.IndexFunc(g.children, func(s stage.Batch) bool { return s.Table.Name == group.Child && s.Table.Within == outer.Table.Name })
			if group.Child == "" || i < 0 {
				continue
			}
			inner := g.children[i].Table
			joined := fmt.Sprintf("%s o ON %s AND o.%s & %d <> 0", outer.Name, clause.Matches("t.", inner.WithinKey, "o.", outer.Table.Key), transform.AbsentColumn, group.Bit)
			for _, name := range append([]string{inner.Name}, withinAll(g, inner.Name)...) {
				if err := m.copyStored(ctx, g, name, storedCopies{}, "o._row", joined); err != nil {
					return kept, fmt.Errorf("keep the rows of %s, which the answers omitted: %w", name, err)
				}
			}
			if inner.Complete && g.completeAbove(inner) {
				kept += fmt.Sprintf(" OR s._row IN (SELECT o._row FROM %s t JOIN %s)", clause.Stored(m.schema, inner), joined)
			}
		}
	}
	return kept, nil
}

// absentIn gives the bits of the lists and objects that any row of a staged batch omitted.
func (m *commitMerger) absentIn(ctx context.Context, s stage.Batch) (bits uint64, err error) {
	if !s.Table.Absent || s.Rows == 0 {
		return 0, nil
	}
	var any int64
	err = m.work.DB.Scan(ctx, fmt.Sprintf("SELECT coalesce(bit_or(%s), 0) FROM %s", transform.AbsentColumn, s.Name), nil, &any)
	return uint64(any), err
}

// withinAll gives the tables of all lists inside the items of a list, at any depth.
func withinAll(g stagedGroup, table string) (names []string) {
	for _, child := range g.children {
		if child.Table.Within == table {
			names = append(append(names, child.Table.Name), withinAll(g, child.Table.Name)...)
		}
	}
	return names
}

// copyStored adds stored rows t of a child table to its staged rows. row is the SQL of the staged row's number; joined is
// the relation, with its condition, of the rows that they are kept for.
func (m *commitMerger) copyStored(ctx context.Context, g stagedGroup, table string, from storedCopies, row, joined string) error {
	i := slices.IndexFunc(g.children, func(s stage.Batch) bool { return s.Table.Name == table })
	child := &g.children[i]
	stored, err := m.work.StoredRows(ctx, m.schema, from.tableFor(child.Table))
	if err != nil || stored == 0 {
		return err
	}
	var names, values []string
	for _, c := range child.Table.Columns {
		if c.Name == transform.SyncedAtColumn || c.Name == transform.RunIDColumn {
			continue
		}
		value := "t." + duck.Name(c.Name)
		if from.beside && !from.sharedColumns[table][c.Name] {
			value = "NULL::" + c.SQL
		}
		names, values = append(names, c.Name), append(values, value+" AS "+duck.Name(c.Name))
	}
	source := fmt.Sprintf("SELECT %s AS _row, %s FROM %s t JOIN %s", row, strings.Join(values, ", "), m.work.DB.StoredName(ctx, m.schema, from.tableFor(child.Table)), joined)
	if child.Name == "" {
		name := "temp." + duck.Name("kept_"+table)
		n, err := m.createTemporary(ctx, name, source)
		if err != nil || n == 0 {
			return err
		}
		child.Name, child.Rows, child.Unique = name, n, false
		return nil
	}
	n, err := m.execStatement(ctx, fmt.Sprintf("INSERT INTO %s (_row, %s) %s", child.Name, duck.Names("", names), source))
	child.Rows, child.Unique = child.Rows+n, child.Unique && n == 0
	return err
}

// findUnchanged decides that records are unchanged which, now complete, equal the stored ones, and returns their number.
func (m *commitMerger) findUnchanged(ctx context.Context, g stagedGroup) (int64, error) {
	t := g.own.Table
	var same []string
	if t.Gone { // it returned (T211)
		same = append(same, "t."+transform.GoneColumn+" IS NULL")
	}
	compared := clause.Compared(t)
	for _, name := range compared {
		same = append(same, fmt.Sprintf("s.%[1]s IS NOT DISTINCT FROM t.%[1]s", duck.Name(name)))
	}
	for _, child := range g.children {
		if !child.Table.Complete || child.Table.Within != "" && !g.completeAbove(child.Table) {
			continue
		}
		value := "c." + transform.HashColumn
		if g.refresh { // a stored hash may lie (T172)
			value = "hash(" + duck.Names("c.", clause.Compared(child.Table)) + ")"
		}
		sum := "(SELECT coalesce(sum(" + value + "::HUGEINT), 0) FROM %s c WHERE %s)"
		came := "0"
		if child.Name != "" {
			came = fmt.Sprintf(sum, child.Name, "c._row = s._row")
		}
		same = append(same, came+" = "+fmt.Sprintf(sum, clause.Stored(m.schema, child.Table), clause.Matches("c.", child.Table.ParentKey, "t.", t.Key)))
	}
	from := fmt.Sprintf("FROM %s l, %s s, %s t WHERE l.__news AND s._row = l._row AND %s", partialRows, g.own.Name, clause.Stored(m.schema, t), clause.Matches("t.", t.Key, "s.", t.Key))
	// To compare all columns reads the whole table. Most records have another time, which two columns tell.
	if slices.Contains(compared, t.Newest) {
		var some bool
		query := fmt.Sprintf("SELECT EXISTS (SELECT 1 %[1]s AND s.%[2]s IS NOT DISTINCT FROM t.%[2]s)", from, duck.Name(t.Newest))
		if err := m.work.DB.Scan(ctx, query, nil, &some); err != nil || !some {
			return 0, err
		}
	}
	n, err := m.execStatement(ctx, fmt.Sprintf("UPDATE %s AS d SET __state = '%s' %s AND l._row = d._row AND %s", decided, isUnchanged, from, strings.Join(same, " AND ")))
	if err != nil || n == 0 {
		return 0, err
	}
	_, err = m.execStatement(ctx, fmt.Sprintf("UPDATE %s SET __news = false WHERE _row IN (SELECT _row FROM %s WHERE __state = '%s')", partialRows, decided, isUnchanged))
	return n, err
}

// completeAbove reports whether all lists around a list are complete sets. Then the hash of the record covers the list.
func (g *stagedGroup) completeAbove(t transform.Table) bool {
	for t.Within != "" {
		if t = g.childBatch(t.Within).Table; !t.Complete {
			return false
		}
	}
	return true
}

// notePartialRecords updates the notes in _sync.incomplete. It adds the records that kept something and have changed. It
// removes the records of noted that kept nothing this time.
func (m *commitMerger) notePartialRecords(ctx context.Context, g stagedGroup, noted string, any bool) error {
	t := g.own.Table
	kept := "SELECT NULL WHERE false"
	if any {
		kept = fmt.Sprintf("SELECT DISTINCT %s FROM %s WHERE __kept", clause.KeyText("", t.Key), partialRows)
	}
	var err error
	if noted != "" {
		_, err = m.execStatement(ctx, fmt.Sprintf("DELETE FROM _sync.incomplete WHERE schema = $1 AND stream = $2 AND reason = '%s' AND id IN (SELECT %s FROM %s s JOIN %s d ON d._row = s._row WHERE d.__state <> '%s') AND id NOT IN (%s)",
			transform.OmitsStored, clause.KeyText("s.", t.Key), g.own.Name, decided, isOlder, kept), m.schema, m.stream)
	}
	if err == nil && any {
		_, err = m.execStatement(ctx, fmt.Sprintf("INSERT INTO _sync.incomplete (schema, stream, id, reason, since) SELECT $1, $2, id, '%s', $3 FROM (%s AND __news) AS kept(id) WHERE id NOT IN (SELECT id FROM _sync.incomplete WHERE schema = $1 AND stream = $2)",
			transform.OmitsStored, kept), m.schema, m.stream, m.stamp)
	}
	if err != nil {
		return fmt.Errorf("note the records that were partly omitted: %w", err)
	}
	return nil
}
