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
	AbsentColumn   = "_absent"  // in batches only, of tables with groups: the bits of those that the answer left out
	ExtraColumn    = "_extra"
	VersionColumn  = "_api_version"
	HashColumn     = "_hash"
	GoneColumn     = "_gone_at" // of tables with Gone only
	SyncedAtColumn = "_synced_at"
	RunIDColumn    = "_run_id"
)

// Column is one stored column of a table.
type Column struct {
	Name       string
	Type       schemas.Type
	SQL        string         // the type in DuckDB
	Arrow      arrow.DataType // the type in a batch
	Doc        string
	PII        bool           // personal data
	Person     bool           // it holds a contact's id
	Whose      []string       // what tells whom it is about (schemas.Column)
	Stays      bool           // kept where all else of a row is erased
	Redactable bool           // once it comes as null, what was stored of it is erased
	RedactedBy string         // the column that is true once that is for good
	Erased     bool           // set where what a forgotten person wrote was taken out of the row
	Volatile   bool           // no part of the record's hash: it moves without being a change
	Was        []schemas.Type // narrower types that the stored column had
	References string
	As         string     // what is made of a text (schemas.Column)
	Path       []string   // path in the record, or in the item of a child's list; nil when the column has another source
	Or         [][]string // other paths, in the order they are tried where the ones before have no value
}

// Table is one stored table.
type Table struct {
	Name      string // the physical table
	View      string // the view of the rows that are not gone; "" when Name is what people read
	Beside    string // table with other copies of the same records: what is stored of one is the newer of both; "": none
	Copies    bool   // of the two it is the one that is like the other: what both note is noted of the other
	Doc       string
	Columns   []Column // in order, up to and including _synced_at and _run_id
	Key       []string // columns that name a row
	Newest    string   // column that decides between two copies of a row; "" compares by arrival
	Dated     string   // column that decides between two copies in one batch: Newest, else the source's updated_at; "" compares by arrival
	Parent    string   // physical table of the parent; "" for the stream's own
	ParentKey []string // columns that hold the parent's key, in its order
	Complete  bool     // a batch brings the whole set of a parent's rows: stored ones that are absent from it go
	Within    string   // physical table of the items whose lists these rows are of; "" when the record has the list
	WithinKey []string // columns that hold the key of the item, in its order
	Gone      bool     // has _gone_at
	MutedBy   string   // column with the id whose answer without rows takes out what is redactable; "": none does
	History   string   // table of the states that its rows were in; "" when they are not kept
	HistoryOf string   // table whose rows' states these are; "" for all others
	CopyOf    string   // table whose rows of each day these are; "" for all others
	Erase     string   // what becomes of a forgotten person's rows (schemas.Stream)
	Unmarked  bool     // a user's own file, which says nothing of persons
	Groups    []Group  // what a record, or an item, has of lists and objects; of tables of a batch only
	Absent    bool     // batches have AbsentColumn
}

// Group is a list or an object of a record: what an answer that leaves it out says nothing of.
type Group struct {
	Bit     uint64   // in AbsentColumn
	Path    string   // with dots, in the record or in the item
	Columns []string // of the row itself
	Child   string   // physical table of the rows of a list; "" of an object
}

// maxGroups is how many groups a table may have: as many as AbsentColumn has bits, but for the sign.
const maxGroups = 63

// Mode says how a batch enters its table.
type Mode int

// The modes of a batch.
const (
	Merge         Mode = iota // by key: the newest copy stays; complete child sets are replaced, others added to
	ReplaceWindow             // the rows of Window go, those of the batch come
	Add                       // rows come, none go
)

// Batch is a number of records of one table. Whoever receives it releases Rows.
type Batch struct {
	Table       Table
	Mode        Mode
	Sweep       int               // above 0: the keys count as seen in this sweep
	Seen        []string          // and so do these, of records that are left as they are stored; of tables with a key of one column
	Rows        arrow.RecordBatch // _row, then the table's columns without _synced_at and _run_id; built whole, never a slice
	Window      [2]time.Time
	SchemaDrift []SchemaDrift // what these rows have that the stream file does not know, each told once by a decoder

	ChildStreams []ChildStream // streams that are read over rows of the table: each that comes or changes waits for them
	Answered     []string      // ids that the stream waits for no longer: the batch has all that there is under them
	RedactedIDs  []string      // of a table with MutedBy: ids that answered, and have no rows any more
	Incomplete   []Incomplete  // records that could not be read whole; of tables with a key of one column
	Completed    []string      // keys of those that were noted so before, and came whole, or are gone

	Misfits []Misfit // what did not fit, by record; of the stream's own table, those of its children too

	AskedAt time.Time // as of the commit that last put one of them there; what was put there since still waits
	Refresh bool      // of a full refresh: what was stored before it gives way to what differs, however new it says it is
}

// Incomplete is a record that an answer did not bring whole. What is stored of it stays.
type Incomplete struct {
	Key, Reason string
	Error       string // of one that cannot be read
}

// Why a record is incomplete, beside the reasons that extract finds for one read by itself.
const (
	LeftOut = "left_out" // a list or an object of it that is stored was left out
	Lacks   = "lacks"    // a list or an object of it was left out that the source always sends
	Recheck = "recheck"  // it may have been read too early: the next run asks once more
)

// ChildStream is a stream that is read over the rows of a table.
type ChildStream struct {
	Stream string
	Column string // has the id
}

// Tables gives the tables of a stream: its own first, those of its children after, in the order of the file.
func Tables(s *schemas.Stream) []Table {
	own := Table{
		Name:    s.Table,
		Beside:  s.Beside,
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
		own.MutedBy = asked.Name
	}
	if own.Gone {
		own.Name, own.View = s.Table+"_all", s.Table
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
	return tables
}

// newestColumn names the column that tells the newer of two copies of a record in one answer. A whole list is the source's word on what
// there is now, so that a stream may have no newest; the copies within it still say when each was changed.
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

// SnapshotTable is the table that keeps a copy of a stream's own table a day: what there is then, under the date.
func SnapshotTable(s *schemas.Stream) (t Table, ok bool) {
	if !s.Snapshot {
		return Table{}, false
	}
	date := Column{Name: schemas.SnapshotDate, Type: schemas.Date, SQL: codecs[schemas.Date].sql, Arrow: codecs[schemas.Date].arrow,
		Doc: "Day of the copy, in the time zone of the warehouse. The copy is from the last run of the day."}
	own := append([]Column{date}, tableColumns(s.Columns)...)
	for i := range own {
		own[i].Path, own[i].Or = nil, nil // filled from the table, and from no record
	}
	return Table{Name: s.DailyTable(), CopyOf: Tables(s)[0].Name, Doc: "One row per day for each row of " + s.Table + " on that day. " + s.Doc,
		Columns: append(own, systemColumns(false)...), Key: append([]string{date.Name}, s.Key...)}, true
}

// fromAbove gives the columns of a child that hold the key of what its list lies in: those filled from it, else the first
// of the child's own key.
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
			PII: c.PII, Person: c.Person, Volatile: c.Volatile, Was: c.Was, References: c.References,
			Whose: c.Whose, Stays: c.Stays, Redactable: c.Redactable, RedactedBy: c.RedactedBy, Erased: c.From[0] == schemas.FromErased,
		}
		if !isComputed(c.From) {
			column.Path, column.Or, column.As = c.From, c.Or, c.As
		}
		list = append(list, column)
	}
	return list
}

// isComputed says whether a column's source is no field of the record.
func isComputed(from []string) bool {
	switch from[0] {
	case schemas.FromReadAt, schemas.FromOver, schemas.FromParent, schemas.FromPosition, schemas.FromKey, schemas.FromItem, schemas.FromErased:
		return true
	}
	return false
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
