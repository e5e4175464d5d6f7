// Package emulate serves emulated workspaces: by a command of its own, or inside a run.
package emulate
