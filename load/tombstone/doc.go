// Package tombstone is the log of erasures, erasures.log: salted hashes of all erased persons and rows, outside of the database.
package tombstone
