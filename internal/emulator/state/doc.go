// Package state joins all that a workspace keeps, and lets its hours pass.
package state
