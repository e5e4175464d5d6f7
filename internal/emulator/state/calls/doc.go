// Package calls stores the calls of a workspace.
package calls
