// Package sync runs one pipeline once: it prepares the run, has each stream read, publishes, and reports.
package sync
