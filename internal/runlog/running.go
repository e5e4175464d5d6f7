package runlog

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"

	"aqueduck/load/layout"
)

// Running is the contents of run.json, which describes the run under way.
type Running struct {
	Run      string          `json:"run"`
	Pipeline string          `json:"pipeline"`
	PID      int             `json:"pid"`                     // of the process that runs
	Started  time.Time       `json:"started"`                 // by the warehouse's clock
	At       time.Time       `json:"at"`                      // when the file was written
	Doing    string          `json:"doing"`                   // reading, publishing
	Percent  float64         `json:"percent"`                 // share of the history that is read, 0 to 100
	Done     float64         `json:"done_percent"`            // share of the whole run that is done, an estimate; 0: unknown
	Left     time.Duration   `json:"left_ns"`                 // estimate until the end of the run; 0: unknown
	Least    time.Duration   `json:"least_left_ns,omitempty"` // where Left is unknown because the run has become slower: more is left than this
	Streams  []RunningStream `json:"streams"`
	Rows     int64           `json:"rows"`                // rows written, over all tables
	Requests int64           `json:"requests"`            // sent so far
	Try      int             `json:"try,omitempty"`       // as PastRun has it
	Narrow   bool            `json:"narrow,omitempty"`    // as PastRun has it
	Part     bool            `json:"part,omitempty"`      // as PastRun has it
	Span     bool            `json:"span,omitempty"`      // as PastRun has it
	CaughtUp bool            `json:"caught_up,omitempty"` // as PastRun has it
	Emulated bool            `json:"emulated,omitempty"`  // as PastRun has it
}

// RunningStream is one stream of a run under way.
type RunningStream struct {
	Workspace string    `json:"workspace"`
	Stream    string    `json:"stream"`
	Phase     string    `json:"phase"`               // waiting, reading, backfill, done
	WaitsFor  string    `json:"waits_for,omitempty"` // parent streams, its turn, the rate limit, a retry; "": nothing
	Requests  int64     `json:"requests"`            // sent so far
	Expected  int64     `json:"expected"`            // estimate of the requests of the whole run; 0: unknown
	Extracted int64     `json:"extracted"`           // records read
	Rows      int64     `json:"rows"`                // rows written, over all its tables
	Backfill  float64   `json:"backfill"`            // share of the history that is read, 0 to 1
	SyncedTo  time.Time `json:"synced_to,omitzero"`  // the watermark
}

// RunFileEvery is the time between two versions of run.json, and so the greatest age of what `status` shows.
const RunFileEvery = 2 * time.Second

// Called returns a function that names the streams of the run.
func (r *Running) Called() func(RunningStream) string {
	return StreamNamer(r.Streams, func(s RunningStream) (string, string) { return s.Workspace, s.Stream })
}

// staleRun is the age of run.json from which its run counts as crashed. A run rewrites the file every two seconds.
const staleRun = 30 * time.Second

// readRunFile returns the contents of run.json: of the run under way, or of a crashed run that is not noted yet.
func readRunFile(dir layout.Dir) (running, lost *Running, err error) {
	info, err := os.Stat(dir.RunFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	var text []byte
	if err == nil {
		text, err = os.ReadFile(dir.RunFile())
	}
	if err != nil {
		return nil, nil, fmt.Errorf("look for a current run: %w", err)
	}
	var r Running
	switch {
	case json.Unmarshal(text, &r) != nil:
		return nil, nil, nil // not written by a run of this program; the next run replaces it
	case time.Since(info.ModTime()) > staleRun || !processAlive(r.PID):
		return nil, &r, nil
	}
	return &r, nil, nil
}

// processAlive reports whether a process exists on this machine.
func processAlive(pid int) bool {
	process, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	err = process.Signal(syscall.Signal(0))
	return err == nil || !errors.Is(err, os.ErrProcessDone) && !errors.Is(err, syscall.ESRCH)
}
