package event

// EventLog is all that happened in a workspace by now, with what the truth of it depends on beside.
type EventLog struct {
	Start int64 // hour 0

	Contacts      []ContactEvent
	Companies     []CompanyEvent
	Conversations []ThreadEvent
	Tickets       []ThreadEvent
	Deletions     []Deletion // of conversations before hour 0
	Content       []ContentEvent
	Consultations []Consultation
	Calls         []Call        // each knows when what happened to it
	Actions       []AdminAction // of admins
	Reports       []ReportEvent

	Terms []OracleTerms // in the order of time; there is at least one
	Facts OracleFacts
}

// OracleTerms are what the truth depends on beside the logs, from a time on.
type OracleTerms struct {
	At        int64
	Hours     int    // of life so far
	Workspace string // its id

	PartsCap         int     // parts that the answer about a conversation or a ticket holds, the newest
	UsersOnly        bool    // leads are no users of a company
	FormerAdmins     bool    // the list of admins has those who were deleted
	NoDynamicContent bool    // dynamic content is disabled
	TranscriptLate   int64   // transcripts are final so many seconds later
	CallsLeftOut     float64 // share of calls that search leaves out
	Redacted         RedactedMode
}

// RedactedMode says what a conversation tells of its consultations whose words were taken out in part.
type RedactedMode uint8

// What a redacted conversation tells.
const (
	RedactedByTurns RedactedMode = iota // those of even numbers nothing, the others all but the words
	RedactedHidden                      // nothing
	RedactedMuted                       // all but the words
)

// OracleFacts gives what belongs to events and is not kept with them, but drawn anew from the seed whenever it is asked for: there may be
// millions of parts. What it gives belongs to whoever asked.
type OracleFacts struct {
	Conversation  func(opened *ThreadEvent) *Beginning
	Ticket        func(opened *ThreadEvent) *Beginning
	Consultations func(conversation int32, parts []Part) []Consultation // that a conversation began with
	Dialogue      func(c *Consultation) *Dialogue
	Lines         func(call int32) []TranscriptLine

	Companies     int // that were there at hour 0
	Company       func(n int32) *Company
	CompanyID     func(n int32) string
	Subscriptions func(born *Contact) []int32 // that a contact was born with
	Note          func(n int32) string        // the body of a note that a contact was born with

	Content     func() [ContentKinds][]BornContent // of hour 0
	Piece       func(kind ContentKind, n int32) Piece
	Wording     func(kind ContentKind, n int32, edits int) Wording
	VersionNote func(connector int32, n int) string

	Reports    func(set *Dataset, hour int) []ReportFact // of an hour, counted from ReportSpan before hour 0
	TalkReport func(conversation int32) TalkReport
}
