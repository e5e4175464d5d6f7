package erase

import (
	"context"
	"fmt"
	"slices"

	"aqueduck/load/internal/clause"
	"aqueduck/load/internal/duck"
	"aqueduck/load/internal/stage"
	"aqueduck/load/tombstone"
	"aqueduck/transform"
)

// findOmittedSubjects adds the erased persons that the answers of the commit omit and stored rows name: such a record is still about them (T210). A column
// of the record is completed in its staged row, as the merge does later; the rows of a list are added to m.omitted.
func (m *Arrival) findOmittedSubjects(ctx context.Context, ids map[string]bool) error {
	m.omitted = map[string]string{}
	return m.eachStaged(func(s *stage.Batch) error {
		var bits int64
		if s.Table.Absent {
			if err := m.erasures.db.DB.Scan(ctx, fmt.Sprintf("SELECT coalesce(bit_or(%s), 0) FROM %s", transform.AbsentColumn, s.Name), nil, &bits); err != nil {
				return err
			}
		}
		for _, group := range s.Table.Groups {
			if uint64(bits)&group.Bit == 0 {
				continue
			}
			var err error
			switch {
			case group.Child != "":
				err = m.addOmittedList(ctx, s, group, ids)
			case s.Table.Parent == "":
				err = m.fillOmittedColumns(ctx, s, group, ids)
			}
			if err != nil {
				return fmt.Errorf("what the answers omitted of %s: %w", group.Path, err)
			}
		}
		return nil
	})
}

// storedCopy is a table with stored copies of the rows of another one.
type storedCopy struct {
	relation string
	columns  map[string]string
	newest   string // the condition that the record of a staged row s is to be completed from it
}

// storedCopies gives the stored copies of the rows of a table from which the merge completes the staged records: its own, and those in the table beside it
// where they are the newest.
func (m *Arrival) storedCopies(ctx context.Context, s *stage.Batch, t transform.Table) ([]storedCopy, error) {
	columns, err := m.erasures.db.StoredColumns(ctx, m.schema)
	copies := []storedCopy{{clause.Stored(m.schema, t), columns[t.Name], "true"}}
	if err != nil || t.Beside == "" || len(columns[t.Beside]) == 0 {
		return copies, err
	}
	own, key := s.Table, s.Table.Key
	if own.Parent != "" {
		i := slices.IndexFunc(m.tables, func(o *stage.Batch) bool { return o.Table.Name == own.Parent })
		own, key = m.tables[i].Table, own.ParentKey
	}
	stored := func(name string) string { return m.erasures.db.DB.StoredName(ctx, m.schema, name) }
	newest := fmt.Sprintf("EXISTS (SELECT 1 FROM %s x WHERE %s AND %s)", stored(own.Beside), clause.Matches("x.", own.Key, "s.", key),
		clause.NewestBeside(own, clause.Stored(m.schema, own), columns[own.Beside][transform.GoneColumn] != ""))
	return append(copies, storedCopy{stored(t.Beside), columns[t.Beside], newest}), nil
}

// persons are the columns of a copy that have a person's id.
func (c storedCopy) persons(t transform.Table) []string {
	return slices.DeleteFunc(clause.Persons(t), func(name string) bool { return c.columns[name] == "" })
}

// fillOmittedColumns fills the columns of an object that have a person's id.
func (m *Arrival) fillOmittedColumns(ctx context.Context, s *stage.Batch, group transform.Group, ids map[string]bool) error {
	copies, err := m.storedCopies(ctx, s, s.Table)
	if err != nil {
		return err
	}
	for _, c := range copies {
		for _, person := range c.persons(s.Table) {
			if !slices.Contains(group.Columns, person) {
				continue
			}
			stored := fmt.Sprintf("%s x WHERE s.%s & %d <> 0 AND %s AND %s", c.relation, transform.AbsentColumn, group.Bit, clause.Matches("x.", s.Table.Key, "s.", s.Table.Key), c.newest)
			if err := m.addErased(ctx, fmt.Sprintf("(SELECT x.* FROM %s s, %s)", s.Name, stored), person, ids); err != nil {
				return err
			}
			if _, err := m.erasures.db.DB.Exec(ctx, fmt.Sprintf("UPDATE %s AS s SET %[2]s = x.%[2]s FROM %s", s.Name, duck.Name(person), stored)); err != nil {
				return err
			}
		}
	}
	return nil
}

// addOmittedList adds the stored rows of a list, and of the lists in its items, to the rows that the staged records are judged by.
func (m *Arrival) addOmittedList(ctx context.Context, s *stage.Batch, group transform.Group, ids map[string]bool) error {
	for _, list := range m.tables {
		t := list.Table
		key := t.ParentKey
		if s.Table.Parent != "" {
			key = t.WithinKey
		}
		if !m.lists(t, group.Child) || len(clause.Persons(t)) == 0 || len(key) != len(s.Table.Key) {
			continue
		}
		copies, err := m.storedCopies(ctx, s, t)
		if err != nil {
			return err
		}
		for _, c := range copies {
			names := clause.Union(clause.Union(t.Key, clause.Union(t.ParentKey, t.WithinKey)), c.persons(t))
			stored := fmt.Sprintf("SELECT %s FROM %s x JOIN %s s ON s.%s & %d <> 0 AND %s AND %s", duck.Names("x.", names), c.relation, s.Name, transform.AbsentColumn, group.Bit,
				clause.Matches("x.", key, "s.", s.Table.Key), c.newest)
			for _, person := range c.persons(t) {
				if err := m.addErased(ctx, "("+stored+")", person, ids); err != nil {
					return err
				}
			}
			have := m.omitted[t.Name]
			if have == "" && list.Rows > 0 {
				have = "(SELECT *, rowid FROM " + list.Name + ")"
			}
			if have != "" {
				stored += " UNION ALL BY NAME SELECT * FROM " + have
			}
			m.omitted[t.Name] = "(" + stored + ")"
		}
	}
	return nil
}

// lists reports whether a table is that of a list, or of a list in its items.
func (m *Arrival) lists(t transform.Table, list string) bool {
	for t.Name != list {
		i := slices.IndexFunc(m.tables, func(s *stage.Batch) bool { return t.Within != "" && s.Table.Name == t.Within })
		if i < 0 {
			return false
		}
		t = m.tables[i].Table
	}
	return true
}

// addErased adds the ids in a column that have a tombstone.
func (m *Arrival) addErased(ctx context.Context, relation, column string, ids map[string]bool) error {
	return m.erasures.db.EachValue(ctx, relation, []string{column}, func(values []string) {
		if m.erasures.tombs.Has(tombstone.People(m.schema), values[0]) {
			ids[values[0]] = true
		}
	})
}
