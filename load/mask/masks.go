package mask

import (
	"cmp"
	"slices"
	"strings"

	"aqueduck/load/internal/clause"
	"aqueduck/load/internal/duck"
	"aqueduck/load/internal/workdb"
	"aqueduck/schemas"
	"aqueduck/transform"
)

// MaskChange is a change of what is hashed and dropped in a stream.
type MaskChange struct {
	Stream   string
	Names    []string             // all entries of hash and drop from now on
	Mask     []transform.MaskRule // columns and fields of the new entries
	Unmask   []UnmaskedColumn     // columns and fields of the removed entries
	Unmasked []string             // the removed entries
	Key      []byte
}

// UnmaskedColumn is a column or field that is no longer masked. The stored rows still lack its values: these come when
// the rows are read again.
type UnmaskedColumn struct {
	transform.MaskRule
	Dropped bool // it was dropped, not hashed: any row may have had a value
}

// Masks apply hash and drop to stored values, and track what was unmasked.
type Masks struct{ db *workdb.Database }

// New masks values in a work database.
func New(db *workdb.Database) *Masks { return &Masks{db} }

func maskedKey(schema, stream string) string { return "hidden " + duck.Table(schema, stream) }

// hasFieldCondition is the condition that a JSON value has, anywhere, a field with the last name of a path.
func hasFieldCondition(value string, path []string) string {
	if path[len(path)-1] == schemas.AnyKey {
		return value + " IS NOT NULL"
	}
	// Names may contain dots: the last part of the path may be the end of a name.
	return "contains(" + value + "::VARCHAR, " + duck.Text(strings.TrimPrefix(clause.QuoteJSON(path[len(path)-1]), `"`)+":") + ")"
}

// rulesByColumn groups rules by their columns. A column has several only where they are about fields of its JSON. A column that is hashed
// from another comes before that one.
func rulesByColumn(rules []transform.MaskRule) (groups [][]transform.MaskRule) {
	for _, p := range rules {
		i := slices.IndexFunc(groups, func(group []transform.MaskRule) bool {
			return group[0].Table == p.Table && group[0].Column == p.Column && !p.Rows
		})
		if i < 0 {
			groups = append(groups, nil)
			i = len(groups) - 1
		}
		groups[i] = append(groups[i], p)
	}
	slices.SortStableFunc(groups, func(a, b []transform.MaskRule) int { return cmp.Compare(b[0].From, a[0].From) })
	return groups
}

// anyMaskedCondition is the condition for rows with a value that one of a column's rules may mask.
func anyMaskedCondition(rules []transform.MaskRule, has func(column string) bool) string {
	conditions := make([]string, len(rules))
	for i, p := range rules {
		conditions[i] = maskedCondition(p, has)
	}
	return "(" + strings.Join(conditions, " OR ") + ")"
}

// maskedCondition is the condition for rows with a value that a rule masks, in a table or stored relation with these columns.
func maskedCondition(p transform.MaskRule, has func(column string) bool) string {
	switch {
	case p.Rows:
		return "true"
	case !has(p.Column):
		return "false"
	case len(p.Path) > 0:
		return hasFieldCondition(duck.Name(p.Column), p.Path)
	}
	return duck.Name(p.Column) + " IS NOT NULL"
}

// unmaskedKey is the key in _sync.meta of the removed entries of hash and drop, while some rows were not read again
// since.
func unmaskedKey(schema, stream string) string { return "unhidden " + duck.Table(schema, stream) }

// hasRowHash reports whether the rows of a table have a content hash.
func hasRowHash(t transform.Table) bool {
	return slices.ContainsFunc(t.Columns, func(c transform.Column) bool { return c.Name == transform.HashColumn })
}
