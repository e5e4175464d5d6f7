package schedule

import (
	"context"
	"hash/fnv"
	"sync"
	"time"
)

// Overlap says what becomes of a time that comes while the job still runs.
type Overlap int

// What may become of it.
const (
	Skip  Overlap = iota // it is left out
	Queue                // the job runs once more when it has ended, however many times came
)

// Job is something to do at its times.
type Job struct {
	Name           string
	Schedule       *Schedule
	CatchUp        bool      // a time that passed while nothing was running is made up for, once
	Last           time.Time // when the job last began, as far as is known; zero: never, so there is nothing to make up for
	PendingCatchUp bool      // the run of its last time did not come to its end: it is made up for as one that was missed
	Overlap        Overlap
	Jitter         time.Duration // the job begins up to this much later, always the same for one time

	Run       func(ctx context.Context, caughtUp bool) // called by one goroutine at a time; caughtUp: it makes up for a time that was missed
	Skipped   func(at time.Time)                       // told each time that is left out; may be nil
	NextRetry func() time.Time                         // when to do it once more before its next time, asked after each run; zero: not; may be nil
	Retry     func(ctx context.Context)                // does it once more; called as Run is
}

// missedAfter is how far behind its time a job may begin without its time counting as missed. Less than any sleep of the
// machine that someone would call downtime, more than a busy machine needs to wake up.
const missedAfter = 5 * time.Minute

// longestSleep is the longest wait in one piece: timers stand still while a machine sleeps, and clocks are set.
const longestSleep = time.Minute

// Run runs each job at its times until the context ends, and returns when the last one has ended too. Jobs run beside
// one another, a job never beside itself. The jobs get the context.
func Run(ctx context.Context, jobs []Job, now func() time.Time, wait func(context.Context, time.Duration) error) {
	var all sync.WaitGroup
	for i := range jobs {
		r := jobRunner{Job: jobs[i], now: now, wait: wait}
		all.Go(func() { r.runLoop(ctx) })
	}
	all.Wait()
}

// jobRunner is one job while it is waited for.
type jobRunner struct {
	Job
	now  func() time.Time
	wait func(context.Context, time.Duration) error

	retried time.Time // the last time that it was done once more: it is never done twice for one
}

func (r *jobRunner) runLoop(ctx context.Context) {
	from := r.now()
	if r.CatchUp && (r.PendingCatchUp || !r.Last.IsZero() && !r.lastMissed(r.Last).IsZero()) {
		r.Run(ctx, true)
		from = r.handleOverlap(ctx, from)
	}
	for ctx.Err() == nil {
		due := r.Schedule.Next(from)
		if at := r.nextRetry(due); !at.IsZero() {
			if r.sleepUntil(ctx, at) != nil {
				return
			}
			if r.nextRetry(due).Equal(at) { // and nobody has done so meanwhile
				r.retried = at
				r.Retry(ctx)
				from = r.handleOverlap(ctx, from)
			}
			continue
		}
		if due.IsZero() || r.sleepUntil(ctx, due.Add(r.jitterFor(due))) != nil {
			return
		}
		from = r.newestDue(due)
		missed := r.now().Sub(from) > missedAfter+r.jitterFor(from)
		if missed && !r.CatchUp {
			r.skipTime(from)
			continue
		}
		r.Run(ctx, missed)
		from = r.handleOverlap(ctx, from)
	}
}

// nextRetry is when the job is done once more, zero where that is not before its next time. One that was missed is made up for as any time is.
func (r *jobRunner) nextRetry(due time.Time) (at time.Time) {
	if r.NextRetry != nil {
		at = r.NextRetry()
	}
	now := r.now()
	if !at.After(r.retried) || !due.IsZero() && (!at.Before(due) || !now.Before(due)) || !r.CatchUp && now.Sub(at) > missedAfter {
		return time.Time{}
	}
	return at
}

// sleepUntil waits until a time on the clock.
func (r *jobRunner) sleepUntil(ctx context.Context, until time.Time) error {
	for {
		left := until.Sub(r.now())
		if left <= 0 {
			return ctx.Err()
		}
		if err := r.wait(ctx, min(left, longestSleep)); err != nil {
			return err
		}
	}
}

// newestDue is the newest time that has come: one run stands for all that passed while the machine slept.
func (r *jobRunner) newestDue(first time.Time) time.Time {
	for {
		next := r.Schedule.Next(first)
		if next.IsZero() || next.After(r.now()) {
			return first
		}
		r.skipTime(first)
		first = next
	}
}

// handleOverlap deals with the times that came during a run, and gives the time to go on from.
func (r *jobRunner) handleOverlap(ctx context.Context, from time.Time) time.Time {
	for ctx.Err() == nil {
		last := r.lastMissed(from)
		if last.IsZero() {
			return from
		}
		if r.Overlap == Skip {
			r.skipTime(last)
			return last
		}
		from = last
		r.Run(ctx, false)
	}
	return from
}

// lastMissed is the newest time after one instant that has come by now, those before it left out; zero when none has.
func (r *jobRunner) lastMissed(after time.Time) time.Time {
	next := r.Schedule.Next(after)
	if next.IsZero() || next.After(r.now()) {
		return time.Time{}
	}
	return r.newestDue(next)
}

func (r *jobRunner) skipTime(at time.Time) {
	if r.Skipped != nil {
		r.Skipped(at)
	}
}

// jitterFor is drawn from the job's name and the time, so that a restart in between neither repeats nor forgets a run.
func (r *jobRunner) jitterFor(at time.Time) time.Duration {
	if r.Jitter <= 0 {
		return 0
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(r.Name + at.UTC().Format(time.RFC3339))) // a hash takes all there is
	return time.Duration(h.Sum64() % uint64(r.Jitter))
}
