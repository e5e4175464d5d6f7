// Package tombstone is the log of erasures: salted hashes of all that was ever erased, outside of the database.
package tombstone
