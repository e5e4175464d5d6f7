package core

import (
	"sync"
	"sync/atomic"
	"time"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/knobs"
	"aqueduck/internal/emulator/population"
	"aqueduck/internal/emulator/search"
)

// Setup is the configuration of a workspace.
type Setup struct {
	Seed          uint64      // of everything drawn
	Cast          *event.Cast // who works there, and the names of small things
	Origin        population.Origin
	Start         time.Time        // hour 0
	Now           func() time.Time // the clock; nil: one that stands until it is moved
	Contacts      int              // number at hour 0, as the next two
	Conversations int              // below 0: none
	Tickets       int              // below 0: none
}

// Core is what all parts of a workspace share: the lock, the clock, the knobs, and scheduled actions.
type Core struct {
	Setup Setup
	knobs atomic.Pointer[knobs.Knobs]

	Mu          sync.Mutex // guards everything in the workspace
	offset      time.Duration
	pinned      time.Time // the clock during a control request, which sees one time only
	HoursLived  int       // simulated since Setup.Start
	living      bool      // hours pass by the clock
	Zone        *time.Location
	WorkspaceID string

	scheduled   []scheduledAction   // ordered by time
	Terms       []event.OracleTerms // settings of the oracle, each from a time on
	cursorEpoch uint64              // cursors of another epoch are refused
	SearchEnv   search.Env

	OnPassed func(by time.Time) // called with the time up to which everything due has happened; may be nil
}

// New returns the core of an empty workspace.
func New(s Setup, workspaceID string, zone *time.Location, k *knobs.Knobs) *Core {
	w := &Core{Setup: s, Zone: zone, WorkspaceID: workspaceID, cursorEpoch: event.MixBits(s.Seed + 2)}
	w.knobs.Store(k)
	w.SearchEnv = search.Env{Seed: s.Seed, Knobs: w.K, Now: w.UnixNow, Zone: func() *time.Location { return w.Zone }, Epoch: func() uint64 { return w.cursorEpoch }}
	return w
}

// K returns the current knobs. They never change in place: StoreKnobs replaces them.
func (w *Core) K() *knobs.Knobs { return w.knobs.Load() }

// StoreKnobs replaces the knobs. It does not sort lists again: World.SetKnobs does.
func (w *Core) StoreKnobs(k *knobs.Knobs) { w.knobs.Store(k) }

// ExpireCursors makes every cursor so far invalid, as a restart of the service would (trap T12).
func (w *Core) ExpireCursors() {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	w.cursorEpoch++
}

// HoursSimulated returns the number of simulated hours.
func (w *Core) HoursSimulated() int {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	return w.HoursLived
}

// scheduledAction was requested and happens later.
type scheduledAction struct {
	at time.Time
	do func(at int64) // called with the lock held
}
