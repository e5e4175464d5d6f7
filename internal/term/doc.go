// Package term formats counts, times, durations and texts of CSV files for people.
package term
