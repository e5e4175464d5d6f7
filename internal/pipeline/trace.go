package pipeline

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

	"github.com/google/renameio/v2"

	"aqueduck/load/layout"
)

// Trace is how a run spent its time: names, times and counts. It has no text that came from outside, so nothing to erase.
type Trace struct {
	Run        string         `json:"run"`
	Pipeline   string         `json:"pipeline"`
	Started    time.Time      `json:"started"`
	Ended      time.Time      `json:"ended,omitzero"` // not there while the run goes on, or when it was killed
	Streams    []TracedStream `json:"streams"`
	Publishing []Span         `json:"publishing"`

	Configuration []Origin `json:"configuration,omitempty"` // where its values came from; no values
}

// TracedStream is one stream's share of it.
type TracedStream struct {
	Workspace string        `json:"workspace"`
	Stream    string        `json:"stream"`
	Endpoint  string        `json:"endpoint"`
	Class     string        `json:"class,omitempty"` // of the error that ended it
	Requests  int64         `json:"requests"`
	Retries   int64         `json:"retries"`
	Limited   int64         `json:"limited"` // answered with 429
	Failed    int64         `json:"failed"`  // 5xx, or no answer
	Waited    time.Duration `json:"waited_ns"`
	Spans     []Span        `json:"spans"`
}

// classes are those of the errors that streams met, by workspace.stream.
func (t *Trace) classes() map[string]string {
	all := map[string]string{}
	for _, s := range t.Streams {
		all[s.Workspace+"."+s.Stream] = s.Class
	}
	return all
}

// Span is a stretch of time in which one thing was done.
type Span struct {
	What string    `json:"what"` // reading, waiting, committing, publishing
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
}

const (
	traceEvery  = 2   // times that run.json is written, for each time that the trace is
	keepTraces  = 400 // newest runs whose traces stay
	fineSpans   = 200 // spans of one kind lie at least this part of the run's time apart, or are one
	enoughSpans = 600 // of a stream; what comes later widens the last of its kind
)

// traced is what a run notes of one stream while it reads.
type traced struct {
	spans   []Span
	reading int           // index of the span under way, -1: none
	waited  time.Duration // what of its waiting has a span
}

// stretch notes a stretch of time. Those of one kind that nearly touch become one.
func stretch(all []Span, s Span, began time.Time) []Span {
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].What == s.What {
			if s.From.Sub(all[i].To) <= s.To.Sub(began)/fineSpans || len(all) >= enoughSpans {
				all[i].To = s.To
				return all
			}
			break
		}
	}
	return append(all, s)
}

// begins, waits, commits and ends are what progress notes of a stream; each is called with its mutex held.
func (p *progress) begins(t *task) {
	tr := p.traces[t]
	if tr == nil {
		tr = &traced{}
		p.traces[t] = tr
	}
	now := p.run.now()
	tr.reading = len(tr.spans)
	tr.spans = append(tr.spans, Span{"reading", now, now})
}

// waits notes the time that a stream's requests have waited since the last page, as if it was just before this one.
func (p *progress) waits(t *task) {
	tr := p.traces[t]
	waited := t.workspace.client.Sent(t.stream).Waited
	if tr == nil || waited-tr.waited < 100*time.Millisecond {
		return
	}
	now := p.run.now()
	from := now.Add(tr.waited - waited)
	if began := tr.spans[tr.reading].From; from.Before(began) {
		from = began // streams read ahead: several requests waited at once
	}
	tr.waited = waited
	tr.spans = stretch(tr.spans, Span{"waiting", from, now}, p.run.started)
}

func (p *progress) commits(t *task, began time.Time) {
	if tr := p.traces[t]; tr != nil {
		tr.spans = stretch(tr.spans, Span{"committing", began, p.run.now()}, p.run.started)
	}
}

func (p *progress) ends(t *task) {
	p.waits(t)
	if tr := p.traces[t]; tr != nil {
		tr.spans[tr.reading].To = p.run.now()
	}
}

// trace is the account so far; called without the mutex.
func (p *progress) trace(ended time.Time) Trace {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := Trace{Run: p.run.id, Pipeline: p.run.pipeline.Name, Started: p.run.started, Ended: ended, Publishing: slices.Clone(p.published),
		Configuration: slices.Concat(p.run.runner.Flags, p.run.config.OriginsOf(p.run.pipeline))}
	if p.doing == "publishing" {
		all.Publishing = append(all.Publishing, Span{"publishing", p.since, p.run.now()})
	}
	for _, t := range p.run.tasks {
		sent := t.workspace.client.Sent(t.stream)
		one := TracedStream{Workspace: t.workspace.name, Stream: t.stream.Name, Endpoint: t.stream.Read.Method + " " + t.stream.Read.Path,
			Requests: sent.Requests, Retries: sent.Retries, Limited: sent.Limited, Failed: sent.Failed, Waited: sent.Waited}
		if tr := p.traces[t]; tr != nil {
			one.Spans = slices.Clone(tr.spans)
			if s := p.streams[t]; s != nil && s.Phase != "done" {
				one.Spans[tr.reading].To = p.run.now()
			}
		}
		if !ended.IsZero() {
			one.Class = t.result.Class // written by the stream's own goroutine until the run ends
		}
		all.Streams = append(all.Streams, one)
	}
	return all
}

// keepTrace writes the account, and at the end of a run drops those of old runs. It is a courtesy: no run fails for it.
func (p *progress) keepTrace(ended time.Time) {
	dir := p.run.runner.Dir.RunDir()
	text, err := json.Marshal(p.trace(ended))
	if err == nil {
		err = renameio.WriteFile(filepath.Join(dir, p.run.id+".json"), text, 0o600)
	}
	if err == nil && !ended.IsZero() {
		err = dropTraces(dir)
	}
	if err != nil {
		p.run.runner.Log.Warn("nothing will tell how this run spent its time", "error", err)
	}
}

// dropTraces removes those that are neither of the newest runs nor whole.
func dropTraces(dir string) error {
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
