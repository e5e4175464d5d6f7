// Package warehouse lets all streams of a run share the work database, one commit at a time.
package warehouse
