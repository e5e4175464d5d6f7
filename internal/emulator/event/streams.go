package event

// Streams of randomness, one a purpose, so that one more draw here moves nothing there. The first ones are of contacts and of what serves.
const (
	ForContact = iota + 1
	ForID
	ForLife
	ForLag
	ForChaos
	ForGames
	ForCompany
	ForNote
	ForShuffle
	ForSubscription
)

// Streams of conversations.
const (
	ForConversation = iota + 1000
	ForConversationParts
	ForConversationLag
	ForConversationLife
	ForConversationPopulation
	ForSilence
	ForRedaction
)

// Streams of the reporting data, the second in the place of a dataset's number.
const (
	ForReport = 1000
	ForTalk   = 1000
)

// Streams of all else.
const (
	ForCalls         = 9001
	ForLogs          = 9002
	ForDeletion      = 9003
	ForConsultation  = 9004
	ForCompanyFields = 9005 // beside what contacts have always shown of companies
	ForContent       = 9006
)

// Streams of tickets.
const (
	ForTicket = iota + 9100
	ForTicketParts
	ForTicketLag
	ForTicketLife
	ForTicketPopulation
)
