// Package load keeps the work database. A commit writes rows and the checkpoint that they make true in one transaction.
package load
