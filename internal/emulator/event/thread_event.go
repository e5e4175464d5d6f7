package event

// ThreadKind is what happened to a conversation or to a ticket.
type ThreadKind uint8

// The kinds of the logs of conversations and of tickets.
const (
	ThreadOpened    ThreadKind = iota + 1
	ThreadPartAdded            // a part was added
	ThreadRedacted
	ThreadRated
	ThreadReviewed    // a scorecard was filled in or changed
	ThreadEvaluated   // a monitor judged it
	ThreadPartChanged // a part was changed in its place
	ThreadTagged
	ThreadUntagged
	ThreadLinked
	ThreadFieldsSet
	ThreadContactsChanged // one of its contacts was merged away
	ThreadDeleted
)

// ThreadEvent is one entry of the log of conversations, which is the truth about them as the log of contacts is about
// contacts. It is a log of its own: the places in the other one decide what happens to contacts.
type ThreadEvent struct {
	At    int64
	Until int64 // ThreadOpened: the time of the last of the parts it was born with
	Kind  ThreadKind
	Quiet bool        // moves no updated_at
	Num   int32       // the number of the conversation or ticket
	Size  int32       // ThreadOpened: how many parts it was born with
	Place int32       // ThreadRedacted, ThreadPartChanged: the part's place, from 0; -1: the source. ThreadTagged, ThreadUntagged: the tag; ThreadOpened: a ticket's type
	Who   []*Contact  // ThreadOpened: its contacts as they were, the first one wrote first; ThreadContactsChanged: its contacts from now on
	Kept  bool        // ThreadDeleted: its figures stay in the reports
	With  *ThreadArgs // what comes with it
}

// ThreadArgs is what some events of a conversation carry.
type ThreadArgs struct {
	Part       Part
	Assigned   *Assigned      // ThreadPartChanged: the part's assignment from now on
	Body       string         // ThreadPartChanged: its body from now on
	Source     *ContentSource // ThreadPartAdded: what an answer of the AI agent was made of
	Rating     Rating
	Scorecard  Scorecard
	Evaluation Evaluation
	Linked     LinkedObject
	By         int64 // ThreadTagged: the admin
	Set        []FieldChange
	Message    *Source // ThreadOpened: the message that it began with; nothing else of it is drawn
	Exactly    bool    // ThreadOpened: a ticket's attributes are those of set, no others
}

// Deletion is a conversation that was deleted before hour 0, of which nothing else is known.
type Deletion struct {
	ID   string
	At   int64
	Kept bool // its figures stay in the reports
}
