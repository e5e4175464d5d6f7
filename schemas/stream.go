package schemas

import (
	"slices"
	"time"
)

// Requirements is what a workspace must have for a stream, as far as the API's document names it.
type Requirements struct {
	Version string // the first API version that has it; "": the document names none
	Scope   string // of the token; "": the document names none
}

// Stream is one stream file, read and checked: everything about one kind of record.
type Stream struct {
	Name    string // what a pipeline calls it
	File    string // where it was declared, for messages
	BuiltIn bool   // it comes with the program
	Doc     string // the comment of its table
	Table   string // the table its records go to: the name, or that of the stream it is like, with its suffix

	Read            Read
	Key             []string      // columns that name a record
	Newest          string        // timestamp column that decides between two copies of a record; "" compares by arrival
	Absent          string        // "gone": a record that a complete sweep does not find, or a reading by id answers 404, is marked gone; or Redacted
	Identity        []string      // path in a record of the workspace's id; nil when the records do not tell
	Outdated        bool          // what is stored is not what another API version sends: all is read again under it
	Reconcile       time.Duration // how often the whole list is held against what is stored; 0: never
	Into            string        // the stream whose tables the records go into; "": its own
	With            string        // the stream that this one is read along with
	Beside          string        // the stored table that holds copies of the same records: that of the stream that it is like and read along with, or the other way about; "": none
	Copies          bool          // it is the one of the two that is like the other
	Snapshot        bool          // Table_daily keeps a copy of what there is, one a day
	PublishAs       string        // the SQL file, without its ending, that makes the published relations of this stream's group
	Dataset         string        // of a stream that a family of exports stands for: its id at the source
	History         bool          // each state of a record that was seen is kept; the configuration asks for it
	Internal        bool          // the file gives a suffix: the table feeds published relations and is not itself for analysts
	Erase           string        // what becomes of a forgotten person's rows: "" personal columns null, "all" all but the key, "rows" none is left
	Persons         *Persons      // what the stream tells about persons as such; nil: nothing
	ColumnFlags     []ColumnFlags // of a family of exports: what its columns hold, by name
	Requirements    Requirements  // what a workspace must have for it
	Capped          Capped        // what records count, and have only the newest of; zero: nothing
	DocumentedNotes struct {      // for the catalogue, what the file says itself; "": what follows from the rest
		Deletion, Late string
	}

	Ignore   [][]string // paths of bookkeeping, such as type: into no column and not into _extra; through lists to their items
	Columns  []Column
	Children []Child
}

// Capped is what records count themselves, and the source sends only the newest of.
type Capped struct {
	Count []string // path of the count
	Most  int64    // how many are sent at the most; 0: nothing is cut short
	Of    string   // what is counted
}

// Read says how a stream is asked for.
type Read struct {
	Method  string
	Path    string   // relative to the base address; {id} is filled by Over
	Query   []Param  // sent with each request, in the file's order
	Records []string // the keys that may hold the list, exactly one is there; empty when the answer is the record
	Page    Page
	Since   Since
	Over    *Over
	Below   *Below  // nil: no record of the list holds others of its kind
	Detail  *Detail // nil: the list has all there is
	Missing *Detail // without Detail: how a record that the list lacks is asked for by its id; nil: it is not
}

// Below says that a list has the records inside one of its own when it is asked with its key: a tree, walked as one list.
type Below struct {
	As     string   // query parameter that the key is sent in
	Unless []string // path of a field: where a record of the list itself has it, the list has all; nil: it never does
}

// Single is how one record is read by its id; nil: it is not.
func (r Read) Single() *Detail {
	if r.Detail != nil {
		return r.Detail
	}
	return r.Missing
}

// Detail says that each record of a list is replaced by its own reading.
type Detail struct {
	Path       string        // relative to the base address; {id} is the record's key
	Query      []Param       // sent with each, in the file's order
	UnlessSame [][]string    // paths of fields of the list's record: where all are as stored, it is not read again
	For, Every time.Duration // records changed within For are read again, same or not, each Every; 0: never
}

// Param is one fixed query parameter.
type Param struct{ Name, Value string }

// Page says how one list is walked.
type Page struct {
	By   string // none, number, cursor
	In   string // query, body
	Size int    // records asked for at once
	Most int    // records that the list stops at; 0: it has an end
}

// Since says how far a stream is read and what is remembered.
type Since struct {
	By      string        // full, search, bookmark, between, export
	Field   string        // windowed: the timestamp field that is asked by
	Lag     time.Duration // windowed: how long the source may take to find a changed record
	Overlap time.Duration // windowed: how far behind the mark each reading begins
}

// HasWindows says that the stream is read in windows of time: it has a mark, a history, and a beginning to choose.
func (s Since) HasWindows() bool { return s.By == "search" || s.By == "between" }

// Over says that a stream is one walk per row of something else, one request per so many rows, or one walk per literal value.
type Over struct {
	Streams  []string      // those whose rows it is read over; what they commit is put into _sync.pending for it
	Where    string        // column of their tables with the id
	For      time.Duration // rows that changed within it, by their stream's newest, are walked again each Every; 0: never
	Every    time.Duration // 0: never
	Values   []string      // literal values, one walk over a whole list each
	Optional []string      // those of them that the source may refuse: their rows, which have the value in the column As, stay then

	View  string   // name of the SQL file
	SQL   string   // its text, with {schema} for the workspace's schema; the first column is the id
	After []string // streams that are read before it in the same run
	As    string   // what an id is sent in: of a batch the list in the body, else a query parameter; "": it is in the path
	Size  int      // batch: ids of one request; 0: one walk an id
}

// TimeColumn is the column of the stream's own table with the time that its list is asked by; "" when it is not asked by any.
func (s *Stream) TimeColumn() string {
	for _, c := range s.Columns {
		if s.Read.Since.Field != "" && slices.Equal(c.From, []string{s.Read.Since.Field}) && c.Type == Timestamp {
			return c.Name
		}
	}
	return ""
}

// Owner is the stream whose tables its records go into: itself, or the one of Into.
func (s *Stream) Owner() string {
	if s.Into != "" {
		return s.Into
	}
	return s.Name
}

// storedTable is the table that the rows are in, those that are gone too.
func (s *Stream) storedTable() string {
	if s.Absent == "gone" {
		return s.Table + "_all"
	}
	return s.Table
}

// SnapshotDate is the first column of a table of copies.
const SnapshotDate = "snapshot_date"

// DailyTable is the table of copies of a stream with Snapshot.
func (s *Stream) DailyTable() string { return s.Table + "_daily" }

// ByIDs says that the stream is read under ids which the warehouse tells, and has no list of its own.
func (r Read) ByIDs() bool { return r.Over != nil && len(r.Over.Values) == 0 }

// UsesPendingIDs says that its ids wait in _sync.pending until they are read.
func (r Read) UsesPendingIDs() bool { return r.Over != nil && len(r.Over.Streams) > 0 }

// Persons are SQL files about contacts as persons, with {schema} for the workspace's schema.
type Persons struct {
	Forgotten string // ids that the source has erased for good
	Merged    string // pairs of ids: one that was merged, and the one it was merged into
}

// ColumnFlags says what those columns hold that only the source names.
type ColumnFlags struct {
	Columns    []string // names, or patterns of names
	Person     bool     // they hold ids of contacts
	PII        bool     // they hold personal data
	References string
}

// AskedIDColumn is the column with the id that a row was asked for by.
func (s *Stream) AskedIDColumn() (Column, bool) {
	i := slices.IndexFunc(s.Columns, func(c Column) bool { return c.From[0] == FromOver })
	if i < 0 {
		return Column{}, false
	}
	return s.Columns[i], true
}

// HasPersonalData says whether the file marks a person, personal data, or what becomes of them.
func (s *Stream) HasPersonalData() bool {
	marks := func(c Column) bool { return c.Person || c.PII }
	return s.Erase != "" || slices.ContainsFunc(s.Columns, marks) ||
		slices.ContainsFunc(s.Children, func(c Child) bool { return c.Erase != "" || slices.ContainsFunc(c.Columns, marks) })
}

// IsExportFamily says that the stream stands for others, one a dataset that the source exports: it has no table and no columns.
func (s *Stream) IsExportFamily() bool { return s.Read.Since.By == Export && s.Dataset == "" }

// Export is the way of reading of a family and of the streams that it stands for.
const Export = "export"

// Type is the type of a column: text int double bool timestamp date json.
type Type string

// The types a column may have.
const (
	Text      Type = "text"
	Int       Type = "int"
	Double    Type = "double"
	Bool      Type = "bool"
	Timestamp Type = "timestamp"
	Date      Type = "date"
	JSON      Type = "json"
)

// Redacted is the value of Stream.Absent where an answer without rows takes out the texts of those that are stored.
const Redacted = "redacted"

// Sources of a column that are no field of the record; they stand alone, or first, in Column.From.
const (
	FromReadAt   = "$read_at"  // the server's time of the answer
	FromOver     = "$over"     // the id that was asked for
	FromParent   = "$parent"   // followed by the name of a column of the parent
	FromPosition = "$position" // place in the list, from 0
	FromKey      = "$key"      // key of the entry, of a list that is an object
	FromItem     = "$item"     // the item itself, where items are texts or numbers
	FromErased   = "$erased"   // true once what a forgotten person wrote was taken out of the row
)

// Column is one column of a table.
type Column struct {
	Name       string
	From       []string   // path in the record; one of the sources above; never empty
	Or         [][]string // other paths in the record, in the order they are tried where the ones before have no value
	Type       Type
	As         string // "", plain_text (HTML made readable), url or signed_url (what it is signed with cut off)
	Doc        string
	Required   bool     // a record without it is rejected whole
	Default    string   // value of a record that has none; "": NULL
	PII        bool     // personal data
	Person     bool     // holds a contact's id
	Whose      []string // what tells whom it is about: columns with contacts' ids or references, or WhoseRecord; nil: the row's own
	Stays      bool     // with Erase "all": is kept
	Redactable bool     // the source may take it out: once it comes as null, what was stored of it is erased
	RedactedBy string   // with Redactable: the column that is true once that is for good; "" when none is
	Volatile   bool     // no part of the record's hash: moves without being a change
	References string   // table.column it points to
	Attributes string   // of JSON: its keys are attributes of this kind of record, and have a view
	Was        []Type   // narrower types that the stored column had before Type, in their order: what these held is spelled as they did
}

// WhoseRecord stands in Column.Whose for every person that the record, or a row of its children, names.
const WhoseRecord = "record"

// Child is a nested list that becomes a table of its own.
type Child struct {
	Table    string // with the stream's suffix
	Beside   string // as of a stream
	Doc      string
	Within   string     // table of the child whose items hold the list; "" when the record does
	From     []string   // path of the list in the record, or in the item
	Or       [][]string // other paths of it, in the order they are tried where the ones before have no items
	Key      []string   // the key columns of the record, or of the item, first
	Entries  bool       // the list is an object, and its entries are the items
	Complete bool       // the list is whole: stored rows that are absent from it go
	Count    []string   // path of the number of items the source has; nil when it does not say
	Rest     []string   // path of the URL where a capped list is read on; nil when it is never capped
	Erase    string     // as of a stream
	Columns  []Column   // those of the parent's key first; $parent is the record, or the item
}

// Relation is one view or table made from the tables of a group of streams.
type Relation struct {
	Name    string
	Kind    string // view or table
	Doc     string
	Columns []RelationColumn // those that the file documents; others keep the comment of their source
	SQL     string           // a SELECT with {schema} for the workspace's schema
	Union   []string         // relations that it has the rows and columns of, each row in one of them
	Key     []string         // columns that no two rows share; nil where the file does not say
	File    string           // that it is from
	Line    int              // where its SQL begins in that file
}

// RelationColumn documents one column of a relation.
type RelationColumn struct{ Name, Doc string }

// AnyKey stands in a path for the key of an entry.
const AnyKey = "*"

// Places are the paths in the record that a column may be filled from, the first one first.
func (c Column) Places() [][]string { return append([][]string{c.From}, c.Or...) }

// Places are the paths, in the record or in the item around it, that a child's list may be at, the first one first.
func (c Child) Places() [][]string { return append([][]string{c.From}, c.Or...) }

// PathOf is the path from the record to the items of a child, through the lists that it lies in: the first of PathsOf.
func (s *Stream) PathOf(c Child) []string { return s.PathsOf(c)[0] }

// PathsOf are the paths from the record to the items of a child, through the lists that it lies in. Lists take no part in
// them; entries have a key, whichever.
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
