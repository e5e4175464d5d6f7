package event

// ThreadKind is the kind of an event of a conversation or a ticket.
type ThreadKind uint8

// The kinds of the logs of conversations and of tickets.
const (
	ThreadOpened    ThreadKind = iota + 1
	ThreadPartAdded            // a part was added
	ThreadRedacted
	ThreadRated
	ThreadReviewed    // a scorecard was filled in or changed
	ThreadEvaluated   // a monitor evaluated it
	ThreadPartChanged // a part was changed in place
	ThreadTagged
	ThreadUntagged
	ThreadLinked
	ThreadFieldsSet
	ThreadContactsChanged // one of its contacts was merged
	ThreadDeleted
)

// ThreadEvent is one entry of the log of conversations or of tickets, which is the truth about them. These logs are separate from the log of
// contacts, because the draws for contacts depend on indexes in that log.
type ThreadEvent struct {
	At           int64
	Until        int64 // ThreadOpened: the time of the last initial part
	Kind         ThreadKind
	Quiet        bool        // does not move updated_at
	Num          int32       // number of the conversation or ticket
	Size         int32       // ThreadOpened: number of initial parts
	Place        int32       // ThreadRedacted, ThreadPartChanged: index of the part, -1: the source. ThreadTagged, ThreadUntagged: the tag; ThreadOpened: a ticket's type
	Contacts     []*Contact  // ThreadOpened: its contacts at that time, the author first; ThreadContactsChanged: its contacts from now on
	KeepsMetrics bool        // ThreadDeleted: its figures stay in the reports
	With         *ThreadArgs // arguments of the kinds that need more
}

// ThreadArgs has the arguments of some events.
type ThreadArgs struct {
	Part       Part
	Assigned   *Assigned      // ThreadPartChanged: the part's new assignment
	Body       string         // ThreadPartChanged: its new body
	Source     *ContentSource // ThreadPartAdded: the content that the AI agent used
	Rating     Rating
	Scorecard  Scorecard
	Evaluation Evaluation
	Linked     LinkedObject
	By         int64 // ThreadTagged: the admin's id
	Set        []FieldChange
	Message    *Source    // ThreadOpened: the first message of a conversation that a request or an operation began; nothing else of it is drawn
	Begun      *Beginning // ThreadOpened: its whole initial content; nothing is drawn
	Figures    *Figures   // any kind but ThreadOpened: what the source works out from then on; nil: as before
	Exactly    bool       // ThreadOpened: a ticket has the attributes of Set and no others
}

// Deletion is a conversation that was deleted before hour 0. Nothing else is known of it.
type Deletion struct {
	ID           string
	At           int64
	KeepsMetrics bool // its figures stay in the reports
}
