package sync

import (
	"aqueduck/internal/sandbox"
	"aqueduck/load/publish"
)

// Tasks returns what this program runs in separate processes: everything that executes SQL of users.
func Tasks() map[string]sandbox.Task { return publish.Tasks() }
