// Package aqueduck holds the tests that look at the whole repository; the program is cmd/aqueduck.
package aqueduck
