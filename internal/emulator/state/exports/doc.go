// Package exports keeps the jobs of reporting exports and writes their files.
package exports
