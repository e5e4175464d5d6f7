package mask

import (
	"slices"

	"aqueduck/load/internal/clause"
	"aqueduck/load/internal/duck"
	"aqueduck/load/internal/workdb"
	"aqueduck/transform"
)

// Masking is a change of what is hashed and dropped of a stream.
type Masking struct {
	Stream string
	Names  []string           // all names of hash and drop from now on
	Hide   []transform.Hiding // places that names which are new mean
	Reveal []Revealed         // places that names which were taken back meant
	Taken  []string           // these names
	Key    []byte
}

// Revealed is a place whose stored values a masking hid that was taken back. The values are not here: they come with the rows, once
// these are read again.
type Revealed struct {
	transform.Hiding
	Dropped bool // nothing was stored: every row may have had a value
}

// Masks hash and drop values that are stored, and take that back.
type Masks struct{ db *workdb.Database }

// New masks what a work database has.
func New(db *workdb.Database) *Masks { return &Masks{db} }

func hiddenKey(schema, stream string) string { return "hidden " + duck.Table(schema, stream) }

// named is the condition that a JSON value has a field of the last name of a path, somewhere.
func named(value string, path []string) string {
	return "contains(" + value + "::VARCHAR, " + duck.Text(clause.QuoteJSON(path[len(path)-1])+":") + ")"
}

// takenKey is the fact, in _sync.meta, that names of hash and drop were taken back of a stream, some of whose rows were not read again
// since.
func takenKey(schema, stream string) string { return "unhidden " + duck.Table(schema, stream) }

// hashed says whether the rows of a table have a hash.
func hashed(t transform.Table) bool {
	return slices.ContainsFunc(t.Columns, func(c transform.Column) bool { return c.Name == transform.HashColumn })
}
