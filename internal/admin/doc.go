// Package admin changes a warehouse by hand: it erases a person, moves checkpoints, and goes back to an older published file.
package admin
