package extract

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// State is a stream's checkpoint: what has been read, and where reading continues. All times are Unix seconds. The zero State is
// that of a stream that was never read.
type State struct {
	SyncedTo     int64            `json:"synced_to,omitempty"`     // the watermark: everything before it was read
	HistoryTo    int64            `json:"history_to,omitempty"`    // the backfill has read down to here; 0 before the first window
	HistoryDone  bool             `json:"history_done,omitempty"`  // nothing older is wanted, or exists
	HistorySpan  int64            `json:"history_span,omitempty"`  // length of the last history window
	Window       *Window          `json:"window,omitempty"`        // being read; nil: none
	Position     *Position        `json:"position,omitempty"`      // in Window; nil: its beginning
	Paused       *SuspendedWindow `json:"paused,omitempty"`        // history window that waits during a forward phase
	Below        []HistoryWindow  `json:"below,omitempty"`         // windows of the history below the current or suspended one, begun or done before it
	Bookmark     *Position        `json:"bookmark,omitempty"`      // page of a feed at which the next reading begins
	Sweep        *Sweep           `json:"sweep,omitempty"`         // the last full-list sweep
	Version      string           `json:"version,omitempty"`       // API version that it was read under
	Refreshed    int64            `json:"refreshed,omitempty"`     // when all recent records were last read by id, also unchanged ones
	Reconciled   int64            `json:"reconciled,omitempty"`    // when the last reconciliation with the whole list took place
	ReconcileCut int64            `json:"reconcile_cut,omitempty"` // since when runs have begun a reconciliation and none has ended one, in Unix seconds
	RereadAll    bool             `json:"again,omitempty"`         // read every record by id until the history is read
	Replace      bool             `json:"replace,omitempty"`       // a full refresh is under way: rows from before it are replaced
	RefreshDue   bool             `json:"due,omitempty"`           // a full refresh is wanted, and none of its pages is stored: the rest is as before it
	Export       *Export          `json:"export,omitempty"`        // of a stream of an export dataset

	AlwaysSent    []string `json:"sent,omitempty"`      // paths of lists and objects that the source always sends under this version
	SometimesSent []string `json:"sometimes,omitempty"` // paths of those that many records lack

	Unchanged *Unchanged `json:"unchanged,omitempty"` // what the list and its tables were when a sweep changed nothing; nil: not known

	LastAskedID string `json:"asked,omitempty"` // last id asked for, when a run cannot ask for all incomplete records again

	// Short are ids of records that are stored without the rest of a nested list, which was answered 404; each with the server's time.
	Short map[string]int64 `json:"short,omitempty"`
}

// Window is a span of time, or a whole list, that is read from beginning to end.
type Window struct {
	Kind      string `json:"kind"`            // forward, history, sweep
	RereadAll bool   `json:"again,omitempty"` // read its records by id, also unchanged ones
	From      int64  `json:"from,omitempty"`  // Unix seconds, as To and Before are
	To        int64  `json:"to,omitempty"`    // forward: the next watermark; 0 when the server has not sent its time

	// Before is where a forward window would begin by the watermark, if From is earlier because of Request.Known; else 0. Records
	// before it only show that the list still has what is stored.
	Before int64 `json:"before,omitempty"`
}

// IncludesTime reports whether the window asks for records of a time, in Unix seconds. A forward window has no end: it also asks
// for what changes while it is read.
func (w Window) IncludesTime(at int64) bool {
	return at >= w.From && (w.Kind == windowForward || at <= w.To)
}

// SuspendedWindow is an unfinished window and the position in it.
type SuspendedWindow struct {
	Window   Window    `json:"window"`
	Position *Position `json:"position,omitempty"`
}

// HistoryWindow is a window of the history that is read at the same time as one above it.
type HistoryWindow struct {
	Window   Window    `json:"window"`
	Position *Position `json:"position,omitempty"` // nil: its beginning
	Done     bool      `json:"done,omitempty"`     // it is read to its end
}

// Values of Window.Kind.
const (
	windowForward = "forward"
	windowHistory = "history"
	windowSweep   = "sweep"
)

// Position is the position before a page of a list.
type Position struct {
	Token       string `json:"token,omitempty"`       // cursor of the page; empty at the beginning
	Fingerprint string `json:"fingerprint,omitempty"` // of the request that the token belongs to
	Page        int64  `json:"page,omitempty"`        // number of the page, where pages have numbers
	Size        int    `json:"size,omitempty"`        // records per page
	Rows        int64  `json:"rows,omitempty"`        // distinct records before it
	Since       int64  `json:"since,omitempty"`       // search: the time asked from, when it is not the window's From
	LastTime    int64  `json:"last_time,omitempty"`   // search: everything in the window up to this time was read, if the index has the records' present times
	Settled     int64  `json:"settled,omitempty"`     // search: everything in the window up to this time was read
	Stated      int64  `json:"stated,omitempty"`      // search: the largest total_count of the whole window; 0: none
	Before      int64  `json:"before,omitempty"`      // search: records of the window that earlier walks read
	Unsorted    bool   `json:"unsorted,omitempty"`    // search: the list is not in order of time
	Repeated    bool   `json:"repeated,omitempty"`    // search: the window is read once more, because its first reading lacked records
	Last        string `json:"last,omitempty"`        // feed: id of the page's last record
}

// Sweep is one full-list sweep.
type Sweep struct {
	Number      int   `json:"number"`           // from 1
	Opened      int64 `json:"opened,omitempty"` // server's time at the first answer; 0: no answer has come
	Steady      bool  `json:"steady,omitempty"` // read without interruption, with an unchanged total_count that the records reached
	Total       int64 `json:"total,omitempty"`  // total_count of the first page, -1 when absent
	Rows        int64 `json:"rows,omitempty"`   // distinct records read
	MissingRows int64 `json:"lacks,omitempty"`  // sum of total_count minus the distinct records read
	Capped      bool  `json:"capped,omitempty"` // the list stopped before its end: records that it lacks may exist

	Refused string `json:"refused,omitempty"` // optional values that the source refused, separated by commas
}

// Unchanged is what a full list and the tables that it goes into were when a sweep of the list changed no row. While both stay so,
// a sweep has nothing to compare. Of a stream that is read by ids, it is what its SQL file reads, when that selected none.
type Unchanged struct {
	List   string `json:"list,omitempty"` // fingerprint of its records
	Tables string `json:"tables"`         // row counts and times of the last changes
}

// RefusedValues are the optional values that the source refused: nothing is known about their records.
func (s *Sweep) RefusedValues() []string {
	return strings.FieldsFunc(s.Refused, func(r rune) bool { return r == ',' })
}

// String is the state as JSON, which ParseState reads.
func (s State) String() string {
	text, err := json.Marshal(s)
	if err != nil {
		panic("extract: a state is always JSON: " + err.Error()) // it holds texts, numbers and nothing else
	}
	return string(text)
}

// ParseState reads a checkpoint; empty text is the zero State. It refuses text that String would not write: a misread checkpoint
// could skip records unnoticed.
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

// validateState refuses states that no reading can produce.
func (s State) validateState() error {
	if s.SyncedTo < 0 || s.HistoryTo < 0 || s.HistorySpan < 0 || s.Refreshed < 0 || s.Reconciled < 0 || s.ReconcileCut < 0 {
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
	for _, below := range s.Below {
		if w := below.Window; w.Kind != windowHistory || w.From < 0 || w.To < w.From {
			return errors.New("only windows of the backfill are read side by side")
		}
		positions = append(positions, below.Position)
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

// RewindTo is the state as of an earlier time: later watermarks are lowered, and unfinished windows and sweeps are dropped. It
// skips nothing; some records are read again.
func (s State) RewindTo(to time.Time) State {
	at := max(0, unixSeconds(to))
	s.SyncedTo, s.HistoryTo, s.Refreshed, s.Reconciled = min(s.SyncedTo, at), min(s.HistoryTo, at), min(s.Refreshed, at), min(s.Reconciled, at)
	s.Window, s.Position, s.Paused, s.Below, s.Sweep = nil, nil, nil, nil, nil
	return s
}

// Anew is the state of a stream that is read again from its beginning. Its reconciliation stays due: no list returns what was deleted.
func (s State) Anew(rereadAll bool) State {
	return State{RereadAll: rereadAll, Reconciled: s.Reconciled, ReconcileCut: s.ReconcileCut}
}

// LatestTime is the latest watermark or window bound in the state; the zero time when it has none.
func (s State) LatestTime() time.Time {
	if at := s.latestSeconds(); at > 0 {
		return time.Unix(at, 0)
	}
	return time.Time{}
}

// latestSeconds is LatestTime in Unix seconds, 0 for none.
func (s State) latestSeconds() int64 {
	latest := max(s.SyncedTo, s.HistoryTo, s.Refreshed)
	if s.Window != nil {
		latest = max(latest, s.Window.From, s.Window.To)
	}
	if s.Position != nil {
		latest = max(latest, s.Position.Since) // the time asked from: a record's time may lie in the future
	}
	return latest
}

// shortFor is how long, in seconds, a record stays in State.Short. By then it has come back, or reconciliation has found that it
// is deleted.
const shortFor = 60 * 24 * 3600

// cutShort is State.Short after a page: the entries from before that are not older than shortFor, and the page's.
func cutShort(before map[string]int64, page Page) map[string]int64 {
	now := page.ServerTime.Unix()
	after := map[string]int64{}
	for id, at := range before {
		if page.ServerTime.IsZero() || now-at < shortFor {
			after[id] = at
		}
	}
	for _, r := range page.Records {
		if r.Short != "" {
			after[r.Short] = now
		}
	}
	if len(after) == 0 {
		return nil
	}
	return after
}
