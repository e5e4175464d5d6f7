package mask

import (
	"cmp"
	"fmt"
	"slices"

	"aqueduck/load/internal/duck"
	"aqueduck/transform"
	"aqueduck/transform/maskrule"
)

// masking is the SQL that masks the values of a table.
type masking struct {
	db    *duck.DB
	table transform.Table
	key   []byte
	steps []maskStep
}

// maskStep gives a column another value.
type maskStep struct {
	column string // quoted
	masked string // the SQL of the masked value
	where  string // the condition for the rows whose value is masked; it may name __masked
	stored string // the SQL of what the column stores, of __masked
}

// addGroup adds the steps of a group of rules.
func (m *masking) addGroup(g maskrule.Group) error {
	p, rows := g.Rules[0], maskedCondition(g, m.table.HasColumn)
	if !m.table.HasColumn(p.Column) {
		return nil
	}
	column, source := duck.Name(p.Column), duck.Name(cmp.Or(p.From, p.Column))
	isJSON := slices.ContainsFunc(m.table.Columns, func(c transform.Column) bool { return c.Name == p.Column && c.SQL == "JSON" })
	switch {
	case len(p.Path) > 0 || isJSON && p.Hash:
		masked := transform.MaskJSON(g.Rules, m.key)
		name, err := m.db.Define(1, func(texts []string) (string, bool) { return masked(texts[0]), true })
		m.steps = append(m.steps, maskStep{
			column: column, masked: fmt.Sprintf("CASE WHEN %s THEN %s(%s::VARCHAR) END", rows, name, column),
			where: "__masked <> " + column + "::VARCHAR", stored: "nullif(__masked, '')::JSON",
		})
		return err
	case !p.Hash || p.From != "" && !m.table.HasColumn(p.From):
		m.steps = append(m.steps, maskStep{column: column, masked: "NULL", where: rows, stored: "NULL"})
		return nil
	}
	name, err := m.db.Define(1, func(texts []string) (string, bool) { return transform.Hash(m.key, texts[0]), true })
	where := rows
	if p.Hashed { // values that look like a hash stay
		where += " AND (" + source + " IS NULL OR NOT " + looksHashed(p) + ")"
	}
	m.steps = append(m.steps, maskStep{column: column, masked: name + "(" + source + ")", where: where, stored: "__masked"})
	return err
}

// looksHashed is the condition for values that look like a hash.
func looksHashed(p maskrule.Rule) string {
	return "regexp_full_match(" + duck.Name(cmp.Or(p.From, p.Column)) + "::VARCHAR, '\"?[0-9a-f]{32}\"?')"
}

// maskedRows is the query for RewriteTable. The steps come one after the other. A changed row loses its content hash. $1 and $2 are the time and the run.
func (m *masking) maskedRows(relation string) string {
	query := "SELECT *, 0 AS __changes FROM " + relation
	for _, s := range m.steps {
		query = fmt.Sprintf("SELECT * EXCLUDE (__masked, __masks) REPLACE (CASE WHEN __masks THEN %s ELSE %s END AS %[2]s, __changes + __masks::INT AS __changes) FROM (SELECT *, coalesce(%s, false) AS __masks FROM (SELECT *, %s AS __masked FROM (%s)))",
			s.stored, s.column, s.where, s.masked, query)
	}
	unhashed := ""
	if hasRowHash(m.table) {
		unhashed = fmt.Sprintf(", CASE WHEN __changes = 0 THEN %[1]s END AS %[1]s", transform.HashColumn)
	}
	return "SELECT * REPLACE (" + duck.Stamped + unhashed + ") FROM (" + query + ")"
}
