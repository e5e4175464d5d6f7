// Package calls keeps the calls of a workspace.
package calls
