// Package problem gives every error its form: class, exit code, what was being done, and the next step.
package problem
