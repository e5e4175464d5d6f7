// Package fault spoils answers on purpose: planned faults, chaos that draws them at random, and changes to the JSON of good answers.
package fault
