// Package runner is the setup that all commands share: configuration, catalogue of streams, directory, connection and clock, and which
// streams a run reads.
package runner
