// Package system has the tables of schema _sync, by the format of the database.
package system
