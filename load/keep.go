package load

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"aqueduck/load/internal/duck"
	"aqueduck/transform"
)

// lacking is the temporary table of the changed records whose answer left out a list or an object, by their row in the batch.
const lacking = "temp.lacking"

// keepAbsent puts into the staged rows what their answers left out and is stored: absent is not empty. What comes after it sees
// whole records. Of a record that is then as it is stored nothing has changed; of one that is not, it is noted that it was not read
// whole, where there was something to keep.
func (m *merger) keepAbsent(ctx context.Context, g group, c tally) (tally, error) {
	if err := m.keepItemLists(ctx, g); err != nil {
		return c, err
	}
	t := g.own.table
	noted, err := m.notedLeftOut(ctx, t)
	if err != nil || !t.Absent || c.changed == 0 && noted == "" {
		return c, err
	}
	those := fmt.Sprintf("d.state = '%s'", isChanged)
	if noted != "" {
		those = fmt.Sprintf("(%s OR d.state = '%s' AND %s IN (%s))", those, isSame, keyText("s.", t.Key), noted)
	}
	n, err := m.create(ctx, lacking, fmt.Sprintf("SELECT s._row, s.%[1]s AS absent, %[2]s, false AS kept, d.state = '%[5]s' AS news FROM %[3]s s JOIN %[4]s d ON d._row = s._row WHERE %[6]s AND s.%[1]s IS NOT NULL",
		transform.AbsentColumn, duck.Names("s.", t.Key), g.own.name, decided, isChanged, those))
	if err == nil && n == 0 {
		err = m.noteLeftOut(ctx, g, noted, false)
	}
	if err != nil || n == 0 {
		return c, err
	}
	if err := m.keepColumns(ctx, g); err != nil {
		return c, fmt.Errorf("keep the columns that were left out: %w", err)
	}
	for _, group := range t.Groups {
		if group.Child == "" {
			continue
		}
		if err := m.keepList(ctx, g, group); err != nil {
			return c, fmt.Errorf("keep the rows of %s, which were left out: %w", group.Child, err)
		}
	}
	same, err := m.findUnchanged(ctx, g)
	if err != nil {
		return c, fmt.Errorf("compare what is whole now: %w", err)
	}
	c.changed, c.same, c.whole = c.changed-same, c.same+same, c.whole && same == 0
	return c, m.noteLeftOut(ctx, g, noted, true)
}

// create makes a temporary table of a query, and counts its rows.
func (m *merger) create(ctx context.Context, name, query string) (rows int64, err error) {
	if _, err := m.exec(ctx, "CREATE OR REPLACE TEMP TABLE "+name+" AS "+query); err != nil {
		return 0, err
	}
	err = m.work.db.Scan(ctx, "SELECT count(*) FROM "+name, nil, &rows)
	return rows, err
}

// keepColumns fills the columns of objects that were left out.
func (m *merger) keepColumns(ctx context.Context, g group) error {
	t := g.own.table
	var set, kept []string
	for _, group := range t.Groups {
		for _, column := range group.Columns {
			name := duck.Name(column)
			set = append(set, fmt.Sprintf("%[1]s = CASE WHEN l.absent & %[2]d <> 0 THEN t.%[1]s ELSE s.%[1]s END", name, group.Bit))
			kept = append(kept, fmt.Sprintf("l.absent & %d <> 0 AND t.%s IS NOT NULL", group.Bit, name))
		}
	}
	if len(set) == 0 {
		return nil
	}
	stored := duck.Table(m.schema, t.Name)
	_, err := m.exec(ctx, fmt.Sprintf("UPDATE %s AS l SET kept = true FROM %s t WHERE %s AND (%s)",
		lacking, stored, matches("l.", t.Key, "t.", t.Key), strings.Join(kept, " OR ")))
	if err != nil {
		return err
	}
	_, err = m.exec(ctx, fmt.Sprintf("UPDATE %s AS s SET %s FROM %s l, %s t WHERE l._row = s._row AND %s",
		g.own.name, strings.Join(set, ", "), lacking, stored, matches("l.", t.Key, "t.", t.Key)))
	return err
}

// keepList copies the stored rows of a list that was left out, with those of the lists in its items, to the staged ones. A list that
// only grows needs none: nothing of it goes.
func (m *merger) keepList(ctx context.Context, g group, list transform.Group) error {
	i := slices.IndexFunc(g.children, func(s staged) bool { return s.table.Name == list.Child })
	if i < 0 {
		return nil
	}
	t := g.children[i].table
	from := fmt.Sprintf("%s l ON %s AND l.absent & %d <> 0", lacking, matches("t.", t.ParentKey, "l.", g.own.table.Key), list.Bit)
	_, err := m.exec(ctx, fmt.Sprintf("UPDATE %s AS l SET kept = true WHERE l.absent & %d <> 0 AND EXISTS (SELECT 1 FROM %s t WHERE %s)",
		lacking, list.Bit, duck.Table(m.schema, t.Name), matches("t.", t.ParentKey, "l.", g.own.table.Key)))
	if err != nil || !t.Complete {
		return err
	}
	for _, name := range append([]string{t.Name}, withinAll(g, t.Name)...) {
		if err := m.copyStored(ctx, g, name, "l._row", from); err != nil {
			return err
		}
	}
	return nil
}

// keepItemLists does the same for the lists in items: an item that came without one keeps the rows of it.
func (m *merger) keepItemLists(ctx context.Context, g group) error {
	for _, outer := range g.children {
		bits, err := m.absentIn(ctx, outer)
		if err != nil {
			return err
		}
		for _, group := range outer.table.Groups {
			if bits&group.Bit == 0 {
				continue
			}
			i := slices.IndexFunc(g.children, func(s staged) bool { return s.table.Name == group.Child && s.table.Within == outer.table.Name })
			if group.Child == "" || i < 0 {
				continue
			}
			inner := g.children[i].table
			from := fmt.Sprintf("%s o ON %s AND o.%s & %d <> 0", outer.name, matches("t.", inner.WithinKey, "o.", outer.table.Key), transform.AbsentColumn, group.Bit)
			for _, name := range append([]string{inner.Name}, withinAll(g, inner.Name)...) {
				if err := m.copyStored(ctx, g, name, "o._row", from); err != nil {
					return fmt.Errorf("keep the rows of %s, which were left out: %w", name, err)
				}
			}
		}
	}
	return nil
}

// absentIn are the groups that any row of a staged batch was sent without.
func (m *merger) absentIn(ctx context.Context, s staged) (bits uint64, err error) {
	if !s.table.Absent || s.rows == 0 {
		return 0, nil
	}
	var any int64
	err = m.work.db.Scan(ctx, fmt.Sprintf("SELECT coalesce(bit_or(%s), 0) FROM %s", transform.AbsentColumn, s.name), nil, &any)
	return uint64(any), err
}

// withinAll are the tables of the lists that lie in the items of a list, at whatever depth.
func withinAll(g group, table string) (names []string) {
	for _, child := range g.children {
		if child.table.Within == table {
			names = append(append(names, child.table.Name), withinAll(g, child.table.Name)...)
		}
	}
	return names
}

// copyStored adds stored rows t of a child table to the staged ones, joined with those that they are kept for.
func (m *merger) copyStored(ctx context.Context, g group, table, row, joined string) error {
	stored, err := m.work.storedRows(ctx, m.schema, table)
	if err != nil || stored == 0 {
		return err
	}
	i := slices.IndexFunc(g.children, func(s staged) bool { return s.table.Name == table })
	child := &g.children[i]
	var names []string
	for _, c := range child.table.Columns {
		if c.Name != transform.SyncedAtColumn && c.Name != transform.RunIDColumn {
			names = append(names, c.Name)
		}
	}
	source := fmt.Sprintf("SELECT %s AS _row, %s FROM %s t JOIN %s", row, duck.Names("t.", names), duck.Table(m.schema, table), joined)
	if child.name == "" {
		name := "temp." + duck.Name("kept_"+table)
		n, err := m.create(ctx, name, source)
		if err != nil || n == 0 {
			return err
		}
		child.name, child.rows, child.unique = name, n, false
		return nil
	}
	n, err := m.exec(ctx, fmt.Sprintf("INSERT INTO %s (_row, %s) %s", child.name, duck.Names("", names), source))
	child.rows, child.unique = child.rows+n, child.unique && n == 0
	return err
}

// findUnchanged counts the records that are as they are stored now that nothing is left out of them, and decides so.
func (m *merger) findUnchanged(ctx context.Context, g group) (int64, error) {
	t := g.own.table
	var same []string
	for _, name := range told(t) {
		same = append(same, fmt.Sprintf("s.%[1]s IS NOT DISTINCT FROM t.%[1]s", duck.Name(name)))
	}
	for _, child := range g.children {
		if !child.table.Complete || child.table.Within != "" && !g.completeAbove(child.table) {
			continue
		}
		value := "c." + transform.HashColumn
		if g.refresh { // a stored hash may lie (T172)
			value = "hash(" + duck.Names("c.", told(child.table)) + ")"
		}
		sum := "(SELECT coalesce(sum(" + value + "::HUGEINT), 0) FROM %s c WHERE %s)"
		came := "0"
		if child.name != "" {
			came = fmt.Sprintf(sum, child.name, "c._row = s._row")
		}
		same = append(same, came+" = "+fmt.Sprintf(sum, duck.Table(m.schema, child.table.Name), matches("c.", child.table.ParentKey, "t.", t.Key)))
	}
	n, err := m.exec(ctx, fmt.Sprintf(`UPDATE %s AS d SET state = '%s' FROM %s l, %s s, %s t
		WHERE l.news AND l._row = d._row AND s._row = d._row AND %s AND %s`,
		decided, isSame, lacking, g.own.name, duck.Table(m.schema, t.Name), matches("t.", t.Key, "s.", t.Key), strings.Join(same, " AND ")))
	if err != nil || n == 0 {
		return 0, err
	}
	_, err = m.exec(ctx, fmt.Sprintf("UPDATE %s SET news = false WHERE _row IN (SELECT _row FROM %s WHERE state = '%s')", lacking, decided, isSame))
	return n, err
}

// completeAbove reports whether the lists that a list lies in are complete sets, all the way up: then the record's hash covers it.
func (g *group) completeAbove(t transform.Table) bool {
	for t.Within != "" {
		if t = g.child(t.Within).table; !t.Complete {
			return false
		}
	}
	return true
}

// notedLeftOut is the query for the records of the stream that are noted as left out in part; "" where there is none.
func (m *merger) notedLeftOut(ctx context.Context, t transform.Table) (string, error) {
	if len(t.Key) != 1 {
		return "", nil
	}
	of := fmt.Sprintf("FROM _sync.incomplete WHERE schema = %s AND stream = %s AND reason = '%s'", duck.Text(m.schema), duck.Text(m.stream), transform.LeftOut)
	var n int64
	err := m.work.db.Scan(ctx, "SELECT count(*) "+of, nil, &n)
	if err != nil || n == 0 {
		return "", err
	}
	return "SELECT id " + of, nil
}

// noteLeftOut notes the records of which something that is stored was left out, if they have changed or were noted before, and takes
// out those of which nothing is any more.
func (m *merger) noteLeftOut(ctx context.Context, g group, noted string, any bool) error {
	t := g.own.table
	if len(t.Key) != 1 {
		return nil
	}
	kept := "SELECT NULL WHERE false"
	if any {
		kept = fmt.Sprintf("SELECT DISTINCT %s FROM %s WHERE kept", keyText("", t.Key), lacking)
	}
	var err error
	if noted != "" {
		_, err = m.exec(ctx, fmt.Sprintf("DELETE FROM _sync.incomplete WHERE schema = $1 AND stream = $2 AND reason = '%s' AND id IN (SELECT %s FROM %s s JOIN %s d ON d._row = s._row WHERE d.state <> '%s') AND id NOT IN (%s)",
			transform.LeftOut, keyText("s.", t.Key), g.own.name, decided, isOlder, kept), m.schema, m.stream)
	}
	if err == nil && any {
		_, err = m.exec(ctx, fmt.Sprintf("INSERT INTO _sync.incomplete (schema, stream, id, reason, since) SELECT $1, $2, id, '%s', $3 FROM (%s AND news) AS kept(id) WHERE id NOT IN (SELECT id FROM _sync.incomplete WHERE schema = $1 AND stream = $2)",
			transform.LeftOut, kept), m.schema, m.stream, m.stamp)
	}
	if err != nil {
		return fmt.Errorf("note the records of which something was left out: %w", err)
	}
	return nil
}
