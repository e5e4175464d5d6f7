// Package load keeps the work database: rows and checkpoints enter it together, one transaction a commit.
package load
