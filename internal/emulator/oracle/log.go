package oracle

import "aqueduck/internal/emulator/event"

// Row is a row of a stream: its columns by their names.
type Row = map[string]any

// Oracle tells what a perfect reader holds of a workspace at a time.
type Oracle struct {
	log   event.Log
	at    int64
	terms event.Terms
	began int64 // when the workspace did

	people []person
	merges map[int32]int32 // by contact: into whom, while it stands as merged
}
