package event

// Beginning is the initial content of a conversation or a ticket: what was said and done until the time in its opening event. Derived values,
// such as its state and its assignee, are not part of it.
type Beginning struct {
	Num      int32 // number of the conversation or ticket
	Title    string
	Priority bool  // marked as urgent
	Company  int32 // number of the company; -1: none
	Contacts []*Contact
	Tags     []AppliedTag
	Attrs    []Attribute
	Source   *Source
	Parts    []Part
	Rating   *Rating
	SLA      *SLA

	FirstReply  *FirstReply
	AI          *AIOutcome // nil: the AI agent wrote nothing
	Linked      []LinkedObject
	Scorecards  []Scorecard
	Evaluations []Evaluation

	Asked            int64 // when the first message of a contact counts as the first reply; 0: only later messages count
	Median, Handling int64 // figures that only the source knows, in seconds; 0: unknown

	Silent  bool // no contact replied
	Written bool // it began with a message from a request or an operation
	Bare    bool // the source sends no statistics, teammates and linked objects of it

	Kind int // index of a ticket's type
}

// Figures is what only the source works out of a conversation, as of one of its events.
type Figures struct {
	Median, Handling int64       // as in Beginning
	FirstReply       *FirstReply // nil: as before, as are the next two
	SLA              *SLA
	AI               *AIOutcome
}

// AIOutcome is the result of the AI agent's part in a conversation.
type AIOutcome struct {
	Title, Resolution, Remark string
	Stars                     int64 // 1 to 5; 0: not rated
	Sources                   []ContentSource
}
