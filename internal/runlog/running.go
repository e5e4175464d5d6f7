package runlog

import "time"

// Running is what run.json says of the run under way; status reads it.
type Running struct {
	Run      string          `json:"run"`
	Pipeline string          `json:"pipeline"`
	PID      int             `json:"pid"`     // of the process that runs
	Started  time.Time       `json:"started"` // by the run's clock
	At       time.Time       `json:"at"`      // when this was written
	Doing    string          `json:"doing"`   // reading, publishing
	Percent  float64         `json:"percent"` // of the history that is read, 0 to 100
	Left     time.Duration   `json:"left_ns"` // estimate; 0 unknown
	Streams  []RunningStream `json:"streams"`
	Rows     int64           `json:"rows"`                // written over all tables
	Requests int64           `json:"requests"`            // sent so far
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
	Requests  int64     `json:"requests"`            // sent so far
	Extracted int64     `json:"extracted"`           // records read
	Rows      int64     `json:"rows"`                // written over all its tables
	Backfill  float64   `json:"backfill"`            // share of its history that is read, 0 to 1
	SyncedTo  time.Time `json:"synced_to,omitzero"`  // the watermark
}

// RunFileEvery is how old run.json may be; whoever asks for the status waits no longer than this for the truth.
const RunFileEvery = 2 * time.Second

// Called gives how each stream of the run is called.
func (r *Running) Called() func(RunningStream) string {
	return StreamNamer(r.Streams, func(s RunningStream) (string, string) { return s.Workspace, s.Stream })
}
