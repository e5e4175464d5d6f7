// Package warehouse is the work database as all streams of a run share it, one commit at a time.
package warehouse
