package event

import "slices"

// Cast is who works in a workspace, and what its small things are called. Lists are in the order in which they are numbered.
type Cast struct {
	Admins   []Admin // the current ones
	Former   []Admin // were deleted in the year before hour 0: what they did still names them, the list of admins does not
	Everyone []Admin // the current and the former ones; entries of the activity log name admins by their index here
	Left     []int64 // days before hour 0 at which each former admin was deleted

	Teams    []Team // all of them, including later ones
	TagCount int    // number of tags, numbered from 0
	TagName  func(n int32) string

	Plans             []string  // of companies; the first one is no plan
	Segments          []Segment // of contacts
	CompanySegments   []Segment
	SubscriptionTypes []SubscriptionType // those that contacts may join first
	AwayReasons       []AwayReason       // including deleted ones
	TicketTypes       []TicketType
	TicketStates      []TicketState

	DataAttributes         []DataAttribute
	ConversationAttributes []ConversationAttribute // those of DataAttributes, and others that only this list has

	HelpCenters []HelpCenter
	Brands      []Brand // the first one is the default
	Macros      []Macro
	Snippets    []Snippet
}

// LeftAt returns when the nth former admin was deleted.
func (c *Cast) LeftAt(n int, start int64) int64 { return start - c.Left[n]*Day }

// OddCast is the cast of the population odd: ids beyond 2^53, names in all scripts, types and states that are archived.
var OddCast = &Cast{
	Admins: admins, Former: former, Everyone: slices.Concat(admins, former), Left: []int64{340, 240, 140, 40},
	Teams: teams, TagCount: tagCount, TagName: tagName,
	Plans: plans, Segments: segments, CompanySegments: companySegments, SubscriptionTypes: subscriptionTypes, AwayReasons: awayReasons,
	TicketTypes: ticketTypes(), TicketStates: ticketStates,
	DataAttributes: dataAttributes(), ConversationAttributes: conversationAttributes(),
	HelpCenters: helpCenters, Brands: brands, Macros: newMacros(43), Snippets: newSnippets(45),
}
