// Package workdb is the open work database: its lock, its clock, its log and the tables that are stored.
package workdb
