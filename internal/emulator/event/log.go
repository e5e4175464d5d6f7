package event

// EventLog is all that happened in a workspace until now, with everything else that the truth depends on.
type EventLog struct {
	Start int64 // hour 0
	Cast  *Cast

	Contacts      []ContactEvent
	Companies     []CompanyEvent
	Conversations []ThreadEvent
	Tickets       []ThreadEvent
	Deletions     []Deletion // conversations that were deleted before hour 0
	Content       []ContentEvent
	Consultations []Consultation
	Calls         []Call        // with the times of what happened to each
	Actions       []AdminAction // actions of admins
	Reports       []ReportEvent

	Terms []OracleTerms // in the order of time, at least one
	Facts OracleFacts
}

// OracleTerms are the settings that the truth depends on besides the logs, from a time on.
type OracleTerms struct {
	At        int64
	Hours     int    // simulated since hour 0
	Workspace string // id of the workspace

	PartsCap         int     // number of newest parts that the answer about a conversation or a ticket contains
	UsersOnly        bool    // leads do not count as users of a company
	FormerAdmins     bool    // the list of admins includes deleted admins
	NoDynamicContent bool    // dynamic content is disabled
	TranscriptLate   int64   // delay of final transcripts, in seconds
	CallsLeftOut     float64 // share of calls that search omits
	Redacted         RedactedMode
}

// RedactedMode says what a conversation with redacted words sends of its consultations.
type RedactedMode uint8

// What a redacted conversation sends.
const (
	RedactedByTurns      RedactedMode = iota // even conversation numbers: nothing; odd ones: everything but the texts
	RedactedHidden                           // nothing
	RedactedWithoutWords                     // everything but the texts
)

// OracleFacts draws the details of events that are not stored with them, as there may be millions of parts. All are functions of the seed. The
// caller owns the results.
type OracleFacts struct {
	Conversation  func(opened *ThreadEvent) *Beginning
	Ticket        func(opened *ThreadEvent) *Beginning
	Consultations func(conversation int32, parts []Part) []Consultation // initial consultations of a conversation
	Dialogue      func(c *Consultation) *Dialogue
	Lines         func(call int32) []TranscriptLine
	Handling      func(conversation int32) []HandlingEvent
	SideTalks     func(conversation int32) []SideTalk

	Companies     int // number of companies at hour 0
	Company       func(n int32) *Company
	CompanyID     func(n int32) string
	Subscriptions func(born *Contact) []int32 // initial subscriptions of a contact
	Note          func(n int32) string        // body of an initial note of a contact

	Content     func() [ContentKinds][]BornContent // content of hour 0
	Piece       func(kind ContentKind, n int32) Piece
	Wording     func(kind ContentKind, n int32, edits int) Wording
	VersionNote func(connector int32, n int) string

	Reports            func(set *Dataset, hour int) []ReportFact // of one hour, counted from ReportSpan before hour 0
	ConversationReport func(conversation int32) ConversationReport
}
