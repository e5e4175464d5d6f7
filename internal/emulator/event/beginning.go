package event

// Beginning is all that a conversation or a ticket was opened with: what was said and done until the time that its opening names. What
// follows from it, as where it stands and who is in charge, is not among it.
type Beginning struct {
	Num      int32 // number of the conversation or ticket
	Title    string
	Priority bool  // it is marked as urgent
	Company  int32 // number of the company; -1: none
	Contacts []*Contact
	Tags     []AppliedTag
	Attrs    []Attribute
	Source   *Source
	Parts    []Part
	Rating   *Rating
	SLA      *SLA

	FirstReply  *FirstReply
	AI          *AIOutcome // nil: the AI agent said nothing
	Linked      []LinkedObject
	Scorecards  []Scorecard
	Evaluations []Evaluation

	Median, Handling int64 // seconds that only the source knows; 0: it does not

	Silent  bool // no contact replied
	Written bool // it began with a message that somebody wrote
	Bare    bool // the source has no statistics, teammates and linked objects of it

	Kind int // place of a ticket's type
}

// AIOutcome is what the part of the AI agent in a conversation came to.
type AIOutcome struct {
	Title, Resolution, Remark string
	Stars                     int64 // 1 to 5; 0: not rated
	Sources                   []ContentSource
}
