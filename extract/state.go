package extract

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// State is a stream's checkpoint: what is read, where reading goes on. All times are unix seconds. The zero State is that of a
// stream that was never read.
type State struct {
	SyncedTo    int64            `json:"synced_to,omitempty"`    // everything before it was read
	HistoryTo   int64            `json:"history_to,omitempty"`   // down to here; 0 before the first window
	HistoryDone bool             `json:"history_done,omitempty"` // nothing older is wanted, or there is nothing older
	HistorySpan int64            `json:"history_span,omitempty"` // length of the last history window
	Window      *Window          `json:"window,omitempty"`       // being read
	Position    *Position        `json:"position,omitempty"`     // where in it
	Paused      *SuspendedWindow `json:"paused,omitempty"`       // a history window that waits while a forward one is read
	Bookmark    *Position        `json:"bookmark,omitempty"`     // page of a feed that the next reading begins with
	Sweep       *Sweep           `json:"sweep,omitempty"`        // the last walk over a whole list
	Version     string           `json:"version,omitempty"`      // API version it was made under
	Refreshed   int64            `json:"refreshed,omitempty"`    // up to here the records were read by themselves, same or not
	Reconciled  int64            `json:"reconciled,omitempty"`   // when the whole list was last held against what is stored
	RereadAll   bool             `json:"again,omitempty"`        // until the history is read, so is every record
	Replace     bool             `json:"replace,omitempty"`      // a full refresh is under way: what is stored from before it gives way
	Export      *Export          `json:"export,omitempty"`       // of a dataset of exports

	AlwaysSent    []string `json:"sent,omitempty"`      // lists and objects, by their paths, that the source always sends under this version
	SometimesSent []string `json:"sometimes,omitempty"` // and those that it sends at times: many records lack them

	LastAskedID string `json:"asked,omitempty"` // id of the record that was asked for last, of more that did not come whole than a run asks for

	// Short are records by id that are stored without the rest of a list of theirs, for they were away just then; with the server's time.
	Short map[string]int64 `json:"short,omitempty"`
}

// Window is a span of time, or a whole list, read in one go.
type Window struct {
	Kind      string `json:"kind"`            // forward, history, sweep
	RereadAll bool   `json:"again,omitempty"` // its records are read by themselves, also where they are as stored
	From      int64  `json:"from,omitempty"`  // Unix seconds, as To and Before are
	To        int64  `json:"to,omitempty"`    // forward: the mark to be; 0 when the server has not told its time

	// Before is where a forward window begins by the mark, where it reaches further back: what is older shows that the list still has
	// what is stored.
	Before int64 `json:"before,omitempty"`
}

// IncludesTime reports whether a record of a time, in seconds, is among those that the window asks for. A forward one has no end: it asks for
// what changes while it is read, too.
func (w Window) IncludesTime(at int64) bool {
	return at >= w.From && (w.Kind == windowForward || at <= w.To)
}

// SuspendedWindow is a window left in its middle, and where in it.
type SuspendedWindow struct {
	Window   Window    `json:"window"`
	Position *Position `json:"position,omitempty"`
}

// The kinds of windows.
const (
	windowForward = "forward"
	windowHistory = "history"
	windowSweep   = "sweep"
)

// Position is a place in a list.
type Position struct {
	Token       string `json:"token,omitempty"`       // cursor of the next page, empty at the beginning
	Fingerprint string `json:"fingerprint,omitempty"` // of the request that the token belongs to
	Page        int64  `json:"page,omitempty"`        // number of the next page, where lists go by number
	Size        int    `json:"size,omitempty"`        // records a page
	Rows        int64  `json:"rows,omitempty"`        // records before it, each counted once
	Since       int64  `json:"since,omitempty"`       // search: the time asked from, when it is not the window's
	LastTime    int64  `json:"last_time,omitempty"`   // search: everything of the window up to here is before this place, if records lie at their times
	Settled     int64  `json:"settled,omitempty"`     // search: everything of the window up to here is before this place
	Stated      int64  `json:"stated,omitempty"`      // search: records that the whole window has by the list's own word; 0: it gives none
	Before      int64  `json:"before,omitempty"`      // search: records of the window that walks before this one brought
	Unsorted    bool   `json:"unsorted,omitempty"`    // search: the list was not in order of time
	Last        string `json:"last,omitempty"`        // feed: id of the last record of the page
}

// Sweep is one walk over a whole list.
type Sweep struct {
	Number      int   `json:"number"`           // from 1
	Opened      int64 `json:"opened,omitempty"` // server's time when it began; 0 before that
	Steady      bool  `json:"steady,omitempty"` // walked in one go, and the list's own count never changed and was met
	Total       int64 `json:"total,omitempty"`  // the list's own count at the beginning, -1 when it does not tell
	Rows        int64 `json:"rows,omitempty"`   // records read, each counted once
	MissingRows int64 `json:"lacks,omitempty"`  // records that its lists state and did not give
	Capped      bool  `json:"capped,omitempty"` // the list stopped before its end: what it did not have may be there

	Refused string `json:"refused,omitempty"` // optional values that the source did not know, with commas between
}

// RefusedValues are the optional values that the source did not know: what it has of them is not known.
func (s *Sweep) RefusedValues() []string {
	return strings.FieldsFunc(s.Refused, func(r rune) bool { return r == ',' })
}

// String is the state's text, which ParseState reads back.
func (s State) String() string {
	text, err := json.Marshal(s)
	if err != nil {
		panic("extract: a state is always JSON: " + err.Error()) // it holds texts, numbers and nothing else
	}
	return string(text)
}

// ParseState reads a checkpoint's text; empty text is the zero State. It refuses what String would not have written: to go on
// from a misread checkpoint would leave out records without a trace.
func ParseState(text string) (State, error) {
	var s State
	if text == "" {
		return s, nil
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return State{}, fmt.Errorf("read a checkpoint: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return State{}, errors.New("read a checkpoint: there is text after its end")
	}
	if err := s.validateState(); err != nil {
		return State{}, fmt.Errorf("read a checkpoint: %w", err)
	}
	return s, nil
}

// validateState refuses states that no reading leads to.
func (s State) validateState() error {
	if s.SyncedTo < 0 || s.HistoryTo < 0 || s.HistorySpan < 0 || s.Refreshed < 0 || s.Reconciled < 0 {
		return errors.New("a watermark is before 1970")
	}
	if w := s.Window; w != nil {
		if w.Kind != windowForward && w.Kind != windowHistory && w.Kind != windowSweep {
			return fmt.Errorf("%q is not a window", w.Kind)
		}
		if w.From < 0 || w.To < 0 {
			return errors.New("a window is before 1970")
		}
	}
	if s.Position != nil && s.Window == nil {
		return errors.New("there is a cursor without a window")
	}
	positions := []*Position{s.Position, s.Bookmark}
	if s.Paused != nil {
		if w := s.Paused.Window; w.Kind != windowHistory || w.From < 0 || w.To < 0 {
			return errors.New("only a window of the backfill can be suspended")
		}
		positions = append(positions, s.Paused.Position)
	}
	for _, p := range positions {
		if p != nil && (p.Page < 0 || p.Size < 0 || p.Rows < 0 || p.Since < 0 || p.LastTime < 0 || p.Settled < 0 || p.Stated < 0 || p.Before < 0) {
			return errors.New("a cursor position is below zero")
		}
	}
	if s.Export != nil {
		if err := s.Export.validateExport(); err != nil {
			return err
		}
	}
	if w := s.Sweep; w != nil && (w.Number < 1 || w.Opened < 0 || w.Rows < 0 || w.MissingRows < 0 || w.Total < -1) {
		return errors.New("the number of a sweep is too low")
	}
	return nil
}

// RewindTo is the state as if it had been reached by a time: what it says of later ones is taken back, and what was begun is begun
// anew. Nothing is lost by it, and some is read again.
func (s State) RewindTo(to time.Time) State {
	at := max(0, unixSeconds(to))
	for _, mark := range []*int64{&s.SyncedTo, &s.HistoryTo, &s.Refreshed, &s.Reconciled} {
		*mark = min(*mark, at)
	}
	s.Window, s.Position, s.Paused, s.Sweep = nil, nil, nil, nil
	return s
}

// LatestTime is the latest time that the state says something of; the zero time where it says nothing of any.
func (s State) LatestTime() time.Time {
	if at := s.latestSeconds(); at > 0 {
		return time.Unix(at, 0)
	}
	return time.Time{}
}

// latestSeconds is the latest time in the state.
func (s State) latestSeconds() int64 {
	latest := max(s.SyncedTo, s.HistoryTo, s.Refreshed)
	if s.Window != nil {
		latest = max(latest, s.Window.From, s.Window.To)
	}
	if s.Position != nil {
		// A record's own time may lie anywhere; the time asked from may not.
		latest = max(latest, s.Position.Since)
	}
	return latest
}

// shortFor is how long a record counts as short: by then it has come back, or the lists of those that left tell of it.
const shortFor = 60 * 24 * 3600

// cutShort is what is known of records that are short, after a page: those of before, but for the ones that came whole, and the page's.
func cutShort(before map[string]int64, page Page) map[string]int64 {
	now := page.ServerTime.Unix()
	var after map[string]int64
	note := func(id string, at int64) {
		if after == nil {
			after = map[string]int64{}
		}
		after[id] = at
	}
	for id, at := range before {
		if page.ServerTime.IsZero() || now-at < shortFor {
			note(id, at)
		}
	}
	for _, r := range page.Records {
		if r.Short != "" {
			note(r.Short, now)
		}
	}
	return after
}
