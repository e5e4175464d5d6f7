// Package runner has what every command works with: configuration, catalogue, directory, connection and clock, and which streams a run
// reads.
package runner
