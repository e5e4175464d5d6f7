package core

import (
	"sync"
	"sync/atomic"
	"time"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/knobs"
	"aqueduck/internal/emulator/search"
)

// Setup is what a workspace is made with.
type Setup struct {
	Seed          uint64           // that all is drawn from
	Start         time.Time        // hour 0
	Now           func() time.Time // the clock; nil: one that stands until it is moved
	Contacts      int              // at hour 0, as are the next two
	Conversations int              // below 0: none
	Tickets       int              // below 0: none
}

// Core is what all of a workspace has in common: the lock, the clock, the knobs, and what is still to happen.
type Core struct {
	Setup Setup
	knobs atomic.Pointer[knobs.Knobs]

	Mu          sync.Mutex // guards all of the workspace
	offset      time.Duration
	pinned      time.Time // the clock while a control works, which sees one time only
	HoursLived  int       // hours of life since Setup.Start
	Zone        *time.Location
	WorkspaceID string

	scheduled   []scheduledAction   // what was begun and is still to happen, the next first
	Terms       []event.OracleTerms // what the truth depends on beside the logs, since when
	cursorEpoch uint64              // cursors of another epoch are refused
	SearchEnv   search.Env

	OnPassed func(by time.Time) // told of the time to which all that was due has happened; nil: nobody is
}

// New makes the core of a workspace in which nothing is yet.
func New(s Setup, workspaceID string, zone *time.Location, k *knobs.Knobs) *Core {
	w := &Core{Setup: s, Zone: zone, WorkspaceID: workspaceID, cursorEpoch: event.MixBits(s.Seed + 2)}
	w.knobs.Store(k)
	w.SearchEnv = search.Env{Seed: s.Seed, Knobs: w.K, Now: w.UnixNow, Zone: func() *time.Location { return w.Zone }, Epoch: func() uint64 { return w.cursorEpoch }}
	return w
}

// K gives the knobs as they are now. Nobody changes them in place: StoreKnobs puts others there.
func (w *Core) K() *knobs.Knobs { return w.knobs.Load() }

// StoreKnobs makes these the knobs. What depends on the order of lists is not told: World.SetKnobs tells it.
func (w *Core) StoreKnobs(k *knobs.Knobs) { w.knobs.Store(k) }

// ExpireCursors makes every cursor handed out so far invalid, as a restart of the service would (trap T12).
func (w *Core) ExpireCursors() {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	w.cursorEpoch++
}

// HoursSimulated is how many hours were lived.
func (w *Core) HoursSimulated() int {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	return w.HoursLived
}

// scheduledAction is something that was begun and happens later.
type scheduledAction struct {
	at time.Time
	do func(at int64) // with the lock held
}
