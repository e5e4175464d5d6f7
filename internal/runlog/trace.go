package runlog

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"aqueduck/internal/config"
	"aqueduck/load/layout"
)

// Trace is how a run spent its time: names, times and counts. It has no text that came from outside, so nothing to erase.
type Trace struct {
	Run        string         `json:"run"`
	Pipeline   string         `json:"pipeline"`
	Started    time.Time      `json:"started"`        // by the run's clock
	Ended      time.Time      `json:"ended,omitzero"` // not there while the run goes on, or when it was killed
	Streams    []TracedStream `json:"streams"`
	Publishing []Span         `json:"publishing"`

	Configuration []config.Origin `json:"configuration,omitempty"` // where its values came from; no values
}

// TracedStream is one stream's share of it.
type TracedStream struct {
	Workspace string        `json:"workspace"`
	Stream    string        `json:"stream"`
	Endpoint  string        `json:"endpoint"`
	Class     string        `json:"class,omitempty"` // of the error that ended it
	Requests  int64         `json:"requests"`        // sent, repeated ones included
	Retries   int64         `json:"retries"`         // of them: those that asked again
	Limited   int64         `json:"limited"`         // answered with 429
	Failed    int64         `json:"failed"`          // 5xx, or no answer
	Waited    time.Duration `json:"waited_ns"`       // for its turn, and before repeating
	Spans     []Span        `json:"spans"`
}

// errorClasses are those of the errors that streams met, by workspace.stream.
func (t *Trace) errorClasses() map[string]string {
	all := map[string]string{}
	for _, s := range t.Streams {
		all[s.Workspace+"."+s.Stream] = s.Class
	}
	return all
}

// Span is a stretch of time in which one thing was done.
type Span struct {
	What string    `json:"what"` // reading, waiting, committing, publishing
	From time.Time `json:"from"` // by the run's clock
	To   time.Time `json:"to"`   // likewise
}

const (
	TraceEvery  = 2   // times that run.json is written, for each time that the trace is
	keepTraces  = 400 // newest runs whose traces stay
	FineSpans   = 200 // spans of one kind lie at least this part of the run's time apart, or are one
	EnoughSpans = 600 // of a stream; what comes later widens the last of its kind
)

// DropTraces removes those that are neither of the newest runs nor whole.
func DropTraces(dir string) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var names []string // of runs, which sort by their time
	for _, f := range files {
		if strings.HasPrefix(f.Name(), ".") {
			err = errors.Join(err, os.Remove(filepath.Join(dir, f.Name()))) // of a run that was killed while it wrote
			continue
		}
		names = append(names, f.Name())
	}
	for _, name := range names[:max(0, len(names)-keepTraces)] {
		err = errors.Join(err, os.Remove(filepath.Join(dir, name)))
	}
	return err
}

// runID is what runs are called; nothing else is looked for.
var runID = regexp.MustCompile(`^[0-9A-Z]{26}$`)

// ReadTrace gives how a run spent its time; nil when nothing tells.
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
		return nil, nil // whatever wrote it is no run of ours
	}
	return &t, nil
}
