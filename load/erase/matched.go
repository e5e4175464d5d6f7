package erase

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"aqueduck/load/internal/clause"
	"aqueduck/load/internal/duck"
	"aqueduck/transform"
)

// matchedRows are the rows of a table that an erasure empties by a rule, or deletes.
type matchedRows struct {
	table  transform.Table
	rule   erasureRule // its where is the condition for these rows
	delete bool
	n      int64
}

// findRows finds the rows of tables about the persons, before any of them changes: a row may say who the rows of another table are about (T208).
func (e *subjectEraser) findRows(ctx context.Context, tables []transform.Table) (found []matchedRows, err error) {
	for _, t := range tables {
		list, err := e.rulesOf(ctx, t)
		if err != nil {
			return nil, fmt.Errorf("table %s: %w", t.Name, err)
		}
		for _, m := range list {
			name := fmt.Sprintf("temp.erased_%d", len(e.found))
			if _, err = e.work.db.DB.Exec(ctx, fmt.Sprintf("CREATE OR REPLACE TEMP TABLE %s AS SELECT t.rowid AS place FROM %s t WHERE %s", name, e.relationOf(t.Name), m.rule.where)); err == nil {
				err = e.work.db.DB.Scan(ctx, "SELECT count(*) FROM "+name, nil, &m.n)
			}
			if err != nil {
				return nil, fmt.Errorf("table %s: %w", t.Name, err)
			}
			e.found = append(e.found, name)
			m.rule.where = "t.rowid IN (SELECT place FROM " + name + ")"
			if m.n > 0 {
				found = append(found, m)
			}
		}
	}
	return found, nil
}

// rulesOf are the rules for a table: what is emptied, then what is deleted.
func (e *subjectEraser) rulesOf(ctx context.Context, t transform.Table) (list []matchedRows, err error) {
	var gone []string
	if e.deletesRow(t) {
		where, err := e.subjectPredicate(ctx, t, nil)
		if err != nil {
			return nil, err
		}
		gone = append(gone, where)
	} else {
		rules, _, err := e.erasureRules(ctx, t)
		if err != nil {
			return nil, err
		}
		for _, r := range rules {
			r.where += " AND " + r.remainsCondition()
			list = append(list, matchedRows{table: t, rule: r})
		}
	}
	if record, ok := e.findTable(t.Parent); ok && e.deletesRow(record) { // without their record they would be orphans
		where, err := e.subjectPredicate(ctx, record, nil)
		if err != nil {
			return nil, err
		}
		if where != "" {
			gone = append(gone, fmt.Sprintf("EXISTS (SELECT 1 FROM (SELECT %s FROM %s t WHERE %s) o WHERE %s)", duck.Names("t.", record.Key), e.rowsOf(record.Name), where,
				clause.Matches("o.", record.Key, "t.", t.ParentKey)))
		}
	}
	if gone = slices.DeleteFunc(gone, func(where string) bool { return where == "" }); len(gone) > 0 {
		list = append(list, matchedRows{table: t, rule: erasureRule{where: "(" + strings.Join(gone, " OR ") + ")"}, delete: true})
	}
	return list, nil
}

// changeRows empties or deletes found rows, and calls changed once for each table with the number of rows that changed, and of those that were deleted.
// Emptied rows get another content hash that says nothing about the old content: the same for a stored row and for one that is read again, which then
// counts as unchanged.
func (e *subjectEraser) changeRows(ctx context.Context, found []matchedRows, changed func(t transform.Table, rows, gone int64) error) error {
	for i := 0; i < len(found); {
		t, rows, gone := found[i].table, int64(0), int64(0)
		for ; i < len(found) && found[i].table.Name == t.Name; i++ {
			m := found[i]
			if m.delete {
				n, err := e.work.db.DB.Exec(ctx, "DELETE FROM "+e.relationOf(t.Name)+" t WHERE "+m.rule.where)
				if err != nil {
					return fmt.Errorf("table %s: %w", t.Name, err)
				}
				rows, gone = max(rows, n), n
				continue
			}
			n, err := e.applyRule(ctx, t, m.rule)
			if err != nil {
				return fmt.Errorf("table %s: %w", t.Name, err)
			}
			rows = max(rows, n)
		}
		if err := changed(t, rows, gone); err != nil {
			return err
		}
	}
	return nil
}
