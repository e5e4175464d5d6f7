//go:build !duckdb_arrow

package duck

// Without its build tag DuckDB takes no Arrow, and the compiler would complain about names that say nothing to whoever
// builds. This mistake is on purpose: its message says what to do.
const buildTagMissing string = "run `make build`, or first `export GOFLAGS=-tags=duckdb_arrow`"

var _ int = buildTagMissing
