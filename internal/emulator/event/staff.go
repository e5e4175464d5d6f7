package event

// Bot and AIAgent are the authors that are not persons.
var (
	Bot     = Author{Type: "bot", ID: "7000001", Name: "Operator", Email: "operator@bots.example"}
	AIAgent = Author{Type: "bot", ID: "7000002", Name: "AI Agent", Email: "ai@bots.example", AI: true}
)

// BotID is the id of Bot as a number.
const BotID = 7000001

// AdminAction is one entry of the activity log of admins. The log is append-only and is the truth.
type AdminAction struct {
	At       int64 // Unix seconds
	ID       string
	N        int32  // number of the entry
	IP       string // address that it was done from; "": unknown
	Count    int    // a number that the entry sends
	Kind     ActionKind
	Admin    uint8      // index in Cast.Everyone
	Other    uint8      // the admin that the action is about, likewise
	Zone     *[2]string // of a change of the time zone: the old and the new zone
	ListedAt int64      // when it came into the list, if that is later than At; 0: at At
}

// Admin is a teammate.
type Admin struct {
	ID      int64 // may be beyond 2^53
	Name    string
	Email   string
	InTeams bool  // is a member of all teams that have members
	Team    int64 // id of the one team of which it is a member; 0: none
}

// admins are the current admins. Two ids are beyond 2^53, so readers that parse numbers as floats change them (trap T124).
var admins = []Admin{
	{814860, "Ada Admin", "ada@acme.example", true, 0}, {814861, "Боб", "bob@acme.example", false, 0}, {9007199254740993, "Größe", "big@acme.example", true, 0},
	{200963802864963123, "Huge", "huge@acme.example", false, 0}, {9223372036854775807, "Max", "max@acme.example", true, 0}, {5, "Five", "five@acme.example", false, 0},
}

// former are admins that were deleted in the year before hour 0. Their messages and actions still name them, but the list of admins does not
// include them.
var former = []Admin{
	{814801, "Gone Gustav", "gustav@acme.example", true, 0}, {9007199254740995, "Ушедшая Зоя", "zoya@acme.example", false, 0},
	{814803, "Left Léa", "lea@acme.example", true, 0}, {7, "Ex & Co", "ex+co@acme.example", false, 0},
}

// ActionKind is the kind of an admin's action.
type ActionKind uint8

// The kinds of the activity log of admins. The last two are not drawn: one happened once, the other once for each former admin.
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

	DrawnActions = AdminDeleted // kinds before this one are drawn
)
