// Package differ compares the rows of a published file with those of a copy that is kept elsewhere, and gives the rows that the copy lacks.
//
// A row is known by its hash, a hash over all of its columns. The copy stores the hash beside the row, so a comparison reads one column of the copy and
// needs no key: relations without one are compared in the same way, and rows that are there twice stay so.
package differ
