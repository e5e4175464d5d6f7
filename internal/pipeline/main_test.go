package pipeline_test

import (
	"os"
	"testing"

	"aqueduck/internal/pipeline"
	"aqueduck/internal/sandbox"
)

// The test binary is also the process in which models of users are made.
func TestMain(m *testing.M) {
	if sandbox.Asked() {
		os.Exit(sandbox.Serve(pipeline.Tasks()))
	}
	os.Exit(m.Run())
}
