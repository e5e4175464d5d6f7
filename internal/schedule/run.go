package schedule

import (
	"context"
	"hash/fnv"
	"sync"
	"time"
)

// Overlap says what happens to a time that comes while the job still runs.
type Overlap int

// Values of Overlap.
const (
	Skip  Overlap = iota // the time is skipped
	Queue                // the job runs once more when it has ended, however many times came
)

// Job is a function with its schedule.
type Job struct {
	Name           string
	Schedule       *Schedule
	CatchUp        bool      // if times passed while nothing was running, one catch-up run replaces them
	Last           time.Time // when the job last began; zero: unknown or never, and nothing is caught up
	From           time.Time // the newest time that an earlier job of this name and schedule has handled; zero: there was none, and times count from now on
	PendingCatchUp bool      // the last run did not complete: it is replaced by a catch-up run
	Overlap        Overlap
	Jitter         time.Duration // the job begins up to this much later; constant for one job and time

	Run       func(ctx context.Context, caughtUp bool) // called by one goroutine at a time; caughtUp: it is a catch-up run
	Handled   func(at time.Time)                       // called when all times up to one are run, skipped or running; may be nil
	Skipped   func(at time.Time)                       // called with each skipped time; may be nil
	NextRetry func() time.Time                         // when to retry before the next time, asked after each run; zero: no retry; may be nil
	Retry     func(ctx context.Context)                // runs a retry; called as Run is
}

// missedAfter is how late a job may begin before its time counts as missed. It is shorter than a downtime of the machine, and
// longer than a busy machine takes to wake up.
const missedAfter = 5 * time.Minute

// longestSleep bounds one wait: timers stop while a machine sleeps, and clocks are set.
const longestSleep = time.Minute

// Run runs each job at its times until ctx ends, and returns when the last run has ended. Different jobs run at the same time,
// one job never twice. Jobs receive ctx.
func Run(ctx context.Context, jobs []Job, now func() time.Time, wait func(context.Context, time.Duration) error) {
	var all sync.WaitGroup
	for i := range jobs {
		r := jobRunner{Job: jobs[i], now: now, wait: wait}
		all.Go(func() { r.runLoop(ctx) })
	}
	all.Wait()
}

// jobRunner waits for the times of one job.
type jobRunner struct {
	Job
	now  func() time.Time
	wait func(context.Context, time.Duration) error

	retried time.Time // time of the last retry: none is done twice
}

func (r *jobRunner) runLoop(ctx context.Context) {
	from := r.From
	if from.IsZero() {
		from = r.now()
	}
	r.handled(from)
	if r.CatchUp && (r.PendingCatchUp || !r.Last.IsZero() && !r.lastMissed(r.Last).IsZero()) {
		r.Run(ctx, true)
		from = r.handleOverlap(ctx, from)
	}
	for ctx.Err() == nil {
		r.handled(from)
		due := r.Schedule.Next(from)
		if at := r.nextRetry(due); !at.IsZero() {
			if r.sleepUntil(ctx, at) != nil {
				return
			}
			if r.nextRetry(due).Equal(at) { // and no other process has retried meanwhile
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
		r.handled(from)
		missed := r.now().Sub(from) > missedAfter+r.jitterFor(from)
		if missed && !r.CatchUp {
			r.skipTime(from)
			continue
		}
		r.Run(ctx, missed)
		from = r.handleOverlap(ctx, from)
	}
}

// nextRetry is the time of the next retry; zero when it is not before the next time of the schedule. A missed retry needs
// CatchUp, as a missed time does.
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

// sleepUntil waits until the clock shows a time.
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

// newestDue is the newest time that has passed, and skips those before it: one run replaces all times that passed while the
// machine slept.
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

// handleOverlap handles the times that came during a run, and returns the time to continue from.
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
		r.handled(from)
		r.Run(ctx, false)
	}
	return from
}

// lastMissed is the newest time after an instant that has passed by now; it skips those before it. It is zero when none has
// passed.
func (r *jobRunner) lastMissed(after time.Time) time.Time {
	next := r.Schedule.Next(after)
	if next.IsZero() || next.After(r.now()) {
		return time.Time{}
	}
	return r.newestDue(next)
}

func (r *jobRunner) handled(at time.Time) {
	if r.Handled != nil {
		r.Handled(at)
	}
}

func (r *jobRunner) skipTime(at time.Time) {
	if r.Skipped != nil {
		r.Skipped(at)
	}
}

// jitterFor is derived from the job's name and the time, so that a restart neither repeats nor skips a run.
func (r *jobRunner) jitterFor(at time.Time) time.Duration {
	if r.Jitter <= 0 {
		return 0
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(r.Name + at.UTC().Format(time.RFC3339))) // a hash never fails
	return time.Duration(h.Sum64() % uint64(r.Jitter))
}
