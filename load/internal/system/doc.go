// Package system defines the tables of schema _sync and the format of the database.
package system
