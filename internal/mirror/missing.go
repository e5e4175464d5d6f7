//go:build !mirror

package mirror

import (
	"context"

	"aqueduck/internal/problem"
)

// built says whether this program has the libraries for these tables. It is no constant: then what follows a check of it would never run.
func built() bool { return len(libraries) > 0 }

// libraries are those that this program was built with.
const libraries = ""

// Missing says why this program has no mirror: it was built without the libraries for these tables.
func Missing() error {
	if built() {
		return nil
	}
	return &problem.Problem{Class: "config", What: "this program was built without the Iceberg mirror", Next: "build it with the mirror: make build-mirror; or remove warehouse.mirror from pipelines.yaml"}
}

// VerifyTables fails: this program has no mirror.
func VerifyTables(context.Context, Target) (Verified, error) { return Verified{}, Missing() }

// MirrorTables fails: this program has no mirror.
func MirrorTables(context.Context, Target) (Report, error) { return Report{}, Missing() }

// CheckTables fails: this program has no mirror.
func CheckTables(context.Context, Target) error { return Missing() }
