// Package fault has what goes wrong on purpose on the way of an answer: faults, the chaos that draws them, and games with the JSON of
// good answers.
package fault
