package mask

import (
	"slices"

	"aqueduck/load/internal/clause"
	"aqueduck/load/internal/duck"
	"aqueduck/load/internal/workdb"
	"aqueduck/transform"
)

// MaskChange is a change of what is hashed and dropped of a stream.
type MaskChange struct {
	Stream string
	Names  []string             // all names of hash and drop from now on
	Mask   []transform.MaskRule // places that names which are new mean
	Unmask []UnmaskedColumn     // places that names which were taken back meant
	Taken  []string             // these names
	Key    []byte
}

// UnmaskedColumn is a place whose stored values a masking hid that was taken back. The values are not here: they come with the rows, once
// these are read again.
type UnmaskedColumn struct {
	transform.MaskRule
	Dropped bool // nothing was stored: every row may have had a value
}

// Masks hash and drop values that are stored, and take that back.
type Masks struct{ db *workdb.Database }

// New masks what a work database has.
func New(db *workdb.Database) *Masks { return &Masks{db} }

func hiddenKey(schema, stream string) string { return "hidden " + duck.Table(schema, stream) }

// hasFieldCondition is the condition that a JSON value has a field of the last name of a path, somewhere.
func hasFieldCondition(value string, path []string) string {
	return "contains(" + value + "::VARCHAR, " + duck.Text(clause.QuoteJSON(path[len(path)-1])+":") + ")"
}

// takenKey is the fact, in _sync.meta, that names of hash and drop were taken back of a stream, some of whose rows were not read again
// since.
func takenKey(schema, stream string) string { return "unhidden " + duck.Table(schema, stream) }

// hasRowHash says whether the rows of a table have a hash.
func hasRowHash(t transform.Table) bool {
	return slices.ContainsFunc(t.Columns, func(c transform.Column) bool { return c.Name == transform.HashColumn })
}
