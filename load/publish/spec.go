package publish

import (
	"time"

	"aqueduck/internal/sandbox"
	"aqueduck/load/facts"
	"aqueduck/load/layout"
	"aqueduck/transform"
)

// Spec says what is published.
type Spec struct {
	RunID    string
	Keep     int // older published files to go back to
	Schemas  []Schema
	Now      func() time.Time
	Rebuild  bool                            // write the file anew, table by table
	Readers  facts.Snapshot                  // what readers had when the run began, as Readers gives it
	MaxLoss  float64                         // share of a table's rows that they may lose at once; 0: all of them
	Accept   func(schema, table string) bool // a stored table that may lose more; nil: none
	Memory   int64                           // bytes that DuckDB may use; 0: 200 MB
	Timezone string                          // "": UTC; what days and weeks mean in relations
	NoLake   bool                            // the file alone: Parquet files stay as they are
	Program  sandbox.Program                 // this one, which makes the models of users in a process of its own; needed where there are any
}

// Schema is what is published of one workspace.
type Schema struct {
	Name      string
	Tables    []transform.Table
	Internal  []string // those of Tables that feed relations and are not in the lake themselves
	Relations []Relation

	Attributes []Attributes // views that are not in the lake: they say nothing that their tables do not
	Models     Models       // nor are these
}

// Relation is one view or table made of the stored tables.
type Relation struct {
	Name    string
	Kind    string // view or table
	Doc     string
	Columns []Column // those with a comment of their own; others keep that of their source
	SQL     string   // a SELECT with {schema} for the schema's name
	Union   []string // relations that it has the rows and columns of: its Parquet file is theirs, joined
	File    string   // of a model: where a mistake in it is told of
	Line    int      // where its SQL begins in that file
	Own     bool     // of a model: a user's, which a process of its own makes
}

// Column documents one column of a relation.
type Column struct{ Name, Doc string }

// Attributes is a view with a typed column for each attribute that a column of JSON was seen to have.
type Attributes struct {
	View   string
	Doc    string
	Stream string
	Table  string   // stored table, whose attributes are looked at
	Column string   // its column
	Of     string   // table or relation that the view reads
	Key    []string // columns that the view has of it
	Model  string   // what data_attributes calls the records
}

// Models are the analysts' relations over one schema, in a schema of their own.
type Models struct {
	Schema    string
	Relations []Relation    // in any order: their SQL says what they need, as {schema}.contacts or {models}.reply_pairs
	Values    Values        // which it may also name in braces
	Longest   time.Duration // that one of them may take; 0: ten minutes
}

// Result tells what a publish did.
type Result struct {
	Published bool   // readers have a new file; not so where nothing had changed
	File      string // the published file
	Bytes     int64  // size of the file
	Changed   int    // tables with other rows than before
	Verified  int    // tables whose keys were checked
	Parts     int    // Parquet files written
	Reused    int    // Parquet files that stayed as they are
	Rebuilt   bool   // the file was written anew, table by table

	FailedModels []FailedModel // which are not in the file
}

// FailedModel is a model that is not in the published file, because DuckDB refused it. Others are.
type FailedModel struct {
	Schema, Name string
	File         string
	Line         int // of the file, 0 when the database names none
	Err          error
}

// publishRun is one publish on its way.
type publishRun struct {
	dir    layout.Dir
	spec   Spec
	before facts.Snapshot
	at     time.Time

	name   string // of the file, without its directory
	fresh  string // directory of the copy
	result Result
	lakes  []*lakeWriter
	models []*modelBuild // what is to be finished
}

// lakeWriter is the Parquet side of one schema on its way: parts written under temporary names, and the manifest to come.
type lakeWriter struct {
	dir      string
	schema   Schema
	manifest Manifest
	old      Manifest
	written  map[string]string // table → file under its temporary name
}

// modelBuild is the models of a schema while they are made.
type modelBuild struct {
	schema     Schema
	definition string // noted once they are made, where none has failed
	defined    bool   // they are those of before: only tables are made again
	made       []Relation
	failed     []FailedModel
	userModels []Relation // users', in the order to make them: a process of their own does that
}
