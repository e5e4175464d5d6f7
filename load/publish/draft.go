package publish

import (
	"time"

	"aqueduck/load/access"
	"aqueduck/load/internal/duck"
	"aqueduck/load/internal/rowgroups"
)

// lakeWriter writes the Parquet files of one schema: new parts under temporary names, then the directories that have the
// parts of each table, then the manifest.
type lakeWriter struct {
	dir       string
	access    access.Access
	temp      string // how the paths of new parts begin
	target    int64  // size in bytes that a part should have
	group     int    // rows in a row group; 0: by the number of columns
	file      string // name of the published file, without suffix
	schema    Schema
	defined   string                         // fingerprint of the schema
	columns   map[string][]duck.StoredColumn // by table
	old       Manifest
	manifest  Manifest
	contents  map[string]tableParts
	made      int // temporary files so far
	written   int // parts that were encoded
	unchanged int // parts that were not
}

// tableParts are the parts that a table of the lake gets.
type tableParts struct {
	entry Table
	paths []string // by part: where the file is before the swap
	same  bool     // the table has them already
	union bool     // they are parts of other tables
}

// lakeTable is one table of the lake.
type lakeTable struct {
	name      string
	changedAt time.Time
	relation  *Relation // nil: a stored table
	union     []string  // the tables whose rows it has, for a relation that is a union
	taken     []string  // columns of stored rows: each change of them moves _synced_at, so they are not compared
	stored    bool      // it is a stored table, or shows rows of one: each change moves _synced_at
	from      string    // the stored table that it is, or shows rows of; "": a relation
	rows      int64     // an upper estimate
}

// partWriter writes the parts of one table.
type partWriter struct {
	*lakeWriter
	db     *duck.DB
	source rowSource
	group  int    // rows in a row group
	few    bool   // the table has at most as many rows
	stored bool   // see lakeTable
	from   string // see lakeTable
	old    []Part // the parts of the last publish
	paths  []string
	parts  []*draftPart // those of this one

	toWrite []*unit // the groups to write, in their order, where their rows are scattered; see stageRows
	staged  []*unit // those whose rows are in the temporary table
}

// draftPart is a part of this publish: an old one, or one of the groups in units.
type draftPart struct {
	Part
	path  string
	units []*unit
}

// unit is one group of rows: of an old part, or to write.
type unit struct {
	Group
	write *timeRange        // of the rows to write; nil: they are in file
	file  rowgroups.Segment // the row groups
	wrote partCounts
	bytes int64 // about what it takes in a file; 0: unknown
	part  int   // number of the old part; of rows to write: that they replace rows of first
}

// freshRange is a range whose rows are written.
type freshRange struct {
	timeRange
	units []*unit
	known *partContent // what the only group of the range contains; nil: not computed yet
}

// rowSource is where the rows of a table of the lake come from.
type rowSource struct {
	table   string // as SQL names it
	column  string // decides on the part; "": there is one
	columns []duck.StoredColumn
	digest  string // SQL of a number that changes with the row
}

// timeRange is the range of a part: from a time on, up to another. Zero means no limit. The first part also has the rows
// without a time.
type timeRange struct{ from, to time.Time }

// partCounts is what DuckDB counted while it wrote a part.
type partCounts struct {
	rows   int64
	values []int64 // number of values in each column, without NULLs
}
