// Package problem says what is wrong in the form that every error has: class, exit code, what was being done, next step.
package problem
