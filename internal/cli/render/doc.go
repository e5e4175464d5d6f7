// Package render prints results, logs and runs under way.
package render
