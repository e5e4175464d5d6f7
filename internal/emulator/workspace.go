package emulator

import (
	"fmt"
	"slices"
	"time"

	"aqueduck/internal/emulator/control"
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
	Now            func() time.Time      // the clock, which must not ask the workspace; nil: one that stands until Live or Advance moves it
	Token          string                // has every scope; "": made from the seed. AddToken adds others
	WorkspaceID    string                // "": made from the seed
	Zone           *time.Location        // of the workspace; nil: UTC
	DefaultVersion string                // when a request names none; "": 2.17
	VersionHeader  string                // "": Service-Version
	Elsewhere      string                // scheme and host that redirects lead to, which must reach this handler too; "": the one that was asked
	RatePerMinute  int                   // spread over windows of ten seconds; 0: announced as 100,000 and never refused
	NoLog          bool                  // keep no log of requests
	Watch          func(control.Request) // told of every request, also when no log is kept; may be called by many at once
	Hours          int                   // of life right after Start, whatever the clock says
	knobs.Knobs
}

// Workspace is one workspace in memory. It is an http.Handler, safe for use by many at once.
type Workspace struct {
	*noticeDesk
	operations []operation      // all of them; here, as knobs name routes, and routes carry out operations
	journal    func(Done) error // nil: none is kept
	controls   *control.Server
}

// New makes the workspace as it is at hour 0.
func New(c Config) *Workspace {
	c = withDefaults(c)
	w := &Workspace{noticeDesk: &noticeDesk{server: newServer(c)}, operations: operations()}
	w.controls = control.New(w, w.about())
	w.do = func(name string, with []byte) ([]byte, error) { return w.doing(name, with) }
	w.attached = func(company int32, at int64) {
		w.recordFirm(event.CompanyEvent{At: at, Kind: event.CompanyUpdated, N: company})
	}
	w.heard, w.callIn, w.written, w.passed = w.tellOfConversation, w.callOf, w.tellOfContent, w.passing
	if err := w.SetChaos(c.Chaos); err != nil {
		panic(err) // a programmer's mistake: user input goes through ParseChaos first
	}
	w.beginContacts(population.Populate(w.make, c.Start.Unix(), c.Contacts, c.Inactive, c.Activities))
	w.acts = population.AdminActions(c.Seed, c.Start.Unix(), c.Logs)
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

// newServer makes what serves a workspace in which nothing is yet.
func newServer(c Config) *server {
	base := &core{cfg: setup{Seed: c.Seed, Start: c.Start, Now: c.Now, Contacts: c.Contacts, Conversations: c.Conversations, Tickets: c.Tickets},
		still: c.Start, zone: c.Zone, workspace: c.WorkspaceID, epoch: event.Mix(c.Seed + 2)}
	base.knobs.Store(&c.Knobs)
	base.env = search.Env{Seed: c.Seed, Knobs: base.k, Now: base.now, Zone: func() *time.Location { return base.zone }, Epoch: func() uint64 { return base.epoch }}
	book := &contactBook{core: base, make: population.NewContacts(c.Seed, c.Contacts), notes: map[int32]string{}, stale: true}
	firms := &companyDesk{core: base, people: book}
	talks := &talkOps{&talkDesk{core: base, people: book, firmsOf: firms, asked: map[int32][]event.Consultation{}}}
	tickets := &ticketOps{&ticketDesk{core: base, people: book, talks: talks}}
	people := &contactOps{book}
	return &server{world: &world{core: base, contactOps: people, companyDesk: firms, talkOps: talks, ticketOps: tickets, contentDesk: &contentDesk{core: base},
		callDesk: &callDesk{core: base, people: book, talks: talks}, actionDesk: &actionDesk{core: base}, exportDesk: &exportDesk{core: base, talks: talks},
		jobDesk: &jobDesk{core: base, people: people, tickets: tickets}},
		opts: options{c.DefaultVersion, c.VersionHeader, c.Elsewhere, c.RatePerMinute, c.NoLog, c.Watch}, token: c.Token}
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
func (w *core) SetWorkspaceID(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.workspace = id
	w.stand(w.now())
}

// SetZone moves the workspace to another time zone, which its activity log tells (trap T135).
func (w *world) SetZone(z *time.Location) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if before, after := w.zone.String(), z.String(); before != after {
		now := w.now()
		w.addActs([]event.AdminAction{population.NewAction(w.cfg.Seed, event.AdminAction{At: now, Put: now, N: int32(len(w.acts)), Kind: event.TimeZoneChanged, Zone: &[2]string{before, after}})})
	}
	w.zone = z
	w.idx.Forget()
	w.convIdx.Forget()
	w.ticketIdx.Forget()
	w.firmIdx.Forget()
}

func (w *core) k() *knobs.Knobs { return w.knobs.Load() }

// SetKnobs changes the knobs of a running workspace. Chaos is changed by SetChaos.
func (w *world) SetKnobs(change func(k *knobs.Knobs)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	k := *w.k()
	change(&k)
	w.knobs.Store(&k)
	w.idx.Reorder()
	w.convIdx.Reorder()
	w.ticketIdx.Reorder()
	w.firmIdx.Reorder()
	w.stale = true
	w.stand(w.now())
}

// Clock is the workspace's time.
func (w *core) Clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.clock()
}

// Advance moves the clock, also one that follows Config.Now.
func (w *core) Advance(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.offset += d
}

func (w *core) clock() time.Time {
	if !w.pinned.IsZero() {
		return w.pinned.Add(w.offset)
	}
	if w.cfg.Now != nil {
		return w.cfg.Now().Add(w.offset)
	}
	return w.still.Add(w.offset)
}

// at has f work while the clock stands at a time; only f moves it.
func (w *core) at(t time.Time, f func()) {
	w.pin(func() time.Time { return t }, f)
}

// frozen has f work while the clock stands where it is. Nobody sees it later in between, and has happen what is due then: a journal
// would not.
func (w *core) frozen(f func()) { w.pin(w.clock, f) }

// pin has f work at the time that when gives with the lock held.
func (w *core) pin(when func() time.Time, f func()) {
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

func (w *core) now() int64 { return w.clock().Unix() }

// Hours is how many hours were lived.
func (w *core) Hours() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.hours
}
