// Package contacts keeps the contacts of a workspace: their log, what follows from it, and what may be done to them.
package contacts
