// Package cli holds the commands of the program.
package cli
