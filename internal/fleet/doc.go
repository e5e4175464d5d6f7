// Package fleet tells the state of many workspaces, one row each, whichever machine ran them last.
package fleet
