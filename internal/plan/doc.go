// Package plan says what a run would read, create and request, without doing it.
package plan
