// Package tickets keeps the tickets of a workspace, with a log of their own.
package tickets
