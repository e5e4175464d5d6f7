// Package core is what all parts of a workspace have in common: the lock, the clock, the knobs, and scheduled events.
package core
