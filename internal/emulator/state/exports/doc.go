// Package exports stores the jobs of reporting exports, and writes their files.
package exports
