//go:build !worker

package worker

import (
	"context"

	"aqueduck/internal/problem"
)

// IsBuilt says that this program has no worker: it was built without the libraries of Temporal.
func IsBuilt() bool { return false }

// WorkFor fails: this program has no worker.
func WorkFor(context.Context, Setup) error {
	return &problem.Problem{Class: "config", What: "this program was built without the worker", Next: "build it with the worker: make build-worker; or give each workspace a job of its own: aqueduck sync --workspace NAME"}
}
