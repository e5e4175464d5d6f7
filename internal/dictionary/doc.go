// Package dictionary tells which tables and columns there are, where they come from and what reads them.
package dictionary
