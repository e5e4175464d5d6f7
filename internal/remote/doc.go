// Package remote keeps the published file of a warehouse in an object store, so that another machine can go on from it and readers can copy it.
//
// The object head.json names the file that counts. It moves only by If-Match on the version that a machine began from, so of two machines one
// moves it. The other has lost, and begins its next run from the newer file. All else is written before the head, under names that are
// never used again.
package remote
