// Package plan says what a run would read, make and ask for, without doing it.
package plan
