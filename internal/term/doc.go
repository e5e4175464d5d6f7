// Package term writes tables, counts, times and durations as people read them in a terminal.
package term
