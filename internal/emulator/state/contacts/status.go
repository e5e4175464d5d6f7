package contacts

import (
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/search"
)

// Status is where a contact stands; anything but active is out of search.
type Status uint8

// Where a contact can stand (workspace-api 3.1).
const (
	Active Status = iota
	Archived
	Blocked
	Merged
	Deleted
	PendingDeletion
	PermanentlyDeleted
)

var statusNames = [...]string{"active", "archived", "blocked", "merged", "deleted", "pending_deletion", "permanently_deleted"}

func (s Status) String() string { return statusNames[s] }

// StoredContact is what the server keeps of one contact to answer from.
type StoredContact struct {
	Doc *event.Contact // as it is now
	search.Shown[event.Contact]
	Status     Status
	Listed     bool  // has an entry in the list of inactive contacts
	Since      int64 // when the status began
	MergedInto int32 // merged: into whom
}
