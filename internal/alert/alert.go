// Package alert reports how runs go: pings for services that notice a missing one, webhooks for people.
package alert

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// NotifyStarted pings that a run has begun. A run of a part of the pipeline sends no ping: a service that waits for those of the whole would be misled.
func (s *Sender) NotifyStarted(ctx context.Context, r Run) {
	if r.Part {
		return
	}
	for t := range s.targetsFor(r.Pipeline) {
		s.pingTarget(ctx, t, "/start", r)
	}
}

// NotifyEnded pings how a run has ended, and posts its failure, its recovery and changes of the source to webhooks. A cancelled
// run sends nothing: whoever cancelled it knows. A run that will be retried sends only changes of the source.
func (s *Sender) NotifyEnded(ctx context.Context, r Run) {
	if r.Interrupted {
		return
	}
	for t := range s.targetsFor(r.Pipeline) {
		if !r.WillRetry {
			s.notifyOutcome(ctx, t, r)
		}
		if len(r.Changes) > 0 && slices.Contains(t.On, Changed) {
			s.postMessage(ctx, t, Message{Event: Changed, Pipeline: r.Pipeline, Run: r.ID, Changes: r.Changes, At: r.At,
				Text: fmt.Sprintf("aqueduck: %s: schema drift\n%s", r.Pipeline, strings.Join(r.Changes, "\n"))})
		}
	}
}

// notifyOutcome pings how a run has ended, and posts its failure or the recovery from one. Of a run of a part of the pipeline it posts only the failure,
// and no recovery while a stream is missing.
func (s *Sender) notifyOutcome(ctx context.Context, t Target, r Run) {
	switch {
	case !r.Part && r.Succeeded:
		s.pingTarget(ctx, t, "", r)
	case !r.Part:
		s.pingTarget(ctx, t, "/fail", r)
	}
	if r.Succeeded && (r.Part || r.Misses) {
		return // what failed before may not have been read
	}
	m := Message{Event: Failure, Pipeline: r.Pipeline, Run: r.ID, Class: r.Class, Error: r.Error, Next: r.Next, Line: r.Line, At: r.At}
	m.Text = fmt.Sprintf("aqueduck: %s failed: error[%s] %s\nnext: %s\n%s", r.Pipeline, r.Class, r.Error, r.Next, r.Line)
	over := Message{Event: Recovery, Pipeline: r.Pipeline, Run: r.ID, Line: r.Line, At: r.At}
	over.Text = fmt.Sprintf("aqueduck: %s has recovered\n%s", r.Pipeline, r.Line)
	s.postWithCooldown(ctx, t, m, over, !r.Succeeded)
}

// NotifyFreshness posts which streams of a pipeline exceed their freshness SLA at a time; without streams it posts the recovery.
func (s *Sender) NotifyFreshness(ctx context.Context, pipeline string, streams []string, at time.Time) {
	for t := range s.targetsFor(pipeline) {
		m := Message{Event: Late, Pipeline: pipeline, Class: "freshness", Next: "aqueduck status", Streams: streams, At: at}
		m.Text = fmt.Sprintf("aqueduck: %s has a breached freshness SLA: %s\nnext: aqueduck status", pipeline, strings.Join(streams, ", "))
		over := Message{Event: Recovery, Pipeline: pipeline, At: at, Text: fmt.Sprintf("aqueduck: %s is on time again", pipeline)}
		s.postWithCooldown(ctx, t, m, over, len(streams) > 0)
	}
}

// targetsFor are the targets of a pipeline.
func (s *Sender) targetsFor(pipeline string) func(func(Target) bool) {
	return func(yield func(Target) bool) {
		for _, t := range s.Targets {
			if (len(t.Pipelines) == 0 || slices.Contains(t.Pipelines, pipeline)) && !yield(t) {
				return
			}
		}
	}
}

// postWithCooldown posts a problem unless the same one was posted within the target's cooldown. When the problem is over it posts
// the recovery, if the problem had been posted.
func (s *Sender) postWithCooldown(ctx context.Context, t Target, wrong, over Message, isWrong bool) {
	if t.Webhook == "" || !slices.Contains(t.On, wrong.Event) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	sent := s.readSent()
	key := strings.Join([]string{t.Name, wrong.Pipeline, string(wrong.Event)}, " ")
	before, known := sent[key]
	switch {
	case isWrong && known && before.Class == wrong.Class && s.Now().Sub(before.At) < t.Cooldown:
		return
	case isWrong:
		if !s.postMessage(ctx, t, wrong) {
			return // the next run tries again
		}
		sent[key] = sentAlert{Class: wrong.Class, At: s.Now().UTC()}
	case !known:
		return
	default:
		if slices.Contains(t.On, Recovery) && !s.postMessage(ctx, t, over) {
			return
		}
		delete(sent, key)
	}
	if err := s.writeSent(sent); err != nil {
		s.Log.Warn("the history of alerts could not be written: an alert may be repeated", "alert", t.Name, "error", err)
	}
}
