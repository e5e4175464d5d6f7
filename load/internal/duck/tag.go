//go:build !duckdb_arrow

package duck

// Without this build tag the driver has no Arrow, and the compiler's errors would not say why. The type error below is deliberate:
// its message says what to do.
const buildTagMissing string = "run `make build`, or first `export GOFLAGS=-tags=duckdb_arrow`"

var _ int = buildTagMissing
