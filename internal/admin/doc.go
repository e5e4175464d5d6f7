// Package admin changes a warehouse by hand: it erases a person, moves checkpoints, and rolls back to an older published file.
package admin
