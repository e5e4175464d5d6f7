package emulator

// Kind is what happened to a contact.
type Kind uint8

// The kinds of the log.
const (
	Created Kind = iota + 1
	Updated
	RoleChanged
	Tagged
	Untagged
	Noted
	CompanyAttached
	CompanyDetached
	Merged
	MergeFailed
	Archived
	Unarchived
	Blocked
	Unblocked
	Deleted
	DeletionRequested
	Erased
	NoteDeleted
	SubscriptionLeft
	SubscriptionJoined
)

// Event is one entry of the log. The log is only ever appended to, and is the truth: what is served and what the
// oracle says are both computed from it, by code that shares nothing else.
type Event struct {
	At      int64
	Kind    Kind
	User    bool // Created: the role it began with; RoleChanged: the role it has now
	Quiet   bool // moves no updated_at
	Listed  bool // Deleted: gets an entry in the list of inactive contacts
	Contact int32
	Other   int32    // Merged, MergeFailed: into whom; Tagged and so on: the tag, note, company or subscription
	Born    *doc     // Created: its attributes. For the population those of hour 0: its log tells no changes of fields before
	Set     []Change // Updated
	Text    string   // Noted: the body; MergeFailed: the reason
}

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
	doc *doc // as it is now
	placed[doc]
	status status
	listed bool  // has an entry in the list of inactive contacts
	since  int64 // when the status began
	into   int32 // merged: into whom
}
