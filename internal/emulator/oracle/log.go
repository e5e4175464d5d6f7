package oracle

import "aqueduck/internal/emulator/event"

// Row is a row of a stream: its columns by their names.
type Row = map[string]any

// Oracle tells what a perfect reader holds of a workspace at a time.
type Oracle struct {
	log   event.EventLog
	at    int64
	terms event.OracleTerms
	began int64 // when the workspace did

	people []replayedContact
	merges map[int32]int32 // by contact: into whom, while it stands as merged
}
