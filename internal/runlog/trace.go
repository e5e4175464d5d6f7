package runlog

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"aqueduck/internal/config"
	"aqueduck/load/layout"
)

// Trace is how a run spent its time: names, times and counts. It contains no text from the source, so an erasure need not touch it.
type Trace struct {
	Run        string         `json:"run"`
	Pipeline   string         `json:"pipeline"`
	Started    time.Time      `json:"started"`        // by the warehouse's clock
	Ended      time.Time      `json:"ended,omitzero"` // absent while the run goes on, and after a crash
	Streams    []TracedStream `json:"streams"`
	Publishing []Span         `json:"publishing"`
	Steps      []PublishStep  `json:"steps,omitempty"` // of its publishes, in their order; their times are summed over all publishes
	Pace       []PacePoint    `json:"pace,omitempty"`  // in the order of their times; those of several workspaces are mixed

	Configuration []config.Origin `json:"configuration,omitempty"` // where its settings came from, without their values
}

// TracedStream is the part of one stream in a trace.
type TracedStream struct {
	Workspace string        `json:"workspace"`
	Stream    string        `json:"stream"`
	Endpoint  string        `json:"endpoint"`
	Class     string        `json:"class,omitempty"` // class of the error that ended it
	Requests  int64         `json:"requests"`        // requests sent, retries included
	Retries   int64         `json:"retries"`         // of them: retries
	Limited   int64         `json:"limited"`         // answered with 429
	Failed    int64         `json:"failed"`          // 5xx answers and requests without an answer
	Waited    time.Duration `json:"waited_ns"`       // for the rate limit, and before retries
	Spans     []Span        `json:"spans"`
}

// PacePoint is how many requests a workspace was sent in a stretch of a run, and how many it was allowed.
type PacePoint struct {
	Workspace string    `json:"workspace"`
	From      time.Time `json:"from"` // by the warehouse's clock
	To        time.Time `json:"to"`   // likewise
	Requests  int64     `json:"requests"`
	Budget    int       `json:"budget"` // requests per minute that the pace allowed at its end
}

// errorClasses returns the classes of the streams' errors, by workspace.stream.
func (t *Trace) errorClasses() map[string]string {
	all := map[string]string{}
	for _, s := range t.Streams {
		all[s.Workspace+"."+s.Stream] = s.Class
	}
	return all
}

// Span is a span of time with one activity.
type Span struct {
	What string    `json:"what"` // reading, waiting, committing, publishing
	From time.Time `json:"from"` // by the warehouse's clock
	To   time.Time `json:"to"`   // likewise
}

// PublishStep is how long a step of the publishes of a run took.
type PublishStep struct {
	What string        `json:"what"`
	Took time.Duration `json:"took_ns"`
}

const (
	TraceEvery  = 2   // the trace is written with every second version of run.json
	keepTraces  = 400 // traces and logs are kept of so many newest runs
	FineSpans   = 200 // spans of one kind closer than this part of the run's time are joined
	EnoughSpans = 600 // spans of a stream; later ones extend the last span of their kind
)

// DropTraces removes the traces and logs of older runs, and files that a killed run left half written.
func DropTraces(dir string) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var runs []string // their ids, which sort by time
	for _, f := range files {
		id, _, _ := strings.Cut(f.Name(), ".")
		switch {
		case id == "": // a killed run left it half written
			err = errors.Join(err, os.Remove(filepath.Join(dir, f.Name())))
		case !slices.Contains(runs, id):
			runs = append(runs, id)
		}
	}
	old := runs[:max(0, len(runs)-keepTraces)]
	for _, f := range files {
		if id, _, _ := strings.Cut(f.Name(), "."); slices.Contains(old, id) {
			err = errors.Join(err, os.Remove(filepath.Join(dir, f.Name())))
		}
	}
	return err
}

// runID is the form of run ids. File names of any other form are never opened.
var (
	runID      = regexp.MustCompile(`^[0-9A-Z]{26}$`)
	shortRunID = regexp.MustCompile(`^[0-9A-Z]{8}$`)
)

// ReadTrace returns the trace of a run; nil when none is kept.
func ReadTrace(dir layout.Dir, run string) (*Trace, error) {
	if !runID.MatchString(run) {
		return nil, nil
	}
	text, err := os.ReadFile(filepath.Join(dir.RunDir(), run+".json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read how a run spent its time: %w", err)
	}
	var t Trace
	if json.Unmarshal(text, &t) != nil {
		return nil, nil // not written by a run of this program
	}
	return &t, nil
}
