// Package stage copies Arrow batches and lists of texts into DuckDB's temporary tables.
package stage
