// Package stage copies batches of Arrow, and lists of texts, into temporary tables.
package stage
