package event

import "slices"

// Bot and AIAgent are the authors who are no person.
var (
	Bot     = Author{Type: "bot", ID: "7000001", Name: "Operator", Email: "operator@bots.example"}
	AIAgent = Author{Type: "bot", ID: "7000002", Name: "AI Agent", Email: "ai@bots.example", AI: true}
)

// BotID is the id of Bot as a number.
const BotID = 7000001

// AdminAction is one entry of the activity log of admins. The list of them is only added to, and is the truth.
type AdminAction struct {
	At    int64 // Unix seconds
	ID    string
	N     int32  // number of the entry
	IP    string // from where it was done; "": nobody knows
	Count int    // a number that the entry tells
	Kind  ActionKind
	Admin uint8      // place in Everyone
	Other uint8      // the admin whom it is about, likewise
	Zone  *[2]string // of a change of the time zone: the one before and the one after
	Put   int64      // when it came into the list, which may be later than At; 0: at its time
}

// Admin is a teammate.
type Admin struct {
	ID      int64 // may be beyond 2^53
	Name    string
	Email   string
	InTeams bool // is in those teams that have members
}

// Admins are those that there are now. Two ids are beyond 2^53: readers that go through floats change them (trap T124).
var Admins = []Admin{
	{814860, "Ada Admin", "ada@acme.example", true}, {814861, "Боб", "bob@acme.example", false}, {9007199254740993, "Größe", "big@acme.example", true},
	{200963802864963123, "Huge", "huge@acme.example", false}, {9223372036854775807, "Max", "max@acme.example", true}, {5, "Five", "five@acme.example", false},
}

// Former are admins who were deleted in the year before hour 0: what they wrote and did still names them, and the list of
// admins has them no longer.
var Former = []Admin{
	{814801, "Gone Gustav", "gustav@acme.example", true}, {9007199254740995, "Ушедшая Зоя", "zoya@acme.example", false},
	{814803, "Left Léa", "lea@acme.example", true}, {7, "Ex & Co", "ex+co@acme.example", false},
}

// Everyone are the admins that there ever were; entries of the activity log name them by their places here.
var Everyone = slices.Concat(Admins, Former)

// AdminLeftAt is when the nth of the former admins was deleted: 340, 240, 140 and 40 days before hour 0.
func AdminLeftAt(n int, start int64) int64 { return start - int64(340-100*n)*Day }

// ActionKind is what an admin did.
type ActionKind uint8

// The kinds of the activity log of admins. The last two are not drawn: they happened once each, or once for each former admin.
const (
	LoggedIn ActionKind = iota
	LoginFailed
	LoggedOut
	PermissionsChanged
	AwayModeChanged
	WorkspaceRenamed
	ContactsExported
	MessageSetLive
	MessageDeleted
	InvitationSent
	InvitationChanged
	InvitationWithdrawn
	CampaignDeleted
	ConversationLimitChanged
	TicketLimitChanged
	AdminDeleted
	TimeZoneChanged

	DrawnActions = AdminDeleted // kinds that are drawn come before this one
)
