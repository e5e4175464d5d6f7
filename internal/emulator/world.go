package emulator

import (
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"aqueduck/internal/emulator/control"
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/knobs"
	"aqueduck/internal/emulator/population"
	"aqueduck/internal/emulator/search"
)

// setup is what a workspace is made with.
type setup struct {
	Seed          uint64
	Start         time.Time
	Now           func() time.Time
	Contacts      int
	Conversations int
	Tickets       int
}

// core is what all of a workspace has in common: the lock, the clock, the knobs, and what is still to happen.
type core struct {
	cfg   setup
	knobs atomic.Pointer[knobs.Knobs]

	mu        sync.Mutex // guards all of the workspace
	offset    time.Duration
	still     time.Time // the clock when Config.Now is nil
	pinned    time.Time // the clock while a control works, which sees one time only
	hours     int       // lived
	zone      *time.Location
	workspace string

	deeds []deed        // what was begun and is still to happen, the next first
	terms []event.Terms // what the truth depends on beside the logs, since when
	epoch uint64        // cursors of another epoch are refused
	env   search.Env

	passed func(by time.Time) // told of the time to which all that was due has happened; nil: nobody is
}

// contactBook is all that the server keeps of contacts: their log, which is the truth about them, and what follows from it.
type contactBook struct {
	*core
	make     *population.Contacts
	events   []event.ContactEvent
	contacts []contact
	byID     map[string]int32
	feed     []int32 // places in the log that are activities
	gone     []int32 // contacts in the list of inactive ones, ordered; rebuilt when stale
	stale    bool
	notes    map[int32]string // bodies of notes added since hour 0
	idx      search.Index[event.Contact]
	present  search.Tally // active contacts
	names    directory
	turns    int // operations of life done so far

	attached func(company int32, at int64) // told of contacts that were attached to a company, or detached
}

// contactOps is what may be done to contacts.
type contactOps struct{ *contactBook }

// companyDesk is all that the server keeps of companies.
type companyDesk struct {
	*core
	people  *contactBook
	firms   []company // by number
	firmNum map[string]int32
	firmLog []event.CompanyEvent // what happened to companies since hour 0
	firmIdx search.Index[event.Company]
	heads   headcount
}

// talkDesk is all that the server keeps of conversations.
type talkDesk struct {
	*core
	people    *contactBook
	firmsOf   *companyDesk
	conv      *population.Conversations
	said      []event.ThreadEvent // the log of conversations
	threads   []thread
	convIdx   search.Index[edition]
	convTurns int                            // of their life
	talking   search.Tally                   // conversations that are not deleted
	deletions []event.Deletion               // of conversations before hour 0
	buried    []event.Deletion               // conversations that were deleted, in the order of time
	consulted []event.Consultation           // the log of consultations that came with life
	asked     map[int32][]event.Consultation // what is served of them, by conversation
	lastDrawn struct {
		edition      *edition
		conversation *conversation
	}

	heard  func(seq int)                             // told of every event of the log
	callIn func(c *conversation, before int64) int32 // adds a call of a conversation, and gives its number
}

// talkOps is what may be done to conversations.
type talkOps struct{ *talkDesk }

// ticketDesk is all that the server keeps of tickets: a log of their own, which is the truth about them, and what follows
// from it, as for conversations.
type ticketDesk struct {
	*core
	people      *contactBook
	talks       *talkOps
	ticketing   population.Tickets
	ticketLog   []event.ThreadEvent // Num is the ticket's number
	ticketList  []thread
	ticketIdx   search.Index[edition]
	ticketTurns int // of their life
	lastTicket  struct {
		edition *edition
		ticket  *ticket
	}
}

// ticketOps is what may be done to tickets.
type ticketOps struct{ *ticketDesk }

// contentDesk is all that the server keeps of content.
type contentDesk struct {
	*core
	content    [event.ContentKinds][]item
	contentLog []event.ContentEvent

	written func(e event.ContentEvent) // told of every event of the log
}

// callDesk is all that the server keeps of calls.
type callDesk struct {
	*core
	people *contactBook
	talks  *talkOps
	calls  []event.Call // by number
}

// actionDesk keeps the admins' activity log.
type actionDesk struct {
	*core
	acts []event.AdminAction // in the order of time
}

// exportDesk keeps the jobs of the reporting exports.
type exportDesk struct {
	*core
	talks        *talkOps
	exportJobs   []*exportJob
	mostExports  int // jobs under way at once, at the highest
	reportEvents []event.ReportEvent
}

// jobDesk keeps the other jobs.
type jobDesk struct {
	*core
	people  *contactOps
	tickets *ticketOps
	jobs    []job
}

// world is all of the state of a workspace.
type world struct {
	*core
	*contactOps
	*companyDesk
	*talkOps
	*ticketOps
	*contentDesk
	*callDesk
	*actionDesk
	*exportDesk
	*jobDesk
}

// options is how a workspace is served.
type options struct {
	DefaultVersion string
	VersionHeader  string
	Elsewhere      string
	RatePerMinute  int
	NoLog          bool
	Watch          func(control.Request)
}

// server answers requests to the API.
type server struct {
	*world
	opts        options
	controlling sync.Mutex // one control or writing request at a time
	chaos       chaos
	token       string
	tokens      map[string][]string // further ones, with their scopes
	scroll      scroll
	cache       cache
	requests    []control.Request
	count       int
	inject      func(n int, r *http.Request) *Fault
	between     func(n int)
	rate        rate

	do func(name string, with []byte) ([]byte, error) // carries out an operation
}

// noticeDesk tells webhooks of what happens.
type noticeDesk struct {
	*server
	notifier *Notifier // nil: nobody is told of anything
	brought  brought   // what of it is known
	silent   bool      // what happens now is told to nobody
}
