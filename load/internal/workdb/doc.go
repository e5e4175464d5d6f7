// Package workdb is the open work database: its mutex, its clock, its log and its stored tables.
package workdb
