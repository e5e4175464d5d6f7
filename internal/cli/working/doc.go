// Package working has the command worker.
package working
