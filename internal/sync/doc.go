// Package sync runs one pipeline once: it prepares the run, reads each stream, publishes and reports.
package sync
