//go:build !worker

package worker

import (
	"context"

	"aqueduck/internal/problem"
)

// built says whether this program has the libraries of Temporal. It is no constant: then what follows a check of it would never run.
func built() bool { return len(libraries) > 0 }

// libraries are those that this program was built with.
const libraries = ""

// WorkFor fails: this program has no worker.
func WorkFor(context.Context, Setup) error { return Missing() }

// Missing says why this program has no worker: it was built without the libraries of Temporal.
func Missing() error {
	if built() {
		return nil
	}
	return &problem.Problem{Class: "config", What: "this program was built without the worker", Next: "build it with the worker: make build-worker; or give each workspace a job of its own: aqueduck sync --workspace NAME"}
}
