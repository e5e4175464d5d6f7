// Package term formats counts, times and durations for people.
package term
