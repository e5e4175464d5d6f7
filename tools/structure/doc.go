// Package structure measures the source of a Go module: length and branches of functions, size of packages, duplicated code, and files
// that need each other in a circle.
package structure
