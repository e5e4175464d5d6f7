package event

// Contact is one version of a contact's attributes. It is never changed once it is in the log or shown: a change makes a
// copy, so answers are rendered from it without holding the lock. An empty text and a zero time stand for null.
type Contact struct {
	ID, ExternalID, Email, Phone, Name, Avatar, Language string

	Owner                                                    int64 // admin's id
	Created, Updated, SignedUp, LastSeen, LastReplied        int64 // Unix seconds, as are those of the next line
	LastContacted, LastOpened, LastClicked, Android, IOSSeen int64 // likewise; Android and IOSSeen: when an app last saw it

	Place      *ContactLocation
	Browser    *Browser
	AndroidApp *MobileApp
	IOSApp     *MobileApp

	Attrs     []Attribute
	Social    []SocialProfile
	Tags      []int32
	Notes     []int32
	Companies []int32
	Left      []int32 // subscriptions that it was in, and is no longer
	Joined    []int32 // those that it is in beside the ones that it was born with

	User, Verified, Unsubscribed, Spam, Bounced bool // User: not a lead; the others as the API calls them

	Only bool // it was born with nothing but what somebody said
}

// ContactLocation is where a contact was seen last, as far as that is known.
type ContactLocation struct {
	Country string `json:"country"`
	Region  string `json:"region"`
	City    string `json:"city"`
}

// Browser is what a contact uses on the web.
type Browser struct {
	Name     string `json:"browser"`
	Version  string `json:"browser_version"`
	Language string `json:"browser_language"`
	OS       string `json:"os"`
}

// MobileApp is what a contact uses on a telephone.
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

// Attribute is one custom attribute; Raw is its value as JSON text, as it is sent.
type Attribute struct{ Name, Raw string }

// OwnAttribute is what the names of custom attributes begin with where other fields are named too.
const OwnAttribute = "custom_attributes."

// FieldChange is one field of a contact set to a value: text, an integer, bool, or nil for null. Fields are named as the
// oracle's columns are; custom_attributes.<name> sets one attribute, nil removes it, a number given as Number keeps its text.
type FieldChange struct {
	Field string
	Value any
}

// Number is a JSON number kept as it is written.
type Number string

// ContactKind is what happened to a contact.
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
	User    bool // Created: the role it began with; RoleChanged: the role it has now
	Quiet   bool // moves no updated_at
	Listed  bool // Deleted: gets an entry in the list of inactive contacts
	Contact int32
	Other   int32         // Merged, MergeFailed: into whom; Tagged and so on: the tag, note, company or subscription
	Born    *Contact      // Created: its attributes. For the population those of hour 0: its log tells no changes of fields before
	Set     []FieldChange // Updated
	Text    string        // Noted: the body; MergeFailed: the reason
}
