// Package tickets stores the tickets of a workspace, with their own log.
package tickets
