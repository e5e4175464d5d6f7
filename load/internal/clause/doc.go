// Package clause writes the parts of SQL statements that depend on a table's description.
package clause
