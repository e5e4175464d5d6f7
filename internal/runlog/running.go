package runlog

import (
	"fmt"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"aqueduck/internal/term"
)

// Running is what run.json says of the run under way; status reads it.
type Running struct {
	Run      string          `json:"run"`
	Pipeline string          `json:"pipeline"`
	PID      int             `json:"pid"`
	Started  time.Time       `json:"started"`
	At       time.Time       `json:"at"`    // when this was written
	Doing    string          `json:"doing"` // reading, publishing
	Percent  float64         `json:"percent"`
	Left     time.Duration   `json:"left_ns"` // estimate; 0 unknown
	Streams  []RunningStream `json:"streams"`
	Rows     int64           `json:"rows"`
	Requests int64           `json:"requests"`
	Try      int             `json:"try,omitempty"`       // as PastRun has it
	Narrow   bool            `json:"narrow,omitempty"`    // as PastRun has it
	CaughtUp bool            `json:"caught_up,omitempty"` // as PastRun has it
}

// RunningStream is one stream of a run under way.
type RunningStream struct {
	Workspace string    `json:"workspace"`
	Stream    string    `json:"stream"`
	Phase     string    `json:"phase"`               // waiting, forward, history, done
	WaitsFor  string    `json:"waits_for,omitempty"` // the streams it is read under, its turn, the rate limit, the next try; "": nothing
	Requests  int64     `json:"requests"`
	Extracted int64     `json:"extracted"`
	Rows      int64     `json:"rows"`
	Backfill  float64   `json:"backfill"`
	SyncedTo  time.Time `json:"synced_to,omitzero"`
}

// RunFileEvery is how old run.json may be; whoever asks for the status waits no longer than this for the truth.
const RunFileEvery = 2 * time.Second

// Table shows a run under way to a person who watches it: what it does, how far it is, when it may end, and each stream. It
// has no line break at its end.
func (r *Running) Table() string {
	t := table.NewWriter()
	t.SetStyle(term.PlainStyle())
	t.AppendHeader(table.Row{"STREAM", "DOING", "READ", "ROWS", "REQS", "HISTORY", "WAITS FOR"})
	t.SetColumnConfigs(term.AlignRight(3, 4, 5, 6))
	called := r.Called()
	for _, s := range r.Streams {
		t.AppendRow(table.Row{called(s), s.Phase, term.Thousands(s.Extracted), term.Thousands(s.Rows), term.Thousands(s.Requests), fmt.Sprintf("%.0f %%", 100*s.Backfill), s.WaitsFor})
	}
	return r.Line() + "\n" + term.Render(t)
}

func (r *Running) Called() func(RunningStream) string {
	return Called(r.Streams, func(s RunningStream) (string, string) { return s.Workspace, s.Stream })
}

// Line says in a line what it does, how far it is, and when it may end.
func (r *Running) Line() string {
	return fmt.Sprintf("%s %s for %s: %s%s, %s%s", r.Pipeline, r.Doing, term.Duration(r.At.Sub(r.Started)), r.Share(), term.Count(int(r.Rows), "row"), term.Count(int(r.Requests), "request"), r.rate())
}

// rate is how many requests a minute the run has sent until now, once that says something.
func (r *Running) rate() string {
	if took := r.At.Sub(r.Started); took > time.Second && r.Requests > 0 {
		return fmt.Sprintf(", %s a minute", term.Thousands(int64(float64(r.Requests)/took.Minutes())))
	}
	return ""
}

// Share is how much of the history is read and how long the rest may take, while there is some left.
func (r *Running) Share() string {
	if r.Percent >= 100 {
		return ""
	}
	text := fmt.Sprintf("%.0f%%, ", r.Percent)
	if r.Left > 0 {
		text += "about " + term.Duration(r.Left) + " left, "
	}
	return text
}
