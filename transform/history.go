package transform

import "aqueduck/schemas"

// Columns of a history.
const (
	ValidFrom       = "valid_from"
	ValidTo         = "valid_to"
	SourceUpdatedAt = "source_updated_at"
	Lifecycle       = "lifecycle"
)

// LifecycleGone is the lifecycle of a record that the source was found not to have any more, where nothing tells more of it.
const LifecycleGone = "gone"

// HistoryColumns are those that a history has and the table of its records has not.
func HistoryColumns() []string { return []string{ValidFrom, SourceUpdatedAt, ValidTo, Lifecycle} }

// History gives the table of the states that the records of a stream were in, when they are kept: the columns of the stream's
// own table, and from when to when a read found them so.
func History(s *schemas.Stream) (Table, bool) {
	if !s.History {
		return Table{}, false
	}
	own := Tables(s)[0]
	t := Table{
		Name: own.History, HistoryOf: own.Name, Key: append(append([]string{}, s.Key...), ValidFrom),
		Doc: "One row a state of a record of " + s.Name + " that a read has seen, from the time its history is kept. A change of its lists alone is none. " + s.Doc,
	}
	t.Columns = tableColumns(s.Columns)
	t.Columns = append(t.Columns, systemColumns(false)[:2]...) // _extra and _api_version
	t.Columns = append(t.Columns,
		systemColumn(ValidFrom, schemas.Timestamp, "Time of the server's answer that first showed the state; a microsecond after the state before it where one second had both."),
		systemColumn(SourceUpdatedAt, schemas.Timestamp, "When the record was changed, by its own word; null where it has none."),
		systemColumn(ValidTo, schemas.Timestamp, "When the next state, or that the source no longer has the record, was first seen; null while neither was."),
		systemColumn(Lifecycle, schemas.Text, "What became of the record when the state ended: gone; of a contact archived, blocked, merged, deleted and so on. Null while the state lasts, and where another one followed."),
		systemColumn(SyncedAtColumn, schemas.Timestamp, "When the row was last changed here."),
		systemColumn(RunIDColumn, schemas.Text, "The run that last changed the row."))
	return t, true
}
