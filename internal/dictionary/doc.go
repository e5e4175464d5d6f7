// Package dictionary describes the tables and columns, their provenance and their lineage.
package dictionary
