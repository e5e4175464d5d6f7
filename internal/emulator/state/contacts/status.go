package contacts

import (
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/search"
)

// Status is the status of a contact. Search returns only active contacts.
type Status uint8

// The statuses (workspace-api 3.1).
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

// StoredContact is the state of one contact.
type StoredContact struct {
	Doc *event.Contact // the current version
	search.Shown[event.Contact]
	Status     Status
	Listed     bool  // has an entry in the list of inactive contacts
	Since      int64 // when the status began
	MergedInto int32 // target of a merged contact
}
