package publish

import (
	"context"
	"slices"
	"strings"
	"time"

	"aqueduck/internal/sandbox"
	"aqueduck/load/facts"
	"aqueduck/load/internal/duck"
	"aqueduck/load/layout"
	"aqueduck/load/publish/keyed"
	"aqueduck/transform"
)

// Spec says what is published, and how.
type Spec struct {
	RunID     string
	What      string // what makes the file, for people, such as: run of nightly
	Keep      int    // number of older published files to keep for a rollback
	Replaces  bool   // the file replaces the one that it is made from, which does not count as an older one
	Undo      bool   // with Replaces: the file of the last run stays until the next one that does not replace, for a rollback
	Schemas   []Schema
	Now       func() time.Time
	Rebuild   bool                            // write the file again, table by table
	Readers   facts.Snapshot                  // what readers had when the run began, from PublishedSnapshot
	MaxLoss   float64                         // largest share of a table's rows that a publish may remove; 0: no limit
	Accept    func(schema, table string) bool // reports a stored table that may lose more; nil: none may
	Memory    int64                           // bytes that DuckDB may use; 0: 200 MB
	Timezone  string                          // "": UTC; the time zone of days and weeks in relations
	PartBytes int64                           // size in bytes that a Parquet file should have; 0: 64 MB
	GroupRows int                             // rows in a row group of a Parquet file; 0: by the number of columns
	NoLake    bool                            // publish the file alone; Parquet files stay, unless they may have erased data
	LakeEvery time.Duration                   // Parquet files that are newer stay, unless they may have erased data; 0: each publish writes them
	DropLake  bool                            // publish the file alone, and remove the Parquet files
	Elsewhere bool                            // Parquet files of schemas that are not in Schemas may have erased data: the publish ends no erasure
	// CleanOlder rewrites an older published file without what was erased since; after an error, or where it is nil, the file is removed.
	CleanOlder func(ctx context.Context, file string) error
	Pool       *duck.Pool      // gives the engines that open its files; nil: each file gets one of its own
	Emulated   bool            // Now is the clock of an emulated workspace: now() in models is the time of the publish
	Program    sandbox.Program // this program, for the process that makes the models of users; needed where there are any
	Step       func(string)    // is told each step as it begins; nil: nobody is
}

// beginStep tells that a step begins, in words for people.
func (s *Spec) beginStep(step string) {
	if s.Step != nil {
		s.Step(step)
	}
}

// Schema is what is published of one workspace.
type Schema struct {
	Name      string
	Tables    []transform.Table
	Internal  []string // names of Tables that only relations read and that are not in the lake
	Relations []Relation

	Attributes []Attributes // views, not in the lake: their tables have the same data
	Models     Models       // not in the lake
	Compat     Models       // more views in a schema of their own, not in the lake; without any, the schema is dropped
	NoComments bool         // leave tables, views and columns without comments, which cost a fifth of a small first publish
}

// Relation is one view or table made of the stored tables.
type Relation struct {
	Name    string
	Kind    string // view or table
	Doc     string
	Columns []Column // columns with their own comment; the others have that of their source
	SQL     string   // a SELECT with {schema} and {raw} for the names of the schemas
	Union   []string // relations whose rows and columns it has: its Parquet file is joined from theirs
	RowsOf  []string // stored tables: each row has the columns that these share from a row of one of them, and at least its _synced_at
	Key     string   // of a keyed model: its column with the key
	File    string   // of a model: the file that its errors name
	Line    int      // where its SQL begins in that file
	Own     bool     // of a model: a user wrote it, so a process of its own makes it
	Private bool     // errors quote nothing of its file

	// Of a keyed model: the columns whose rows alone decide on the rows of a key. The first one has each key once. nil: any row may concern any other.
	ChangedBy []KeyColumn
}

// KeyColumn is a column that says to which key of a model a stored row belongs.
type KeyColumn = keyed.KeyColumn

// Column documents one column of a relation. From is its name in the source where that is another one.
type Column struct{ Name, Doc, From string }

// Attributes is a view with a typed column for each custom attribute seen in a JSON column.
type Attributes struct {
	View   string
	Doc    string
	Stream string
	Raw    bool     // they are in the raw schema
	Tables []string // stored tables with the attributes; the first one is the stream's own
	Column string   // its JSON column
	Of     string   // table or relation that the view reads
	Key    []string // columns of Of that the view has too
	Model  string   // the records' name in data_attributes
}

// Models are the analysts' relations of one workspace, in their own schema.
type Models struct {
	Schema    string
	Relations []Relation    // in any order: their SQL names what they read, as {schema}.contacts, {raw}.contacts_raw or {models}.reply_pairs
	Values    Values        // values that the SQL may name in braces
	Longest   time.Duration // time limit for each model; 0: ten minutes
	ChunkRows int64         // stored rows that a keyed model reads at once; 0: a million
}

// Result says what a publish did.
type Result struct {
	Published bool   // readers have a new file
	Unchanged bool   // readers keep their file: it has all of it
	Drifted   bool   // the run recorded changes of tables, or fields that were new, and the file has them
	File      string // the file that readers have
	Bytes     int64  // size of the file
	Changed   int    // tables with other rows than before
	Verified  int    // tables whose keys were checked
	Parts     int    // Parquet files written
	Reused    int    // Parquet files that did not change
	Rebuilt   bool   // the file was written again, table by table
	Removed   error  // why older files were removed that were to be kept; nil: none was

	FailedModels []FailedModel // models that are not in the file
	Lacking      []string      // views of attributes that this publish found to lack some, and why
}

// FailedModel is a model that DuckDB refused, and that is not in the published file. Other models are.
type FailedModel struct {
	Schema, Name string
	File         string
	Own          bool // a user wrote it
	modelFault
	Err error
}

// modelFault is the place of an error in a model's file.
type modelFault struct {
	Line   int    // 0 where DuckDB names none
	Before string // what the line has before the place; "" where DuckDB marks none
	Hint   string // what DuckDB proposes, or what to do
}

// publishRun is one publish while it runs.
type publishRun struct {
	dir    layout.Dir
	spec   Spec
	before facts.Snapshot
	at     time.Time

	name   string // name of the file, without directory and suffix
	fresh  string // directory of the private copy
	result Result

	replaces string                 // name of the file that this one replaces; "": none
	replaced map[string]replacement // by the name of each file that replaced one, as the file says, the name of that one

	fingerprints map[string]string // of the definitions of each schema
	lakes        []*lakeWriter
	models       []*modelBuild // models that are to be finished
}

// run is the run that publishes. In the RunID of its publishes a number follows.
func (p *publishRun) run() string {
	run, _, _ := strings.Cut(p.spec.RunID, "-")
	return run
}

// modelBuild is the models of a schema while they are made.
type modelBuild struct {
	schema     Schema
	stored     map[string]keyed.Stored // the stored tables of the schema, by name
	definition string                  // fingerprint that is stored once they are made; "failed" where one has failed
	defined    bool                    // the definitions are unchanged: only tables are made again
	current    map[string]bool         // by name: the model is there as it has to be
	made       []Relation
	failed     []FailedModel
	userModels []Relation // models of users, in the order in which a process of its own makes them
}

// LakeNames are the names of the tables and relations that a lake has.
func (s Schema) LakeNames() (names []string) {
	for _, t := range s.Tables {
		if !slices.Contains(s.Internal, t.Name) {
			names = append(names, t.Name)
		}
		if t.View != "" && !slices.Contains(s.Internal, t.Name) {
			names = append(names, t.View)
		}
	}
	for _, r := range s.Relations {
		names = append(names, r.Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
