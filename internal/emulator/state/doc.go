// Package state joins all state of a workspace, and simulates its hours.
package state
