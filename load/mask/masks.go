package mask

import (
	"slices"
	"strings"

	"aqueduck/load/internal/clause"
	"aqueduck/load/internal/duck"
	"aqueduck/load/internal/workdb"
	"aqueduck/schemas"
	"aqueduck/transform"
	"aqueduck/transform/maskrule"
)

// MaskChange is a change of what is hashed and dropped in a stream.
type MaskChange struct {
	Stream   string
	Names    []string         // all entries of hash and drop from now on
	Mask     []maskrule.Rule  // columns and fields of the new entries
	Unmask   []UnmaskedColumn // columns and fields of the removed entries
	Unmasked []string         // the removed entries
	Key      []byte
}

// UnmaskedColumn is a column or field that is no longer masked. The stored rows still lack its values: these come when
// the rows are read again.
type UnmaskedColumn struct {
	maskrule.Rule
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

// maskedCondition is the condition for rows with a value that a group of rules may mask, in a table or stored relation with these columns.
func maskedCondition(g maskrule.Group, has func(column string) bool) string {
	rows := rowsCondition(g, "", has)
	switch p := g.Rules[0]; {
	case p.Rows:
		return rows
	case !has(g.Column):
		return "false"
	case len(p.Path) == 0:
		return rows + " AND " + duck.Name(g.Column) + " IS NOT NULL"
	}
	conditions := make([]string, len(g.Rules))
	for i, p := range g.Rules {
		conditions[i] = hasFieldCondition(duck.Name(g.Column), p.Path)
	}
	return rows + " AND (" + strings.Join(conditions, " OR ") + ")"
}

// rowsCondition is the condition for the rows of a group.
func rowsCondition(g maskrule.Group, alias string, has func(column string) bool) string {
	column := alias + duck.Name(g.KeyColumn)
	switch {
	case g.KeyColumn == "" || !has(g.KeyColumn):
		return "true"
	case g.Except == nil:
		return column + " = " + duck.Text(g.Key)
	}
	keys := make([]string, len(g.Except))
	for i, key := range g.Except {
		keys[i] = duck.Text(key)
	}
	return column + " NOT IN (" + strings.Join(keys, ", ") + ")"
}

// unmaskedKey is the key in _sync.meta of the removed entries of hash and drop, while some rows were not read again
// since.
func unmaskedKey(schema, stream string) string { return "unhidden " + duck.Table(schema, stream) }

// hasRowHash reports whether the rows of a table have a content hash.
func hasRowHash(t transform.Table) bool {
	return slices.ContainsFunc(t.Columns, func(c transform.Column) bool { return c.Name == transform.HashColumn })
}
