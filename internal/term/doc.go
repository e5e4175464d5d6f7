// Package term writes counts, times and durations as people read them.
package term
