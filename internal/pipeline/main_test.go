package pipeline_test

import (
	"os"
	"testing"

	"aqueduck/internal/sandbox"
	"aqueduck/internal/sync"
)

// The test binary is also the process in which models of users are made.
func TestMain(m *testing.M) {
	if sandbox.IsTaskProcess() {
		os.Exit(sandbox.Serve(sync.Tasks()))
	}
	os.Exit(m.Run())
}
