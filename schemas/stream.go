package schemas

import (
	"slices"
	"time"
)

// Requirements is what a workspace must have for a stream, as far as the API's document says.
type Requirements struct {
	Version string // the first API version with the stream; "": not documented
	Scope   string // of the token; "": not documented
}

// Stream is one checked stream file: how one kind of record is read and stored. It must not be changed after it is built.
type Stream struct {
	Name    string // its name in pipelines
	File    string // of its declaration, for messages
	BuiltIn bool   // it comes with the program
	Doc     string // the comment of its table
	Table   string // table of its records: the name, or that of the stream it is like, with its suffix

	Read            Read
	Key             []string      // columns that identify a record
	Newest          string        // timestamp column that decides between two copies of a record; "": the later arrival wins
	Absent          string        // "gone": a record that complete sweeps do not find, or for which a read by id answers 404, is soft-deleted; or Redacted
	Identity        []string      // path of the workspace's id in a record; nil when records have none
	Outdated        bool          // another API version sends different data: everything is read again under it
	Reconcile       time.Duration // interval of reconciliation with the whole list; 0: never
	Into            string        // stream whose tables its records go to; "": its own
	With            string        // stream that it is read along with
	Beside          string        // stored table with copies of the same records, of the stream that is like this one and read along with it, or the other way round; "": none
	Copies          bool          // of the two it is the one with `like`
	Snapshot        bool          // Table_daily keeps a copy of the table for each day
	PublishAs       string        // name of the SQL file with the published relations of this stream and others
	Dataset         string        // of a stream of an export dataset: the dataset's id at the source
	History         bool          // each version of a record that a read found is kept; set by the configuration
	Internal        bool          // the file has a suffix: its tables feed published relations and are not for analysts
	Erase           string        // what an erasure does with a person's rows: "" empties personal columns, "all" everything but the key, "rows" deletes them
	Persons         *Persons      // what the stream knows about contacts as persons; nil: nothing
	queries         []Relation    // the SQL files of Read.Over and Persons
	ColumnFlags     []ColumnFlags // of an export family: what its columns contain, by name
	Requirements    Requirements
	Capped          Capped   // a list of which the source sends only the newest items; zero: none
	DocumentedNotes struct { // texts for the catalogue; "": derived from the rest
		Deletion, Late string
	}

	Ignore   [][]string // paths of constant fields such as type, stored neither in a column nor in _extra; lists on the way are passed through
	Columns  []Column
	Children []Child
}

// Capped describes a list of which the source sends only the newest items, while the record counts all.
type Capped struct {
	Count []string // path of the count in the record
	Most  int64    // items that are sent at most; 0: no cap
	Of    string   // name of what is counted
}

// Read says how a stream is read.
type Read struct {
	Method  string
	Path    string   // relative to the base address; Over fills {id}
	Query   []Param  // sent with each request, in the file's order
	Records []string // keys that may have the list, of which exactly one is present; nil when the answer is the record
	Page    Page
	Since   Since
	Over    *Over
	Below   *Below  // nil: records have no lists of their own
	Detail  *Detail // nil: the list has complete records
	Missing *Detail // without Detail: how a record is read by its id; nil: it is not
}

// Below says that the list, asked with the key of a record, has the records below that one: a tree, which is read as one list.
type Below struct {
	As     string   // query parameter of the key
	Unless []string // path of a field: if a record of the list itself has it, the list is complete; nil: it never is
}

// Single is how one record is read by its id; nil: it is not.
func (r Read) Single() *Detail {
	if r.Detail != nil {
		return r.Detail
	}
	return r.Missing
}

// Detail says that each record of a list is read once more by its id, which is complete.
type Detail struct {
	Path       string        // relative to the base address; {id} is the record's key
	Query      []Param       // sent with each, in the file's order
	UnlessSame [][]string    // paths of fields in the list: when all are as stored, the record is not read
	For, Every time.Duration // records that changed within For are read again every Every, also unchanged ones; 0: never
}

// Param is one fixed query parameter.
type Param struct{ Name, Value string }

// Page says how a list is paged.
type Page struct {
	By   string // none, number, cursor
	In   string // query, body
	Size int    // records per page
	Most int    // records after which the source ends the list; 0: no cap
}

// Since says which records a run reads, and what the checkpoint keeps.
type Since struct {
	By      string        // full, search, bookmark, between, export
	Field   string        // with windows: the timestamp field of the request
	Lag     time.Duration // with windows: how long the source may take to show a change
	Overlap time.Duration // with windows: the lookback window
}

// HasWindows reports whether the stream is read in windows of time: it has a watermark, a history and a configurable start.
func (s Since) HasWindows() bool { return s.By == "search" || s.By == "between" }

// Over says that a stream is read for each row of something else, by one request for each or for several, or for each of some
// literal values.
type Over struct {
	Streams  []string      // streams whose rows give the ids; their commits add the ids to _sync.pending
	Where    string        // column of their tables with the id
	For      time.Duration // rows that changed within it, by `newest` of their stream, are read again every Every; 0: never
	Every    time.Duration // 0: never
	Values   []string      // literal values; each is a whole list
	Optional []string      // values that the source may refuse: their rows, which have the value in the column As, then stay

	View    string   // name of the SQL file
	SQL     string   // its text, with {schema} for the workspace's schema and {raw} for its raw schema; its first column is the id
	Private bool     // errors quote nothing of the file
	After   []string // streams that are read before this one in a run
	As      string   // parameter of the id or value: in a batch the list in the body, else in the query; "": it is in the path
	Size    int      // batch: ids per request; 0: one request per id
}

// TimeColumn is the column with the time by which the list is asked; "" when there is none.
func (s *Stream) TimeColumn() string {
	for _, c := range s.Columns {
		if s.Read.Since.Field != "" && slices.Equal(c.From, []string{s.Read.Since.Field}) && c.Type == Timestamp {
			return c.Name
		}
	}
	return ""
}

// Owner is the stream whose tables the records go to: Into, or itself.
func (s *Stream) Owner() string {
	if s.Into != "" {
		return s.Into
	}
	return s.Name
}

// StoredTable is the table with all rows, soft-deleted ones included.
func (s *Stream) StoredTable() string {
	if s.Absent == "gone" {
		return s.Table + "_all"
	}
	return s.Table
}

// SnapshotDate is the first column of a daily table.
const SnapshotDate = "snapshot_date"

// DailyTable is the table of daily copies of a stream with Snapshot.
func (s *Stream) DailyTable() string { return s.Table + "_daily" }

// ByIDs reports whether the stream is read by ids from the warehouse, and has no list of its own.
func (r Read) ByIDs() bool { return r.Over != nil && len(r.Over.Values) == 0 }

// UsesPendingIDs reports whether the ids wait in _sync.pending until they are read.
func (r Read) UsesPendingIDs() bool { return r.Over != nil && len(r.Over.Streams) > 0 }

// Persons are SQL queries about contacts as persons, with {schema} for the workspace's schema and {raw} for its raw schema.
type Persons struct {
	Deleted string // ids of contacts that the source has deleted for good
	Merged  string // pairs of ids: of a merged contact, and of the one it was merged into
	Private bool   // errors quote nothing of their files
}

// ColumnFlags says what columns contain whose names only the source knows.
type ColumnFlags struct {
	Columns    []string // names, or patterns of names
	Person     bool     // they contain contacts' ids
	PII        bool     // they contain personal data
	References string
}

// AskedIDColumn is the column with the id under which a row was asked for; false when there is none.
func (s *Stream) AskedIDColumn() (Column, bool) {
	i := slices.IndexFunc(s.Columns, func(c Column) bool { return c.From[0] == FromOver })
	if i < 0 {
		return Column{}, false
	}
	return s.Columns[i], true
}

// HasPersonalData reports whether the file marks personal data or an action of erasure.
func (s *Stream) HasPersonalData() bool {
	isPersonal := func(c Column) bool { return c.Person || c.PII }
	return s.Erase != "" || slices.ContainsFunc(s.Columns, isPersonal) ||
		slices.ContainsFunc(s.Children, func(c Child) bool { return c.Erase != "" || slices.ContainsFunc(c.Columns, isPersonal) })
}

// PersonalColumns returns the columns with personal data, of a list's table with its name before it: body, conversation_parts.body.
func (s *Stream) PersonalColumns() (names []string) {
	for _, c := range s.Columns {
		if c.PII {
			names = append(names, c.Name)
		}
	}
	for _, child := range s.Children {
		for _, c := range child.Columns {
			if c.PII && c.From[0] != FromParent {
				names = append(names, child.Table+"."+c.Name)
			}
		}
	}
	return names
}

// IsExportFamily reports whether the stream stands for others, one for each dataset that the source exports. It has no table and
// no columns.
func (s *Stream) IsExportFamily() bool { return s.Read.Since.By == Export && s.Dataset == "" }

// Export is Since.By of an export family and of its streams.
const Export = "export"

// Type is the type of a column.
type Type string

// The types of columns.
const (
	Text      Type = "text"
	Int       Type = "int"
	Double    Type = "double"
	Bool      Type = "bool"
	Timestamp Type = "timestamp"
	Date      Type = "date"
	JSON      Type = "json"
)

// Conversions of a text: to the text without HTML, and to whether that has any character.
const (
	PlainText = "plain_text"
	HasText   = "has_text"
)

// Redacted is a value of Stream.Absent: an answer without rows for an id redacts the stored rows of that id.
const Redacted = "redacted"

// Sources of a column other than a field of the record. They stand alone, or first, in Column.From.
const (
	FromReadAt   = "$read_at"  // the server's time of the answer
	FromOver     = "$over"     // the id that was asked for
	FromParent   = "$parent"   // followed by a column's name: that column of the parent
	FromPosition = "$position" // position in the list, from 0
	FromKey      = "$key"      // key of the entry, where the list is an object
	FromItem     = "$item"     // the item itself, where items are texts or numbers
	FromErased   = "$erased"   // true once an erasure removed what a person wrote in the row
)

// Column is one column of a table.
type Column struct {
	Name          string
	From          []string   // path in the record, or one of the sources above; never empty
	Or            [][]string // further paths, tried in order while the earlier ones have no value
	Type          Type
	As            string // "", plain_text (HTML as text), url, signed_url (without signature), or HasText
	Doc           string
	Required      bool     // a record without it is rejected
	Default       string   // for records without a value; "": NULL
	PII           bool     // personal data
	Person        bool     // contains a contact's id
	Subjects      []string // columns that say whose data it is, with contacts' ids or references, or RecordSubjects; nil: that of the row's persons
	KeptByErasure bool     // with Erase "all": it is kept
	Redactable    bool     // a null from the source also erases the stored value
	RedactedBy    string   // with Redactable: column that is true once the redaction is permanent; "": none
	Volatile      bool     // not part of _hash: it changes without a change of the record
	References    string   // table.column that it refers to
	Attributes    string   // of JSON: kind of record of which its keys are custom attributes, shown in a view
	Words         []string // of a text: the words that the source is known to send; nil: any text
	NarrowerTypes []Type   // narrower types that the stored column had before, in order: their values keep their spelling
}

// RecordSubjects in Column.Subjects means every person that the record, or a row of its children, names.
const RecordSubjects = "record"

// Child is a nested list with a table.
type Child struct {
	Table    string // with the stream's suffix
	Beside   string // as in Stream, for this table
	Doc      string
	Within   string     // table of the child whose items have the list; "" when the record has it
	From     []string   // path of the list in the record or the item
	Or       [][]string // further paths, tried in order while the earlier ones have no items
	Key      []string   // the key columns of the record or the item first
	Entries  bool       // the list is an object: its members are the items
	Complete bool       // the list is complete: stored rows that it lacks are deleted
	Count    []string   // path of the source's number of items; nil: none
	Rest     []string   // path of the URL of the complete list; nil: the list is never capped
	Erase    string     // as in Stream
	Columns  []Column   // those of the parent's key first; $parent is the record or the item
}

// Relation is a view or table made from the tables of a group of streams, or a model.
type Relation struct {
	Name    string
	Kind    string // view or table
	Doc     string
	Columns []RelationColumn // with the file's documentation; other columns keep the comment of their source
	SQL     string           // a SELECT with {schema} for the workspace's schema and {raw} for its raw schema
	Union   []string         // relations whose union it is, without common rows
	Key     []string         // columns that identify a row; nil: not declared
	File    string

	// RowsOf are stored tables. Each row has the columns that all of them have from one of their rows, as they are, and a _synced_at that is not earlier.
	RowsOf []string
	// ChangedBy are the columns, as table.column, whose rows alone decide on the rows of one value of Key[0], such as one conversation. The first one
	// has each value once. nil: not declared.
	ChangedBy []string
	Line      int  // first line of its SQL in the file
	Private   bool // errors quote nothing of the file

	head []headLine
}

// RelationColumn is the documentation of one column of a relation.
type RelationColumn struct {
	Name, Doc string
	From      string // column of a source under another name, which says whether it is personal data; "": the one with the same name
}

// ExtraColumn is the column of every table with the fields that have no column of their own.
const ExtraColumn = "_extra"

// AnyKey stands in a path for the key of any entry.
const AnyKey = "*"

// IsHashable reports whether a column can hold the hash of its field, or holds no value of it.
func (c Column) IsHashable() bool { return c.Type == Text || c.Type == JSON || c.As == HasText }

// IsComputed reports whether the column's source is no field of the record, or of an item.
func (c Column) IsComputed() bool {
	switch c.From[0] {
	case FromReadAt, FromOver, FromParent, FromPosition, FromKey, FromItem, FromErased:
		return true
	}
	return false
}

// PathsFrom are the paths from the record to the column, by the paths to its rows. An item has the path of its row.
func (c Column) PathsFrom(rows [][]string) (paths [][]string) {
	for _, row := range rows {
		if c.From[0] == FromItem {
			paths = append(paths, row)
			continue
		}
		for _, place := range c.Places() {
			paths = append(paths, slices.Concat(row, place))
		}
	}
	return paths
}

// Places are the paths in the record that may fill the column, in order.
func (c Column) Places() [][]string { return append([][]string{c.From}, c.Or...) }

// Places are the paths of the list in the record or in the item around it, in order.
func (c Child) Places() [][]string { return append([][]string{c.From}, c.Or...) }

// PathOf is the first of PathsOf.
func (s *Stream) PathOf(c Child) []string { return s.PathsOf(c)[0] }

// PathsOf are the paths from the record to the items of a child. Lists on the way are passed through; the key of an entry is
// AnyKey.
func (s *Stream) PathsOf(c Child) (paths [][]string) {
	around := [][]string{nil}
	for _, outer := range s.Children {
		if c.Within != "" && outer.Table == c.Within {
			around = s.PathsOf(outer)
		}
	}
	for _, path := range around {
		for _, place := range c.Places() {
			whole := slices.Concat(path, place)
			if c.Entries {
				whole = append(whole, AnyKey)
			}
			paths = append(paths, whole)
		}
	}
	return paths
}
