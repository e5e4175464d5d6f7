package stream

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"time"

	"github.com/google/renameio/v2"

	"aqueduck/internal/runlog"
)

// appendSpan adds a span to a trace. It extends the last span of the same kind when the two nearly touch, or when the trace is full.
func appendSpan(all []runlog.Span, s runlog.Span, began time.Time) []runlog.Span {
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].What == s.What {
			if s.From.Sub(all[i].To) <= s.To.Sub(began)/runlog.FineSpans || len(all) >= runlog.EnoughSpans {
				all[i].To = s.To
				return all
			}
			break
		}
	}
	return append(all, s)
}

// beginReading opens the span that covers a phase of a stream. It and the functions below are called with the mutex of Progress held.
func (p *Progress) beginReading(t *Task) {
	tr := p.traces[t]
	if tr == nil {
		tr = &streamTrace{}
		p.traces[t] = tr
	}
	now := p.run.Now()
	tr.reading = len(tr.spans)
	tr.spans = append(tr.spans, runlog.Span{What: "reading", From: now, To: now})
}

// recordWait adds a span for the time that the stream's requests waited since the last page. Only the sum is known, so the span ends now.
func (p *Progress) recordWait(t *Task) {
	tr := p.traces[t]
	waited := t.Workspace.Client.CountsFor(t.Stream).Waited
	if tr == nil || waited-tr.waited < 100*time.Millisecond {
		return
	}
	now := p.run.Now()
	from := now.Add(tr.waited - waited)
	if began := tr.spans[tr.reading].From; from.Before(began) {
		from = began // streams read ahead: several requests waited at once
	}
	tr.waited = waited
	tr.spans = appendSpan(tr.spans, runlog.Span{What: "waiting", From: from, To: now}, p.run.Started)
}

func (p *Progress) recordCommit(t *Task, began time.Time) {
	if tr := p.traces[t]; tr != nil {
		tr.spans = appendSpan(tr.spans, runlog.Span{What: "committing", From: began, To: p.run.Now()}, p.run.Started)
	}
}

func (p *Progress) endReading(t *Task) {
	p.recordWait(t)
	if tr := p.traces[t]; tr != nil {
		tr.spans[tr.reading].To = p.run.Now()
	}
}

// BeginStep notes that a step of a publish begins, and that the one before it has ended. Steps of one name are summed over all publishes of the run.
func (p *Progress) BeginStep(step string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.run.Now()
	p.endStep(now)
	p.stepBegan = now
	at := slices.IndexFunc(p.steps, func(s runlog.PublishStep) bool { return s.What == step })
	if at < 0 {
		at = len(p.steps)
		p.steps = append(p.steps, runlog.PublishStep{What: step})
	}
	p.step = at
}

// endStep adds the time of the step under way, if there is one, to its sum. The caller holds the mutex.
func (p *Progress) endStep(now time.Time) {
	if !p.stepBegan.IsZero() {
		p.steps[p.step].Took += now.Sub(p.stepBegan)
		p.stepBegan = time.Time{}
	}
}

// buildTrace returns the trace so far; ended is zero while the run goes on. The caller does not hold the mutex.
func (p *Progress) buildTrace(ended time.Time) runlog.Trace {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := runlog.Trace{Run: p.run.ID, Pipeline: p.run.Pipeline.Name, Started: p.run.Started, Ended: ended, Publishing: slices.Clone(p.published),
		Configuration: slices.Concat(p.run.Runner.Flags, p.run.Config.OriginsOf(p.run.Pipeline))}
	all.Pace, all.Steps = p.tracePace(p.run.Now()), slices.Clone(p.steps)
	if p.doing == "publishing" {
		all.Publishing = append(all.Publishing, runlog.Span{What: "publishing", From: p.since, To: p.run.Now()})
	}
	for _, t := range p.run.Tasks {
		sent := t.Workspace.Client.CountsFor(t.Stream)
		one := runlog.TracedStream{Workspace: t.Workspace.Name, Stream: t.Stream.Name, Endpoint: t.Stream.Read.Method + " " + t.Stream.Read.Path,
			Requests: sent.Requests, Retries: sent.Retries, Limited: sent.Limited, Failed: sent.Failed, Waited: sent.Waited}
		if tr := p.traces[t]; tr != nil {
			one.Spans = slices.Clone(tr.spans)
			if s := p.streams[t]; s != nil && s.Phase != "done" {
				one.Spans[tr.reading].To = p.run.Now()
			}
		}
		if !ended.IsZero() {
			one.Class = t.Result.Class // written by the stream's own goroutine until the run ends
		}
		all.Streams = append(all.Streams, one)
	}
	return all
}

// keepTrace writes the trace to a file, and at the end of a run removes the traces of old runs. A failure is logged: a trace is not worth a run.
func (p *Progress) keepTrace(ended time.Time) {
	dir := p.run.Runner.Dir.RunDir()
	text, err := json.Marshal(p.buildTrace(ended))
	if err == nil {
		err = renameio.WriteFile(filepath.Join(dir, p.run.ID+".json"), text, 0o600)
	}
	if err == nil && !ended.IsZero() {
		err = runlog.DropTraces(dir)
	}
	if err != nil && !ended.IsZero() { // the end of the run writes it again
		p.run.Runner.Log.Warn("this run has no trace: the console cannot show where its time was spent", "error", err)
	}
}
