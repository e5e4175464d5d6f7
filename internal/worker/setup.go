package worker

import (
	"context"
	"log/slog"

	"aqueduck/internal/config"
)

// Setup is what the command gives a worker.
type Setup struct {
	Address  string // of Temporal
	Parallel int    // workspaces that this worker runs at the same time
	Log      *slog.Logger

	Config func() (*config.Config, error) // reads the configuration
	// Run runs a pipeline of a workspace once and reports a failure itself. It calls beat while its process lives, and stops as on a signal when ctx ends.
	Run func(ctx context.Context, workspace, pipeline string, beat func()) Outcome
}
