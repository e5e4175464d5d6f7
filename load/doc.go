// Package load keeps the work database: a commit writes rows and their checkpoint in one transaction.
//
// Where a temporary relation has columns of a stream file, its other columns have names with two underscores first, as in __state. No column of a
// stream file can be called so: DuckDB would take one for the other without an error (T200).
package load
