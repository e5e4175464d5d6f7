// Package contacts stores the contacts of a workspace: their log, what follows from it, and the operations on them.
package contacts
