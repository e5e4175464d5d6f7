package plan

import (
	"aqueduck/extract"
	"aqueduck/internal/sync/warehouse"
	"aqueduck/internal/term"
)

// describeExport says what a run would read of a dataset.
func describeExport(state extract.State) string {
	text := "days since " + term.OrDash(warehouse.UnixTime(state.SyncedTo)) + ", and those that may have changed"
	if !state.HistoryDone {
		text += ", then from " + term.OrDash(warehouse.UnixTime(state.HistoryTo)) + " back"
	}
	if state.Export.Job != nil {
		text += "; goes on with an export that is under way"
	}
	return text
}
