package oracle

import "aqueduck/internal/emulator/event"

// Row is a row of a stream: its columns by name.
type Row = map[string]any

// Oracle computes the rows that a perfect reader has of a workspace at a time.
type Oracle struct {
	log   event.EventLog
	at    int64
	terms event.OracleTerms
	began int64 // when the workspace began

	people []replayedContact
	merges map[int32]int32 // target of each merged contact, while it is merged
}
