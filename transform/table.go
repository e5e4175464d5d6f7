package transform

import (
	"slices"
	"time"

	"aqueduck/schemas"

	"github.com/apache/arrow-go/v18/arrow"
)

// Names of the columns that every table has besides those of its stream file.
const (
	RowColumn      = "_row"     // in batches only: the number of the record within the batch
	ReadAtColumn   = "_read_at" // in batches only, of tables with History: the server's time of the answer
	AbsentColumn   = "_absent"  // in batches only, of tables with groups: the bits of the groups that the answer omits
	ExtraColumn    = schemas.ExtraColumn
	VersionColumn  = "_api_version"
	HashColumn     = "_hash"
	GoneColumn     = "_gone_at" // of tables with Gone only
	SyncedAtColumn = "_synced_at"
	RunIDColumn    = "_run_id"
)

// Column is one stored column of a table.
type Column struct {
	Name          string
	Type          schemas.Type
	SQL           string         // the type in DuckDB
	Arrow         arrow.DataType // the type in a batch
	Doc           string
	PII           bool           // personal data
	Person        bool           // it holds a contact's id
	Subjects      []string       // the columns that say whose data it is (schemas.Column)
	KeptByErasure bool           // kept when an erasure empties the rest of the row
	Redactable    bool           // a null from the source also erases the stored value
	RedactedBy    string         // column that is true once the redaction is permanent
	Erased        bool           // true in rows from which an erasure removed what a person wrote
	Volatile      bool           // not part of _hash: it changes without a change of the record
	NarrowerTypes []schemas.Type // narrower types that the stored column had
	References    string
	As            string     // conversion of texts (schemas.Column)
	Path          []string   // in the record, or in the item of a child's list; nil: another source
	Or            [][]string // further paths, tried in order while the earlier ones have no value
}

// Table is one stored table.
type Table struct {
	Name           string // the physical table
	View           string // view of the rows that are not deleted; "": people read Name itself
	Beside         string // table with copies of the same records, the newer of which counts; "": none
	Raw            bool   // only published relations read it: it is stored in a schema of its own
	Copies         bool   // it is the copy of the two (`like` in the stream file); findings are noted for the other
	Doc            string
	Columns        []Column // in order, up to and including _synced_at and _run_id
	Left           []Column // of a stored table with personal data: columns that no stream file declares any more, each taken for personal
	Key            []string // columns that identify a row
	Newest         string   // column that decides between two copies of a row; "": the later arrival wins
	Dated          string   // column that decides between two copies in one batch: Newest, else updated_at; "": the later arrival wins
	Parent         string   // physical table of the parent; "" for the stream's own
	ParentKey      []string // columns with the parent's key, in its order
	Complete       bool     // a batch has all rows of a parent: stored rows that it lacks are deleted
	Within         string   // physical table of the items around the list; "": the record itself has the list
	WithinKey      []string // columns with the key of the item, in its order
	Gone           bool     // has _gone_at
	RedactIDColumn string   // column with an id: an answer without rows for the id redacts the redactable columns of its rows; "": none
	History        string   // table of the versions of its rows; "": none are kept
	HistoryOf      string   // in a history: the table of the rows; else ""
	CopyOf         string   // in a daily snapshot: the table of the rows; else ""
	Erase          string   // how an erasure treats a person's rows (schemas.Stream)
	Unmarked       bool     // of a user's stream file that marks no personal data
	File           string   // a user's stream file, for messages; "": the stream comes with the program
	Groups         []Group  // lists and objects of the record or item; only in tables of a batch
	Absent         bool     // batches have AbsentColumn
}

// Group is a list or an object of a record. If an answer omits it, its stored values stay.
type Group struct {
	Bit     uint64   // in AbsentColumn
	Path    string   // joined with dots, in the record or in the item
	Columns []string // of its values in the row itself
	Child   string   // physical table of a list's rows; "" of an object
}

// maxGroups is the largest number of groups of a table: the bits of AbsentColumn without the sign.
const maxGroups = 63

// Mode says how a batch is stored in its table.
type Mode int

// Modes of a batch.
const (
	Merge         Mode = iota // upsert by key: the newest copy wins; rows of complete children are replaced, other child rows are added
	ReplaceWindow             // the rows of Window are replaced by those of the batch
	Add                       // rows are added
)

// Batch is a number of rows of one table, with what the loader must know about their reading. The receiver releases Rows.
type Batch struct {
	Table       Table
	Mode        Mode
	Sweep       int               // above 0: the number of the sweep that has seen the keys
	Seen        []string          // further keys that the sweep has seen, of unchanged records that were not read; of tables with a key of one column
	Rows        arrow.RecordBatch // _row, then the table's columns without _synced_at and _run_id; never a slice of another batch
	Window      [2]time.Time      // with ReplaceWindow
	SchemaDrift []SchemaDrift     // unknown fields and types of these rows; a decoder reports each once

	ChildStreams []ChildStream // streams to read for each new or changed row
	Answered     []string      // ids whose child records are all in the batch: they are no longer pending
	RedactedIDs  []string      // of a table with RedactIDColumn: ids whose answer has no rows any more
	Incomplete   []Incomplete  // records that could not be read completely; of tables with a key of one column
	Completed    []string      // keys that were Incomplete before and now are complete or deleted

	DeadLetters []DeadLetter // dead letters by record; of the stream's own table, including those of its children

	AskedAt time.Time // when the pending ids were read: those added later stay pending
	Refresh bool      // of a full refresh: different stored values are replaced even if they claim to be newer
}

// Incomplete is a record that no answer brought completely. Its stored values stay.
type Incomplete struct {
	Key, Reason string
	Error       string // of a record that cannot be read
}

// Values of Incomplete.Reason, besides those of extract.Record.Missing.
const (
	OmitsStored = "left_out" // the record omits a list or an object that is stored
	OmitsUsual  = "lacks"    // the record omits a list or an object that the source always sends
	Recheck     = "recheck"  // the record may be an older copy: the next run reads it once more
)

// ChildStream is a stream that is read for each row of a table.
type ChildStream struct {
	Stream string
	Column string // with the id
}

// Tables are the tables of a stream: its own first, then those of its children in the order of the file.
func Tables(s *schemas.Stream) []Table {
	own := Table{
		Name:    s.Table,
		Beside:  s.Beside,
		Raw:     s.Internal,
		Copies:  s.Copies,
		Doc:     s.Doc,
		Columns: tableColumns(s.Columns),
		Key:     s.Key,
		Newest:  s.Newest,
		Dated:   newestColumn(s),
		Gone:    s.Absent == "gone",
		Erase:   s.Erase,
	}
	own.Unmarked = !s.BuiltIn && !s.HasPersonalData()
	if asked, ok := s.AskedIDColumn(); ok && s.Absent == schemas.Redacted {
		own.RedactIDColumn = asked.Name
	}
	if own.Gone {
		own.Name, own.View = s.StoredTable(), s.Table
	}
	if s.History {
		own.History = s.Owner() + "_history"
	}
	own.Columns = append(own.Columns, systemColumns(own.Gone)...)
	tables := []Table{own}
	for _, c := range s.Children {
		t := Table{
			Name:     c.Table,
			Beside:   c.Beside,
			Raw:      s.Internal,
			Doc:      c.Doc,
			Columns:  append(tableColumns(c.Columns), systemColumns(false)...),
			Key:      c.Key,
			Parent:   own.Name,
			Complete: c.Complete,
			Within:   c.Within,
			Erase:    c.Erase,
		}
		t.ParentKey = fromAbove(c, s.Key)
		if i := slices.IndexFunc(tables, func(outer Table) bool { return outer.Name == c.Within }); i > 0 {
			t.ParentKey, t.WithinKey = fromAbove(c, tables[i].ParentKey), fromAbove(c, tables[i].Key)
		}
		tables = append(tables, t)
	}
	for i := range tables {
		if !s.BuiltIn {
			tables[i].File = s.File
		}
	}
	return tables
}

// HasColumn reports whether the table has a column.
func (t Table) HasColumn(name string) bool {
	return slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Name == name })
}

// newestColumn is the column that decides between two copies of a record in one answer. A stream without `newest`, which trusts
// the latest whole list, still has two copies within a list: updated_at decides there.
func newestColumn(s *schemas.Stream) string {
	if s.Newest != "" {
		return s.Newest
	}
	for _, c := range s.Columns {
		if c.Type == schemas.Timestamp && slices.Equal(c.From, []string{"updated_at"}) {
			return c.Name
		}
	}
	return ""
}

// SnapshotTable is the table of daily copies of a stream's own table; false when the stream has none.
func SnapshotTable(s *schemas.Stream) (t Table, ok bool) {
	if !s.Snapshot {
		return Table{}, false
	}
	date := Column{Name: schemas.SnapshotDate, Type: schemas.Date, SQL: codecs[schemas.Date].sql, Arrow: codecs[schemas.Date].arrow,
		Doc: "Day of the copy, in the time zone of the warehouse. The copy is from the last run of the day."}
	own := append([]Column{date}, tableColumns(s.Columns)...)
	for i := range own {
		own[i].Path, own[i].Or = nil, nil // copied from the table, not read from a record
	}
	return Table{Name: s.DailyTable(), CopyOf: Tables(s)[0].Name, Doc: "One row per row of " + s.Table + " and day, as the last run of the day read it. " + s.Doc,
		Columns: append(own, systemColumns(false)...), Key: append([]string{date.Name}, s.Key...)}, true
}

// fromAbove are the columns of a child with the key of the row around its list: the $parent columns, else the first columns of
// the child's key.
func fromAbove(c schemas.Child, keys []string) []string {
	names := make([]string, 0, len(keys))
	for _, key := range keys {
		i := slices.IndexFunc(c.Columns, func(column schemas.Column) bool {
			return slices.Equal(column.From, []string{schemas.FromParent, key})
		})
		if i < 0 {
			return c.Key[:min(len(keys), len(c.Key))]
		}
		names = append(names, c.Columns[i].Name)
	}
	return names
}

func tableColumns(declared []schemas.Column) []Column {
	list := make([]Column, 0, len(declared)+6)
	for _, c := range declared {
		column := Column{
			Name: c.Name, Type: c.Type, SQL: codecs[c.Type].sql, Arrow: codecs[c.Type].arrow, Doc: c.Doc,
			PII: c.PII, Person: c.Person, Volatile: c.Volatile, NarrowerTypes: c.NarrowerTypes, References: c.References,
			Subjects: c.Subjects, KeptByErasure: c.KeptByErasure, Redactable: c.Redactable, RedactedBy: c.RedactedBy, Erased: c.From[0] == schemas.FromErased,
		}
		if !c.IsComputed() {
			column.Path, column.Or, column.As = c.From, c.Or, c.As
		}
		list = append(list, column)
	}
	return list
}

func systemColumns(gone bool) []Column {
	list := []Column{
		systemColumn(ExtraColumn, schemas.JSON, "Fields without a column, and values that did not fit their column, as sent."),
		systemColumn(VersionColumn, schemas.Text, "API version of the answer that the row comes from."),
		systemColumn(HashColumn, schemas.Int, "Content hash: rows with equal content have the same number. Null after a change of hash or drop until the row is read again."),
	}
	if gone {
		list = append(list, systemColumn(GoneColumn, schemas.Timestamp, "Time of the soft delete: the source no longer has the record. Null while it has."))
	}
	return append(list,
		systemColumn(SyncedAtColumn, schemas.Timestamp, "Time of the commit that last changed the row."),
		systemColumn(RunIDColumn, schemas.Text, "Run that last changed the row."))
}

func systemColumn(name string, t schemas.Type, doc string) Column {
	return Column{Name: name, Type: t, SQL: codecs[t].sql, Arrow: codecs[t].arrow, Doc: doc}
}

// widerTypes are the DuckDB types that hold every value of a type as a new record would bring it. BIGINT and DOUBLE count only as
// far as doubles are exact. A time never becomes text: no source sends that.
var widerTypes = map[string][]string{"BOOLEAN": {"BIGINT", "DOUBLE", "VARCHAR"}, "BIGINT": {"DOUBLE", "VARCHAR"}, "DOUBLE": {"VARCHAR"}}

// ReportedType is the name that DuckDB reports for the type of a Column.
func ReportedType(sql string) string {
	if sql == "TIMESTAMPTZ" {
		return "TIMESTAMP WITH TIME ZONE"
	}
	return sql
}

// FileType is the name that stream files have for a type that DuckDB reports: text for VARCHAR.
func FileType(reported string) string {
	for name, codec := range codecs {
		if ReportedType(codec.sql) == reported {
			return string(name)
		}
	}
	return reported
}

// IsWider reports whether a stored column of one DuckDB type can become one of another, wider type.
func IsWider(wider, stored string) bool { return slices.Contains(widerTypes[stored], wider) }
