package sync

import (
	"aqueduck/internal/sandbox"
	"aqueduck/load/publish"
)

// Tasks are what this program does in processes of their own: whatever runs SQL that others have written.
func Tasks() map[string]sandbox.Task { return publish.Tasks() }
