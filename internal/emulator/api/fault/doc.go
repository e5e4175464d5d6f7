// Package fault injects what goes wrong on the way of an answer: faults by request number, chaos by probability, and mangled JSON in good
// answers.
package fault
