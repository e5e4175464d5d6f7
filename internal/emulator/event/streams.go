package event

// Streams of randomness, one for each purpose, so that one more draw for a purpose does not change the others. The first ones are for contacts
// and for serving.
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

// Streams of the reporting data; the second one takes the place of a dataset's number.
const (
	ForReport             = 1000
	ForConversationReport = 1000
)

// All other streams.
const (
	ForCalls         = 9001
	ForLogs          = 9002
	ForDeletion      = 9003
	ForConsultation  = 9004
	ForCompanyFields = 9005 // fields of companies besides those that contacts send
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
