package emulator

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/knobs"
	"aqueduck/internal/emulator/population"
	"aqueduck/internal/emulator/search"
)

// Config says which workspace to make. The zero value is the demo: a seed of 0, 10,400 active contacts, a virtual clock.
type Config struct {
	Seed           uint64
	Contacts       int // active at hour 0; 0: 10,400
	Inactive       int // listed as inactive at hour 0; 0: a tenth of Contacts, at least 1,000 when Contacts is 0 too
	Activities     int // at least so many in the feed at hour 0; 0: twice Contacts
	Conversations  int // at hour 0; 0: three for ten Contacts, at most 20,000, and 3,000 when Contacts is 0 too; below 0: none
	Tickets        int // at hour 0; 0: one for three Conversations; below 0: none
	Calls          int // listed at hour 0, but for those removed since; 0: a thirteenth of Contacts, 800 in the demo
	Logs           int // entries of the admins' activity log at hour 0; 0: half of Contacts, 4,000 in the demo
	Start          time.Time
	Now            func() time.Time    // the clock, which must not ask the workspace; nil: one that stands until Live or Advance moves it
	Token          string              // has every scope; "": made from the seed. AddToken adds others
	WorkspaceID    string              // "": made from the seed
	Zone           *time.Location      // of the workspace; nil: UTC
	DefaultVersion string              // when a request names none; "": 2.17
	VersionHeader  string              // "": Service-Version
	Elsewhere      string              // scheme and host that redirects lead to, which must reach this handler too; "": the one that was asked
	RatePerMinute  int                 // spread over windows of ten seconds; 0: announced as 100,000 and never refused
	NoLog          bool                // keep no log of requests
	Watch          func(LoggedRequest) // told of every request, also when no log is kept; may be called by many at once
	Hours          int                 // of life right after Start, whatever the clock says
	knobs.Knobs
}

// Workspace is one workspace in memory. It is an http.Handler, safe for use by many at once.
type Workspace struct {
	cfg        Config
	make       *population.Contacts
	operations []operation // all of them; here, as knobs name routes, and routes carry out operations
	knobs      atomic.Pointer[knobs.Knobs]

	controlling sync.Mutex       // one control or writing request at a time; guards journal
	journal     func(Done) error // nil: none is kept

	mu        sync.Mutex // guards all below
	chaos     chaos
	offset    time.Duration
	still     time.Time // the clock when Config.Now is nil
	pinned    time.Time // the clock while a control works, which sees one time only
	hours     int       // lived
	turns     int       // operations of life done so far
	zone      *time.Location
	workspace string
	token     string
	tokens    map[string][]string // further ones, with their scopes

	events   []event.ContactEvent
	contacts []contact
	byID     map[string]int32
	feed     []int32 // places in the log that are activities
	gone     []int32 // contacts in the list of inactive ones, ordered; rebuilt when stale
	stale    bool
	notes    map[int32]string    // bodies of notes added since hour 0
	calls    []event.Call        // by number
	acts     []event.AdminAction // the admins' activity log, in the order of time
	idx      search.Index[event.Contact]
	present  search.Tally // active contacts
	names    directory

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

	firms   []company // by number
	firmNum map[string]int32
	firmLog []event.CompanyEvent // what happened to companies since hour 0
	firmIdx search.Index[event.Company]
	heads   headcount
	scroll  scroll

	tickets ticketDesk
	jobs    []job
	deeds   []deed // what was begun and is still to happen, the next first

	content    [event.ContentKinds][]item
	contentLog []event.ContentEvent

	terms []event.Terms // what the truth depends on beside the logs, since when

	notifier *Notifier // nil: nobody is told of anything
	brought  brought   // what of it is known
	silent   bool      // what happens now is told to nobody

	epoch uint64 // cursors of another epoch are refused
	env   search.Env

	exports exportDesk

	cache    cache
	requests []LoggedRequest
	count    int
	inject   func(n int, r *http.Request) *Fault
	between  func(n int)
	rate     rate
}

// New makes the workspace as it is at hour 0.
func New(c Config) *Workspace {
	c = withDefaults(c)
	w := &Workspace{cfg: c, make: population.NewContacts(c.Seed, c.Contacts), operations: operations(), still: c.Start, zone: c.Zone,
		workspace: c.WorkspaceID, token: c.Token, notes: map[int32]string{}, asked: map[int32][]event.Consultation{}, stale: true, epoch: event.Mix(c.Seed + 2)}
	w.knobs.Store(&c.Knobs)
	w.env = search.Env{Seed: c.Seed, Knobs: w.k, Now: w.now, Zone: func() *time.Location { return w.zone }, Epoch: func() uint64 { return w.epoch }}
	if err := w.SetChaos(c.Chaos); err != nil {
		panic(err) // a programmer's mistake: user input goes through ParseChaos first
	}
	events := population.Populate(w.make, c.Start.Unix(), c.Contacts, c.Inactive, c.Activities)
	w.byID = make(map[string]int32, len(events))
	w.idx.Init(&w.env, w.searchContact())
	for i := range events {
		if events[i].Kind == event.Created {
			w.contacts = append(w.contacts, contact{})
		}
	}
	w.acts = population.AdminActions(c.Seed, c.Start.Unix(), c.Logs)
	w.events = events
	for i := range w.events {
		w.apply(i)
	}
	// What happened before hour 0 has long been found by search.
	for num := range w.contacts {
		if c := &w.contacts[num]; c.status == active {
			c.Now = c.doc
		}
	}
	w.idx.Open()
	w.beginConversations()
	w.beginTickets()
	w.beginCalls(c.Calls)
	w.beginCompanies()
	w.beginContent()
	w.deletions = population.Deletions(c.Seed, c.Start.Unix(), c.Conversations)
	w.buried = append(slices.Clone(w.deletions), w.buried...)
	w.stand(c.Start.Unix())
	switch {
	case c.Hours > 0 && c.Now == nil:
		w.Live(c.Hours)
	case c.Hours > 0:
		w.at(c.Start.Add(time.Duration(c.Hours)*time.Hour), func() { w.Live(c.Hours) })
	}
	return w
}

func withDefaults(c Config) Config {
	demo := c.Contacts == 0
	if demo {
		c.Contacts = 10_400
	}
	switch {
	case c.Conversations < 0:
		c.Conversations = 0
	case c.Conversations == 0 && demo:
		c.Conversations = 3000
	case c.Conversations == 0:
		c.Conversations = min(c.Contacts*3/10, 20_000)
	}
	if c.Tickets == 0 {
		c.Tickets = c.Conversations / 3
	}
	c.Tickets = max(0, c.Tickets)
	if c.Inactive == 0 {
		c.Inactive = max(c.Contacts/10, 8)
	}
	if c.Activities == 0 {
		c.Activities = 2 * c.Contacts
	}
	if c.Calls == 0 {
		c.Calls = c.Contacts / 13
	}
	if c.Logs == 0 {
		c.Logs = min(c.Contacts/2, 4000)
	}
	if c.Start.IsZero() {
		c.Start = time.Date(2024, 6, 15, 2, 0, 0, 0, time.UTC)
	}
	if c.Zone == nil {
		c.Zone = time.UTC
	}
	if c.Token == "" {
		c.Token = fmt.Sprintf("emulated_%016x", event.Mix(c.Seed+1))
	}
	if c.WorkspaceID == "" {
		c.WorkspaceID = fmt.Sprintf("ws%06x", event.Mix(c.Seed)&0xffffff)
	}
	if c.DefaultVersion == "" {
		c.DefaultVersion = "2.17"
	}
	if c.VersionHeader == "" {
		c.VersionHeader = "Service-Version"
	}
	return c
}

// SetWorkspaceID makes contacts tell another workspace's id, as a wrong token would.
func (w *Workspace) SetWorkspaceID(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.workspace = id
	w.stand(w.now())
}

// SetZone moves the workspace to another time zone, which its activity log tells (trap T135).
func (w *Workspace) SetZone(z *time.Location) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if before, after := w.zone.String(), z.String(); before != after {
		now := w.now()
		w.addActs([]event.AdminAction{population.NewAction(w.cfg.Seed, event.AdminAction{At: now, Put: now, N: int32(len(w.acts)), Kind: event.TimeZoneChanged, Zone: &[2]string{before, after}})})
	}
	w.zone = z
	w.idx.Forget()
	w.convIdx.Forget()
	w.tickets.idx.Forget()
	w.firmIdx.Forget()
}

func (w *Workspace) k() *knobs.Knobs { return w.knobs.Load() }

// SetKnobs changes the knobs of a running workspace. Chaos is changed by SetChaos.
func (w *Workspace) SetKnobs(change func(k *knobs.Knobs)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	k := *w.k()
	change(&k)
	w.knobs.Store(&k)
	w.idx.Reorder()
	w.convIdx.Reorder()
	w.tickets.idx.Reorder()
	w.firmIdx.Reorder()
	w.stale = true
	w.stand(w.now())
}

// Clock is the workspace's time.
func (w *Workspace) Clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.clock()
}

// Advance moves the clock, also one that follows Config.Now.
func (w *Workspace) Advance(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.offset += d
}

func (w *Workspace) clock() time.Time {
	if !w.pinned.IsZero() {
		return w.pinned.Add(w.offset)
	}
	if w.cfg.Now != nil {
		return w.cfg.Now().Add(w.offset)
	}
	return w.still.Add(w.offset)
}

// at has f work while the clock stands at a time; only f moves it.
func (w *Workspace) at(t time.Time, f func()) {
	w.pin(func() time.Time { return t }, f)
}

// frozen has f work while the clock stands where it is. Nobody sees it later in between, and has happen what is due then: a journal
// would not.
func (w *Workspace) frozen(f func()) { w.pin(w.clock, f) }

// pin has f work at the time that when gives with the lock held.
func (w *Workspace) pin(when func() time.Time, f func()) {
	w.mu.Lock()
	before := w.pinned
	w.pinned = when().Add(-w.offset)
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.pinned = before
	}()
	f()
}

func (w *Workspace) now() int64 { return w.clock().Unix() }

// Hours is how many hours were lived.
func (w *Workspace) Hours() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.hours
}
