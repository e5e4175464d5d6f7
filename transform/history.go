package transform

import "aqueduck/schemas"

// Columns of a history table.
const (
	ValidFrom       = "valid_from"
	ValidTo         = "valid_to"
	SourceUpdatedAt = "source_updated_at"
	Lifecycle       = "lifecycle"
)

// LifecycleGone is the lifecycle of a record that the source no longer has, when nothing more is known.
const LifecycleGone = "gone"

// HistoryColumns are the columns that a history has besides those of its records' table.
func HistoryColumns() []string { return []string{ValidFrom, SourceUpdatedAt, ValidTo, Lifecycle} }

// History is the table of the versions of a stream's records: the columns of the stream's own table, and from when to when a read
// found each version. It is false when the stream keeps no history.
func History(s *schemas.Stream) (Table, bool) {
	if !s.History {
		return Table{}, false
	}
	own := Tables(s)[0]
	t := Table{
		Name: own.History, HistoryOf: own.Name, File: own.File, Key: append(append([]string{}, s.Key...), ValidFrom),
		Doc: "One row per state of a record of " + s.Name + " that a run has seen since history: true. Changes only in its lists make no state. " + s.Doc,
	}
	t.Columns = tableColumns(s.Columns)
	t.Columns = append(t.Columns, systemColumns(false)[:2]...) // _extra and _api_version
	t.Columns = append(t.Columns,
		systemColumn(ValidFrom, schemas.Timestamp, "Server's time of the answer that first showed the state. A second state in the same second is a microsecond later."),
		systemColumn(SourceUpdatedAt, schemas.Timestamp, "Time of the change, from the record itself; null if it has none."),
		systemColumn(ValidTo, schemas.Timestamp, "Start of the next state, or time when a run found the record gone; null for the open state."),
		systemColumn(Lifecycle, schemas.Text, "Reason for the end of the last state: gone; for a contact archived, blocked, merged, deleted and so on. Null for the open state, and before a next state."),
		systemColumn(SyncedAtColumn, schemas.Timestamp, "Time of the commit that last changed the row."),
		systemColumn(RunIDColumn, schemas.Text, "Run that last changed the row."))
	return t, true
}
