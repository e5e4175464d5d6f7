// Package mirror makes Apache Iceberg tables equal to the published file of a warehouse.
//
// Each relation is one table of format 2. A mirror compares the hashes of the rows that a table has with those of the file, and commits the difference
// in one transaction: a file of position deletes, and files with the new rows. So it needs no memory of what it did before: after a kill, a rollback
// or a dropped table the next mirror does what is missing. Each snapshot names the published file and the mirror that made it.
//
// The table _mirror has a row for the beginning and the end of each mirror. A mirror commits to other tables only while the last row is its own.
//
// The libraries for these tables take minutes of CPU time to compile: what imports them has the build tag mirror. Without it, Missing says so.
package mirror
