// Package facts answers questions about what the work database, or a published file, holds.
package facts
