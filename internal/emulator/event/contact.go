package event

// Contact is one version of a contact's attributes. A version never changes once it is in the log or in search: an update makes a copy. So
// answers are rendered from it without the lock. An empty text and a zero time stand for null.
type Contact struct {
	ID, ExternalID, Email, Phone, Name, Avatar, Language string

	Owner                                                    int64 // admin's id
	Created, Updated, SignedUp, LastSeen, LastReplied        int64 // Unix seconds, as are those of the next line
	LastContacted, LastOpened, LastClicked, Android, IOSSeen int64 // likewise; Android and IOSSeen: when an app last saw it

	Place      *ContactLocation
	Browser    *Browser
	AndroidApp *MobileApp
	IOSApp     *MobileApp

	Attrs               []Attribute
	Social              []SocialProfile
	Tags                []int32
	Notes               []int32
	Companies           []int32
	LeftSubscriptions   []int32 // subscriptions that it has left
	JoinedSubscriptions []int32 // subscriptions that it has joined, besides the initial ones

	User, Verified, Unsubscribed, Spam, Bounced bool // User: false for a lead; the others as the API calls them

	Plain bool // created by a request or an operation, with only the fields that were sent
}

// ContactLocation is where a contact was last seen, as far as it is known.
type ContactLocation struct {
	Country string `json:"country"`
	Region  string `json:"region"`
	City    string `json:"city"`
}

// Browser is a contact's web browser.
type Browser struct {
	Name     string `json:"browser"`
	Version  string `json:"browser_version"`
	Language string `json:"browser_language"`
	OS       string `json:"os"`
}

// MobileApp is a contact's mobile app.
type MobileApp struct {
	Name    string `json:"app_name"`
	Version string `json:"app_version"`
	Device  string `json:"device"`
	OS      string `json:"os_version"`
	SDK     string `json:"sdk_version"`
}

// SocialProfile is an account of a contact at another service.
type SocialProfile struct {
	Name string `json:"name"`
	URL  string `json:"url"`
}

// Attribute is one custom attribute; Raw is its value as JSON text, in the form in which it is sent.
type Attribute struct{ Name, Raw string }

// ContactNote is a note about a contact.
type ContactNote struct {
	Body string
	At   int64 // Unix seconds
	By   int64 // id of the admin who wrote it
}

// NotesPerContact is more than the notes that a contact is drawn with: the number of a drawn note is the contact's number times this, and more.
const NotesPerContact = 32

// OwnAttribute is the prefix of custom attributes among names of other fields.
const OwnAttribute = "custom_attributes."

// FieldChange sets one field to a value: text, an integer, bool, or nil for null. Fields have the names of the oracle's columns.
// custom_attributes.<name> sets one attribute, and nil removes it. A value of type Number keeps its text.
type FieldChange struct {
	Field string
	Value any
}

// Number is a JSON number that keeps its text.
type Number string

// ContactKind is the kind of a contact event.
type ContactKind uint8

// The kinds of the log of contacts.
const (
	Created ContactKind = iota + 1
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

// ContactEvent is one entry of the log of contacts.
type ContactEvent struct {
	At      int64 // Unix seconds
	Kind    ContactKind
	User    bool // Created: the initial role; RoleChanged: the new role
	Quiet   bool // does not move updated_at
	Listed  bool // Deleted: gets an entry in the list of inactive contacts
	Contact int32
	Other   int32         // Merged, MergeFailed: the target contact; Tagged and so on: the tag, note, company or subscription
	Born    *Contact      // Created: its attributes. Contacts of the population have those of hour 0, as the log has no field changes before
	Set     []FieldChange // Updated; Noted: the admin_id of the author, if one is named
	Back    int64         // Updated: so many seconds by which updated_at moves back
	Text    string        // Noted: the body; MergeFailed: the reason
}
