// Package mask hashes and drops values that are stored already, and takes that back.
package mask
