// Package load keeps the work database: a commit writes rows and their checkpoint in one transaction.
package load
