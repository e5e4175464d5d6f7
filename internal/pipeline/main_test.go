package pipeline_test

import (
	"os"
	"testing"

	"aqueduck/internal/sandbox"
	"aqueduck/internal/sync"
)

// TestMain makes the test binary also the process that builds users' models.
func TestMain(m *testing.M) {
	if sandbox.IsTaskProcess() {
		os.Exit(sandbox.Serve(sync.Tasks()))
	}
	os.Exit(m.Run())
}
