package erase

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"aqueduck/load/internal/clause"
	"aqueduck/load/internal/duck"
	"aqueduck/load/internal/stage"
	"aqueduck/schemas"
	"aqueduck/transform"
)

// newEraser erases from the stored tables of a schema.
func (w *Erasures) newEraser(schema string, stamp time.Time) *subjectEraser {
	e := &subjectEraser{work: w, schema: schema, matching: map[string]string{}}
	for _, t := range w.db.DescribedTables(schema) {
		e.tables = append(e.tables, t)
	}
	slices.SortFunc(e.tables, func(a, b transform.Table) int { return strings.Compare(a.Name, b.Name) })
	e.relationOf = func(table string) string {
		if table == "" {
			return ""
		}
		if i := slices.IndexFunc(e.tables, func(t transform.Table) bool { return t.Name == table }); i >= 0 {
			return clause.Stored(schema, e.tables[i])
		}
		return duck.Table(schema, table)
	}
	e.stampClause = func() string { return transform.SyncedAtColumn + " = $1, " + transform.RunIDColumn + " = $2" }
	e.args = []any{stamp, w.db.RunID()}
	return e
}

// fillSubjects fills the temporary table of the persons that are being erased.
func (w *Erasures) fillSubjects(ctx context.Context, ids []string) error {
	return stage.Fill(ctx, w.db.DB, subjects, []string{"id"}, len(ids), func(i int) []string { return ids[i : i+1] })
}

// subjects is the temporary table of the ids of the persons that are being erased.
const subjects = "temp.subjects"

// subjectEraser finds the rows about the persons in the table subjects, and empties them. It works on stored tables and
// on staged batches alike.
type subjectEraser struct {
	work        *Erasures
	schema      string
	tables      []transform.Table
	relationOf  func(table string) string // the relation with a table's rows, which change; "" where it has none
	omitted     map[string]string         // by staged table: the relation that also has stored rows, which only say who records are about
	stampClause func() string             // what else a stored row is set to, its time and run; "" for a staged row
	args        []any                     // the parameters of stampClause

	found    []string          // temporary tables of the rows that are to change
	matching map[string]string // by table of records: the temporary table of those that name one of the persons; "": none can
}

// erasureRule says which columns of a row are emptied, and under which condition.
type erasureRule struct {
	columns []string
	erased  string // the column that then says that the row was erased; "": none
	where   string // the condition for a row t
}

// rowsOf is the relation that says which persons a table's rows name.
func (e *subjectEraser) rowsOf(table string) string {
	if rows, ok := e.omitted[table]; ok {
		return rows
	}
	return e.relationOf(table)
}

func (e *subjectEraser) findTable(name string) (transform.Table, bool) {
	i := slices.IndexFunc(e.tables, func(t transform.Table) bool { return t.Name == name })
	if i < 0 || e.rowsOf(name) == "" {
		return transform.Table{}, false
	}
	return e.tables[i], true
}

func isSubject(alias string, columns []string) string {
	terms := make([]string, len(columns))
	for i, c := range columns {
		terms[i] = alias + duck.Name(c) + " IN (SELECT id FROM " + subjects + ")"
	}
	return "(" + strings.Join(terms, " OR ") + ")"
}

// subjectPredicate is the condition that a row t is about one of the persons. whose are the columns that the stream file
// names for it. It is "" where nothing can tell.
func (e *subjectEraser) subjectPredicate(ctx context.Context, t transform.Table, whose []string) (string, error) {
	if len(whose) == 0 {
		return e.defaultSubject(ctx, t)
	}
	var terms []string
	for _, name := range whose {
		term, err := e.subjectByColumn(ctx, t, name)
		if err != nil {
			return "", err
		}
		if term != "" {
			terms = append(terms, term)
		}
	}
	if len(terms) == 0 {
		return "", nil
	}
	return "(" + strings.Join(terms, " OR ") + ")", nil
}

// defaultSubject decides by the ids in the row; without any, as subjectAround does. An id in a column that no file declares any more counts, too.
func (e *subjectEraser) defaultSubject(ctx context.Context, t transform.Table) (string, error) {
	left := clause.LeftPersons(t)
	if own := clause.Persons(t); len(own) > 0 {
		return isSubject("t.", append(own, left...)), nil
	}
	where, err := e.subjectAround(ctx, t)
	if err == nil && where != "" && len(left) > 0 {
		where = "(" + where + " OR " + isSubject("t.", left) + ")"
	}
	return where, err
}

// subjectAround decides by the ids in the item, or else in the record, that the list of a row belongs to.
func (e *subjectEraser) subjectAround(ctx context.Context, t transform.Table) (string, error) {
	if item, ok := e.findTable(t.Within); ok && len(clause.Persons(item)) > 0 {
		return fmt.Sprintf("EXISTS (SELECT 1 FROM %s o WHERE %s AND %s)", e.rowsOf(item.Name),
			clause.Matches("o.", item.Key, "t.", t.WithinKey), isSubject("o.", clause.Persons(item))), nil
	}
	return e.ofRecord(ctx, t)
}

// subjectByColumn decides by one name in the stream file's whose.
func (e *subjectEraser) subjectByColumn(ctx context.Context, t transform.Table, name string) (string, error) {
	if name == schemas.RecordSubjects {
		return e.ofRecord(ctx, t)
	}
	if i := slices.IndexFunc(t.Columns, func(c transform.Column) bool { return c.Name == name }); i >= 0 {
		if t.Columns[i].Person {
			return isSubject("t.", []string{name}), nil
		}
		return e.ofReference(ctx, t.Columns[i])
	}
	own, _, ok := e.recordTable(t)
	if !ok || !slices.Contains(clause.Persons(own), name) {
		return "", nil
	}
	return fmt.Sprintf("EXISTS (SELECT 1 FROM %s o WHERE %s AND %s)", e.rowsOf(own.Name),
		clause.Matches("o.", own.Key, "t.", t.ParentKey), isSubject("o.", []string{name})), nil
}

// recordTable gives the table of the records that a table's rows belong to, and the columns with the key of the record.
func (e *subjectEraser) recordTable(t transform.Table) (own transform.Table, key []string, ok bool) {
	switch {
	case t.HistoryOf+t.CopyOf != "":
		own, ok = e.findTable(t.HistoryOf + t.CopyOf)
		return own, own.Key, ok
	case t.Parent != "":
		own, ok = e.findTable(t.Parent)
		return own, t.ParentKey, ok
	}
	return t, t.Key, true
}

// ofRecord is true for all rows of a record that names one of the persons anywhere.
func (e *subjectEraser) ofRecord(ctx context.Context, t transform.Table) (string, error) {
	own, key, ok := e.recordTable(t)
	if !ok || len(key) == 0 {
		return "", nil
	}
	named, err := e.matchingRecords(ctx, own)
	if err != nil || named == "" {
		return "", err
	}
	return fmt.Sprintf("EXISTS (SELECT 1 FROM %s n WHERE %s)", named, clause.Matches("n.", own.Key, "t.", key)), nil
}

// ofReference is true for a row whose column points to a record that names one of the persons.
func (e *subjectEraser) ofReference(ctx context.Context, c transform.Column) (string, error) {
	t, ok := e.pointsTo(c)
	if !ok {
		return "", nil
	}
	named, err := e.matchingRecords(ctx, t)
	if err != nil || named == "" {
		return "", err
	}
	return "t." + duck.Name(c.Name) + " IN (SELECT " + duck.Name(t.Key[0]) + " FROM " + named + ")", nil
}

// pointsTo gives the table that a column references by its key.
func (e *subjectEraser) pointsTo(c transform.Column) (transform.Table, bool) {
	name, column, _ := strings.Cut(c.References, ".")
	for _, t := range e.tables {
		if t.Parent == "" && (t.Name == name || t.View == name) && slices.Equal(t.Key, []string{column}) && e.rowsOf(t.Name) != "" {
			return t, true
		}
	}
	return transform.Table{}, false
}

// matchingRecords makes, once, the temporary table of the keys of the records that name one of the persons.
func (e *subjectEraser) matchingRecords(ctx context.Context, own transform.Table) (string, error) {
	if name, made := e.matching[own.Name]; made {
		return name, nil
	}
	var parts []string
	for _, t := range e.tables {
		key := t.Key
		if t.Name != own.Name {
			key = t.ParentKey
		}
		ids := append(clause.Persons(t), clause.LeftPersons(t)...)
		if (t.Name != own.Name && t.Parent != own.Name) || len(ids) == 0 || len(key) != len(own.Key) || e.rowsOf(t.Name) == "" {
			continue
		}
		columns := make([]string, len(key))
		for i := range key {
			columns[i] = "t." + duck.Name(key[i]) + " AS " + duck.Name(own.Key[i])
		}
		parts = append(parts, fmt.Sprintf("SELECT %s FROM %s t WHERE %s", strings.Join(columns, ", "), e.rowsOf(t.Name), isSubject("t.", ids)))
	}
	name := ""
	if len(parts) > 0 {
		name = "temp." + duck.Name("naming_"+own.Name)
		if _, err := e.work.db.DB.Exec(ctx, "CREATE OR REPLACE TEMP TABLE "+name+" AS "+strings.Join(parts, " UNION ")); err != nil {
			return "", fmt.Errorf("find the records of %s: %w", own.Name, err)
		}
	}
	e.matching[own.Name] = name
	return name, nil
}

// isEmptied reports whether an erasure empties a column, or notes in it that it emptied the row.
func (e *subjectEraser) isEmptied(t transform.Table, c transform.Column) bool {
	personal := c.PII || c.Erased || t.Erase == "all" && !c.KeptByErasure && !c.Person && !strings.HasPrefix(c.Name, "_")
	return personal && !slices.Contains(t.Key, c.Name) && !e.work.db.KeepsColumn(t.Name+"."+c.Name)
}

// erasureRules gives what is emptied in the rows of a table about one of the persons. unknown are the personal columns
// where nothing says which person they are about.
func (e *subjectEraser) erasureRules(ctx context.Context, t transform.Table) (list []erasureRule, unknown []string, err error) {
	groups := map[string]*erasureRule{}
	var order []string
	for _, c := range slices.Concat(t.Columns, t.Left) {
		if !e.isEmptied(t, c) {
			continue
		}
		group := strings.Join(c.Subjects, ",")
		if groups[group] == nil {
			where, err := e.subjectPredicate(ctx, t, c.Subjects)
			if err != nil {
				return nil, nil, err
			}
			groups[group], order = &erasureRule{where: where}, append(order, group)
		}
		r := groups[group]
		if c.Erased {
			r.erased = c.Name
			continue
		}
		r.columns = append(r.columns, c.Name)
		if r.where == "" {
			unknown = append(unknown, c.Name)
		}
	}
	if len(order) == 0 && len(clause.Persons(t)) > 0 { // fields without a column may be personal
		where, err := e.defaultSubject(ctx, t)
		return []erasureRule{{where: where}}, nil, err
	}
	for _, group := range order {
		if r := groups[group]; r.where != "" {
			list = append(list, *r)
		}
	}
	return list, unknown, nil
}

// remainsCondition is the condition that a row still has a value that the rule empties.
func (r erasureRule) remainsCondition() string {
	terms := []string{transform.ExtraColumn + " IS NOT NULL"}
	for _, c := range r.columns {
		terms = append(terms, duck.Name(c)+" IS NOT NULL")
	}
	if r.erased != "" {
		terms = append(terms, duck.Name(r.erased)+" IS NOT TRUE")
	}
	return "(" + strings.Join(terms, " OR ") + ")"
}

// deletesRow reports whether the rows of a person are deleted as a whole. Past states and daily copies of a row are, where next to nothing
// of the row would remain.
func (e *subjectEraser) deletesRow(t transform.Table) bool {
	of, _ := e.findTable(t.HistoryOf + t.CopyOf)
	return t.Erase == "rows" || of.Erase != ""
}

func (e *subjectEraser) applyRule(ctx context.Context, t transform.Table, r erasureRule) (int64, error) {
	sets := []string{transform.ExtraColumn + " = NULL"}
	if slices.ContainsFunc(t.Columns, func(c transform.Column) bool { return c.Name == transform.HashColumn }) {
		sets = append(sets, fmt.Sprintf("%[1]s = (hash(%[1]s, %[2]s) >> 1)::BIGINT", transform.HashColumn, duck.Text(fmt.Sprintf("%x", e.work.tombs.Salt))))
	}
	for _, c := range r.columns {
		sets = append(sets, duck.Name(c)+" = NULL")
	}
	if r.erased != "" {
		sets = append(sets, duck.Name(r.erased)+" = TRUE")
	}
	if s := e.stampClause(); s != "" {
		sets = append(sets, s)
	}
	return e.work.db.DB.Exec(ctx, "UPDATE "+e.relationOf(t.Name)+" AS t SET "+strings.Join(sets, ", ")+" WHERE "+r.where+" AND "+r.remainsCondition(), e.args...)
}
