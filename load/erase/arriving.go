package erase

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"aqueduck/load/internal/clause"
	"aqueduck/load/internal/duck"
	"aqueduck/load/internal/stage"
	"aqueduck/load/tombstone"
	"aqueduck/transform"
)

// Arrival applies erasures to one commit. The commit calls its methods in this order: AfterStaging, for each table
// BeforeMerge and BeforeReplace, then AfterMerge and BeforeCommit, and AfterCommit once the transaction is durable.
type Arrival struct {
	erasures *Erasures
	schema   string
	stamp    time.Time
	tables   []*stage.Batch // all staged tables of the commit, also those without rows

	erased   []string          // erased persons that the batches, or the stored rows of their records, name
	omitted  map[string]string // by list: the staged rows, with the stored rows that answers omitted
	redacted sourceRedactions
}

// NewArrival begins a commit of a schema.
func NewArrival(w *Erasures, schema string) *Arrival { return &Arrival{erasures: w, schema: schema} }

// AfterStaging empties the staged rows about erased persons, and the staged texts that the source redacted: a tombstone
// is stronger than any later copy (T35). It subtracts deleted rows from the tables' number of rows. Without tombstones it
// costs nothing, else one lookup for each id.
func (m *Arrival) AfterStaging(ctx context.Context, batches []transform.Batch, tables []*stage.Batch) error {
	m.tables = tables
	tombs := m.erasures.tombs
	if len(tombs.Hashes) == 0 {
		return nil
	}
	if err := m.emptyRedactedRows(ctx, batches); err != nil {
		return err
	}
	if len(tombs.Hashes[tombstone.People(m.schema)]) == 0 {
		return nil
	}
	ids := map[string]bool{}
	if err := m.findOmittedSubjects(ctx, ids); err != nil {
		return err
	}
	e := m.stagedEraser()
	for _, b := range batches {
		m.findSubjects(b, ids)
		if err := m.findReferencedSubjects(ctx, e, b.Table, ids); err != nil {
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
	if err := m.erasures.fillSubjects(ctx, list); err != nil {
		return err
	}
	m.erased = list
	defer m.erasures.dropSubjects(ctx, e)
	staged, arrived := map[string]*stage.Batch{}, []transform.Table{}
	_ = m.eachStaged(func(s *stage.Batch) error { staged[s.Table.Name], arrived = s, append(arrived, s.Table); return nil }) // this visit cannot fail
	found, err := e.findRows(ctx, arrived)
	if err != nil {
		return err
	}
	return e.changeRows(ctx, found, func(t transform.Table, _, gone int64) error { staged[t.Name].Rows -= gone; return nil })
}

// AfterMerge empties stored rows that point to records of this commit. Until these records came, nothing said that such a
// row is about an erased person.
func (m *Arrival) AfterMerge(ctx context.Context, stamp time.Time) error {
	m.stamp = stamp
	if len(m.erased) == 0 {
		return nil
	}
	w := m.erasures
	if err := w.fillSubjects(ctx, m.erased); err != nil {
		return err
	}
	e := m.storedEraser()
	defer w.dropSubjects(ctx, e)
	found, err := e.findRows(ctx, slices.DeleteFunc(slices.Clone(e.tables), func(t transform.Table) bool { return m.hasTable(t.Name) || !m.resolvesSubjects(e, t) }))
	if err != nil || len(found) == 0 {
		return err
	}
	if err := w.db.Dir().BeginErasing(); err != nil { // published files may have these rows
		return err
	}
	return e.changeRows(ctx, found, func(t transform.Table, _, gone int64) error {
		return w.db.CountRows(ctx, m.schema, t.Name, -gone, m.stamp)
	})
}

// resolvesSubjects reports whether records of this commit say which person the rows of a table are about.
func (m *Arrival) resolvesSubjects(e *subjectEraser, t transform.Table) bool {
	return slices.ContainsFunc(t.Columns, func(c transform.Column) bool {
		return slices.ContainsFunc(c.Subjects, func(name string) bool {
			i := columnAt(t, name)
			if i < 0 {
				return false
			}
			to, ok := e.pointsTo(t.Columns[i])
			return ok && m.hasTable(to.Name)
		})
	})
}

// stagedEraser changes the staged tables of the commit. It reads all other tables as they are stored.
func (m *Arrival) stagedEraser() *subjectEraser {
	e := m.storedEraser()
	e.stampClause, e.args = func() string { return "" }, nil
	return e
}

// storedEraser changes stored tables. It reads the staged tables of the commit in place of the tables that they will be
// merged into.
func (m *Arrival) storedEraser() *subjectEraser {
	e := m.erasures.newEraser(m.schema, m.stamp)
	stored, arriving := e.relationOf, map[string]string{}
	_ = m.eachStaged(func(s *stage.Batch) error { arriving[s.Table.Name] = s.Name; return nil }) // this visit cannot fail
	e.relationOf = func(table string) string {
		if name, ok := arriving[table]; ok {
			return name
		}
		if m.hasTable(table) {
			return "" // without a row in this commit
		}
		return stored(table)
	}
	e.omitted = m.omitted
	for i, t := range e.tables {
		if m.hasTable(t.Name) {
			e.tables[i].Left = nil // staged rows have no column that the file has lost
		}
	}
	return e
}

// eachStaged visits the staged tables that have rows, and names the table in an error.
func (m *Arrival) eachStaged(visit func(*stage.Batch) error) error {
	for _, s := range m.tables {
		if s.Rows == 0 {
			continue
		}
		if err := visit(s); err != nil {
			return fmt.Errorf("%s: %w", s.Table.Name, err)
		}
	}
	return nil
}

func (m *Arrival) hasTable(table string) bool {
	return slices.ContainsFunc(m.tables, func(s *stage.Batch) bool { return s.Table.Name == table })
}

// findSubjects adds the ids in a batch that have a tombstone.
func (m *Arrival) findSubjects(b transform.Batch, ids map[string]bool) {
	here := tombstone.People(m.schema)
	for _, name := range clause.Persons(b.Table) {
		column := textColumn(b.Rows, name)
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
				last, erased = id, m.erasures.tombs.Has(here, id)
			}
			if erased && !ids[id] {
				ids[string(append([]byte(nil), id...))] = true // the batch keeps its own memory
			}
		}
	}
}

func textColumn(rows arrow.RecordBatch, column string) *array.String {
	at := rows.Schema().FieldIndices(column)
	if len(at) == 0 {
		return nil
	}
	values, _ := rows.Column(at[0]).(*array.String)
	return values
}

// findReferencedSubjects adds erased persons that are named by stored records which rows of the batch point to.
func (m *Arrival) findReferencedSubjects(ctx context.Context, e *subjectEraser, t transform.Table, ids map[string]bool) error {
	asked := map[string]bool{}
	for _, c := range t.Columns {
		for _, name := range c.Subjects {
			i := columnAt(t, name)
			if i < 0 || t.Columns[i].References == "" || asked[name] || !c.PII || e.relationOf(t.Name) == "" {
				continue
			}
			asked[name] = true
			if err := m.addReferencedSubjects(ctx, e, t, t.Columns[i], ids); err != nil {
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

func (m *Arrival) addReferencedSubjects(ctx context.Context, e *subjectEraser, t transform.Table, c transform.Column, ids map[string]bool) error {
	target, ok := e.pointsTo(c)
	if !ok {
		return nil
	}
	for _, other := range e.tables {
		key := other.Key
		if other.Name != target.Name {
			key = other.ParentKey
		}
		if other.Name != target.Name && other.Parent != target.Name || e.rowsOf(other.Name) == "" || len(key) != 1 {
			continue
		}
		for _, person := range clause.Persons(other) {
			query := fmt.Sprintf("SELECT DISTINCT %s FROM %s WHERE %s IN (SELECT %s FROM %s) AND %[1]s IS NOT NULL",
				duck.Name(person), e.rowsOf(other.Name), duck.Name(key[0]), duck.Name(c.Name), e.relationOf(t.Name))
			err := m.erasures.db.DB.Each(ctx, query, nil, func(rows *sql.Rows) error {
				var id string
				err := rows.Scan(&id)
				if m.erasures.tombs.Has(tombstone.People(m.schema), id) {
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

// emptyRedactedRows empties the staged rows whose text was erased because the source redacted it. An older copy still has
// the text.
func (m *Arrival) emptyRedactedRows(ctx context.Context, batches []transform.Batch) error {
	var e *subjectEraser
	for _, b := range batches {
		hashes := m.erasures.tombs.Hashes[tombstone.Scope{Schema: m.schema, Table: b.Table.Name}]
		if len(hashes) == 0 || b.Rows.NumRows() == 0 {
			continue
		}
		if e == nil {
			e = m.stagedEraser()
		}
		keys, err := m.erasedKeys(ctx, e.relationOf(b.Table.Name), b.Table)
		if err != nil {
			return err
		}
		if len(keys) == 0 {
			continue
		}
		if err := stage.Fill(ctx, m.erasures.db.DB, redactedKeys, b.Table.Key, len(keys), func(i int) []string { return keys[i] }); err != nil {
			return err
		}
		for _, part := range redactionRules(e.tables, b.Table) {
			if part.table.HistoryOf+part.table.CopyOf == "" && e.relationOf(part.table.Name) != "" {
				if _, err := e.applyRule(ctx, part.table, part.rule); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// erasedKeys gives the keys of the rows of a staged table that have a tombstone.
func (m *Arrival) erasedKeys(ctx context.Context, relation string, t transform.Table) (keys [][]string, err error) {
	err = m.erasures.db.EachValue(ctx, relation, t.Key, func(values []string) {
		if m.erasures.tombs.Has(tombstone.Scope{Schema: m.schema, Table: t.Name}, tombstone.RowKey(values)) {
			keys = append(keys, values)
		}
	})
	return keys, err
}
