// Package structure measures the source of a Go module: how long and branched its functions are, how large its packages, what is written
// twice, and which files need each other in a circle.
package structure
