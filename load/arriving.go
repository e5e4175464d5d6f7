package load

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"aqueduck/load/internal/clause"
	"aqueduck/load/internal/duck"
	"aqueduck/load/internal/stage"
	"aqueduck/load/tombstone"
	"aqueduck/transform"
)

// forget empties what a commit brings of persons, and rows, that were erased: a tombstone is stronger than whatever still
// comes of them. Where nothing was ever erased it costs nothing, else one look at each id.
func (m *merger) forget(ctx context.Context, batches []transform.Batch) error {
	tombs := m.work.tombs
	if len(tombs.Hashes) == 0 {
		return nil
	}
	if err := m.forgetRows(ctx, batches); err != nil {
		return err
	}
	if len(tombs.Hashes[tombstone.People(m.schema)]) == 0 {
		return nil
	}
	e := m.eraser()
	ids := map[string]bool{}
	for _, b := range batches {
		m.recognise(b, ids)
		if err := m.recogniseReferred(ctx, e, b.Table, ids); err != nil {
			return err
		}
	}
	if len(ids) == 0 {
		return nil
	}
	list := make([]string, 0, len(ids))
	for id := range ids {
		list = append(list, id)
	}
	if err := m.work.fillForgotten(ctx, list); err != nil {
		return err
	}
	m.forgotten = list
	defer m.work.dropForgotten(ctx, e)
	return m.each(func(s *stage.Batch) error {
		_, gone, err := e.empty(ctx, s.Table)
		s.Rows -= gone
		return err
	})
}

// forgetReferring empties stored rows that point to records of this commit: until these came, nothing said that such a row is
// about a person who was erased.
func (m *merger) forgetReferring(ctx context.Context) error {
	if len(m.forgotten) == 0 {
		return nil
	}
	w := m.work
	if err := w.fillForgotten(ctx, m.forgotten); err != nil {
		return err
	}
	e := m.looker()
	defer w.dropForgotten(ctx, e)
	for _, t := range e.tables {
		if m.brings(t.Name) || !m.refers(e, t) {
			continue
		}
		rows, err := e.countLeft(ctx, t)
		if err != nil {
			return fmt.Errorf("%s: %w", t.Name, err)
		}
		if rows == 0 {
			continue
		}
		if err := w.Dir().BeginErasing(); err != nil { // files may be published that have them
			return err
		}
		_, gone, err := e.empty(ctx, t)
		if err != nil {
			return fmt.Errorf("%s: %w", t.Name, err)
		}
		if err := w.countRows(ctx, m.schema, t.Name, -gone, m.stamp); err != nil {
			return err
		}
	}
	return nil
}

// refers says whether records of this commit tell of whom the rows of a table are.
func (m *merger) refers(e *eraser, t transform.Table) bool {
	return slices.ContainsFunc(t.Columns, func(c transform.Column) bool {
		return slices.ContainsFunc(c.Whose, func(name string) bool {
			i := columnAt(t, name)
			if i < 0 {
				return false
			}
			to, ok := e.pointsTo(t.Columns[i])
			return ok && m.brings(to.Name)
		})
	})
}

// eraser works on the staged tables of the commit; of others it reads what is stored.
func (m *merger) eraser() *eraser {
	e := m.looker()
	e.stored, e.args = func() string { return "" }, nil
	return e
}

// looker works on stored tables, and looks at the staged ones of the commit in the place of what they will be merged into.
func (m *merger) looker() *eraser {
	e := m.work.eraser(m.schema, m.stamp)
	stored, arriving := e.at, map[string]string{}
	_ = m.each(func(s *stage.Batch) error { arriving[s.Table.Name] = s.Name; return nil }) // it fails at nothing
	e.at = func(table string) string {
		if name, ok := arriving[table]; ok {
			return name
		}
		if m.brings(table) {
			return "" // without a row in this commit
		}
		return stored(table)
	}
	return e
}

// each visits the staged tables that have rows.
func (m *merger) each(visit func(*stage.Batch) error) error {
	for i := range m.groups {
		g := &m.groups[i]
		if g.own.Rows > 0 {
			if err := visit(&g.own); err != nil {
				return fmt.Errorf("%s: %w", g.own.Table.Name, err)
			}
		}
		for j := range g.children {
			if g.children[j].Rows > 0 {
				if err := visit(&g.children[j]); err != nil {
					return fmt.Errorf("%s: %w", g.children[j].Table.Name, err)
				}
			}
		}
	}
	return nil
}

func (m *merger) brings(table string) bool {
	for _, g := range m.groups {
		if g.own.Table.Name == table || g.child(table).Table.Name == table {
			return true
		}
	}
	return false
}

// recognise adds the ids in a batch that have a tombstone.
func (m *merger) recognise(b transform.Batch, ids map[string]bool) {
	here := tombstone.People(m.schema)
	for _, name := range clause.Persons(b.Table) {
		column := texts(b.Rows, name)
		if column == nil {
			continue
		}
		last, erased := "", false // children of one record often name the same person
		for i := range column.Len() {
			if column.IsNull(i) {
				continue
			}
			id := column.Value(i)
			if id != last {
				last, erased = id, m.work.tombs.Has(here, id)
			}
			if erased && !ids[id] {
				ids[string(append([]byte(nil), id...))] = true // the batch keeps its own memory
			}
		}
	}
}

func texts(rows arrow.RecordBatch, column string) *array.String {
	at := rows.Schema().FieldIndices(column)
	if len(at) == 0 {
		return nil
	}
	values, _ := rows.Column(at[0]).(*array.String)
	return values
}

// recogniseReferred adds the ids of erased persons whom stored records name that rows of the batch point to.
func (m *merger) recogniseReferred(ctx context.Context, e *eraser, t transform.Table, ids map[string]bool) error {
	asked := map[string]bool{}
	for _, c := range t.Columns {
		for _, name := range c.Whose {
			i := columnAt(t, name)
			if i < 0 || t.Columns[i].References == "" || asked[name] || !c.PII || e.at(t.Name) == "" {
				continue
			}
			asked[name] = true
			if err := m.referred(ctx, e, t, t.Columns[i], ids); err != nil {
				return err
			}
		}
	}
	return nil
}

func columnAt(t transform.Table, name string) int {
	for i, c := range t.Columns {
		if c.Name == name && !c.Person {
			return i
		}
	}
	return -1
}

func (m *merger) referred(ctx context.Context, e *eraser, t transform.Table, c transform.Column, ids map[string]bool) error {
	target, ok := e.pointsTo(c)
	if !ok {
		return nil
	}
	for _, other := range e.tables {
		key := other.Key
		if other.Name != target.Name {
			key = other.ParentKey
		}
		if other.Name != target.Name && other.Parent != target.Name || e.at(other.Name) == "" || len(key) != 1 {
			continue
		}
		for _, person := range clause.Persons(other) {
			query := fmt.Sprintf("SELECT DISTINCT %s FROM %s WHERE %s IN (SELECT %s FROM %s) AND %[1]s IS NOT NULL",
				duck.Name(person), e.at(other.Name), duck.Name(key[0]), duck.Name(c.Name), e.at(t.Name))
			err := m.work.db.Each(ctx, query, nil, func(rows *sql.Rows) error {
				var id string
				err := rows.Scan(&id)
				if m.work.tombs.Has(tombstone.People(m.schema), id) {
					ids[id] = true
				}
				return err
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// forgetRows empties the rows of a commit whose text was erased when the source took it out: an older copy still has it.
func (m *merger) forgetRows(ctx context.Context, batches []transform.Batch) error {
	var e *eraser
	for _, b := range batches {
		marks := m.work.tombs.Hashes[tombstone.Scope{Schema: m.schema, Table: b.Table.Name}]
		if len(marks) == 0 || b.Rows.NumRows() == 0 {
			continue
		}
		keys := m.erasedKeys(b)
		if len(keys) == 0 {
			continue
		}
		if e == nil {
			e = m.eraser()
		}
		if err := stage.Fill(ctx, m.work.db, takenOut, b.Table.Key, len(keys), func(i int) []string { return keys[i] }); err != nil {
			return err
		}
		for _, part := range redacting(e.tables, b.Table) {
			if part.table.HistoryOf == "" && e.at(part.table.Name) != "" {
				if _, err := e.apply(ctx, part.table, part.rule); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// erasedKeys gives the keys of the rows of a batch that have a tombstone.
func (m *merger) erasedKeys(b transform.Batch) (keys [][]string) {
	columns := make([]arrow.Array, len(b.Table.Key))
	for i, name := range b.Table.Key {
		at := b.Rows.Schema().FieldIndices(name)
		if len(at) == 0 {
			return nil
		}
		columns[i] = b.Rows.Column(at[0])
	}
	values := make([]string, len(columns))
	for row := range int(b.Rows.NumRows()) {
		for i, c := range columns {
			switch c := c.(type) {
			case *array.String:
				values[i] = c.Value(row)
			case *array.Int64:
				values[i] = strconv.FormatInt(c.Value(row), 10)
			default:
				return nil // rows of tables with such keys have no texts that are taken out
			}
		}
		if m.work.tombs.Has(tombstone.Scope{Schema: m.schema, Table: b.Table.Name}, tombstone.RowKey(values)) {
			copied := make([]string, len(values))
			for i, v := range values {
				copied[i] = string(append([]byte(nil), v...))
			}
			keys = append(keys, copied)
		}
	}
	return keys
}
