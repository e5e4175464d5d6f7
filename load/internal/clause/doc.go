// Package clause writes the parts of statements that follow from the description of a table.
package clause
