// Package mask applies a changed masking to rows that are stored already, and tracks which rows still lack unmasked values.
package mask
