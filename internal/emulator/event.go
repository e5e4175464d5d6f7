package emulator

import (
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/search"
)

// status is where a contact stands; anything but active is out of search.
type status uint8

const (
	active status = iota
	archived
	blocked
	merged
	deleted
	pendingDeletion
	permanentlyDeleted
)

var statusNames = [...]string{"active", "archived", "blocked", "merged", "deleted", "pending_deletion", "permanently_deleted"}

func (s status) String() string { return statusNames[s] }

// contact is what the server keeps of one contact to answer from.
type contact struct {
	doc *event.Contact // as it is now
	search.Shown[event.Contact]
	status status
	listed bool  // has an entry in the list of inactive contacts
	since  int64 // when the status began
	into   int32 // merged: into whom
}
