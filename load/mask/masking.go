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
	steps []duck.Step
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
		m.steps = append(m.steps, duck.Step{
			Column: column, Value: fmt.Sprintf("CASE WHEN %s THEN %s(%s::VARCHAR) END", rows, name, column),
			Where: "{value} <> " + column + "::VARCHAR", Stored: "nullif({value}, '')::JSON",
		})
		return err
	case !p.Hash || p.From != "" && !m.table.HasColumn(p.From):
		m.steps = append(m.steps, duck.Step{Column: column, Value: "NULL", Where: rows, Stored: "NULL"})
		return nil
	}
	name, err := m.db.Define(1, func(texts []string) (string, bool) { return transform.Hash(m.key, texts[0]), true })
	where := rows
	if p.Hashed { // values that look like a hash stay
		where += " AND (" + source + " IS NULL OR NOT " + looksHashed(p) + ")"
	}
	m.steps = append(m.steps, duck.Step{Column: column, Value: name + "(" + source + ")", Where: where, Stored: "{value}"})
	return err
}

// looksHashed is the condition for values that look like a hash.
func looksHashed(p maskrule.Rule) string {
	return "regexp_full_match(" + duck.Name(cmp.Or(p.From, p.Column)) + "::VARCHAR, '\"?[0-9a-f]{32}\"?')"
}
