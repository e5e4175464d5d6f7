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
	Name     string
	Schedule *Schedule
	CatchUp  bool      // a time that passed while nothing was running is made up for, once
	Last     time.Time // when the job last began, as far as is known; zero: never, so there is nothing to make up for
	Owed     bool      // the run of its last time did not come to its end: it is made up for as one that was missed
	Overlap  Overlap
	Jitter   time.Duration // the job begins up to this much later, always the same for one time

	Run     func(ctx context.Context, caughtUp bool) // called by one goroutine at a time; caughtUp: it makes up for a time that was missed
	Skipped func(at time.Time)                       // told each time that is left out; may be nil
	Again   func() time.Time                         // when to do it once more before its next time, asked after each run; zero: not; may be nil
	Retry   func(ctx context.Context)                // does it once more; called as Run is
}

// late is how far behind its time a job may begin without its time counting as missed. Less than any sleep of the
// machine that someone would call downtime, more than a busy machine needs to wake up.
const late = 5 * time.Minute

// nap is the longest wait in one piece: timers stand still while a machine sleeps, and clocks are set.
const nap = time.Minute

// Run runs each job at its times until the context ends, and returns when the last one has ended too. Jobs run beside
// one another, a job never beside itself. The jobs get the context.
func Run(ctx context.Context, jobs []Job, now func() time.Time, wait func(context.Context, time.Duration) error) {
	var all sync.WaitGroup
	for i := range jobs {
		r := runner{Job: jobs[i], now: now, wait: wait}
		all.Go(func() { r.run(ctx) })
	}
	all.Wait()
}

// runner is one job while it is waited for.
type runner struct {
	Job
	now  func() time.Time
	wait func(context.Context, time.Duration) error

	retried time.Time // the last time that it was done once more: it is never done twice for one
}

func (r *runner) run(ctx context.Context) {
	from := r.now()
	if r.CatchUp && (r.Owed || !r.Last.IsZero() && !r.passed(r.Last).IsZero()) {
		r.Run(ctx, true)
		from = r.ran(ctx, from)
	}
	for ctx.Err() == nil {
		due := r.Schedule.Next(from)
		if at := r.again(due); !at.IsZero() {
			if r.sleep(ctx, at) != nil {
				return
			}
			if r.again(due).Equal(at) { // and nobody has done so meanwhile
				r.retried = at
				r.Retry(ctx)
				from = r.ran(ctx, from)
			}
			continue
		}
		if due.IsZero() || r.sleep(ctx, due.Add(r.jitter(due))) != nil {
			return
		}
		from = r.due(due)
		missed := r.now().Sub(from) > late+r.jitter(from)
		if missed && !r.CatchUp {
			r.skip(from)
			continue
		}
		r.Run(ctx, missed)
		from = r.ran(ctx, from)
	}
}

// again is when the job is done once more, zero where that is not before its next time. One that was missed is made up for as any time is.
func (r *runner) again(due time.Time) (at time.Time) {
	if r.Again != nil {
		at = r.Again()
	}
	now := r.now()
	if !at.After(r.retried) || !due.IsZero() && (!at.Before(due) || !now.Before(due)) || !r.CatchUp && now.Sub(at) > late {
		return time.Time{}
	}
	return at
}

// sleep waits until a time on the clock.
func (r *runner) sleep(ctx context.Context, until time.Time) error {
	for {
		left := until.Sub(r.now())
		if left <= 0 {
			return ctx.Err()
		}
		if err := r.wait(ctx, min(left, nap)); err != nil {
			return err
		}
	}
}

// due is the newest time that has come: one run stands for all that passed while the machine slept.
func (r *runner) due(first time.Time) time.Time {
	for {
		next := r.Schedule.Next(first)
		if next.IsZero() || next.After(r.now()) {
			return first
		}
		r.skip(first)
		first = next
	}
}

// ran deals with the times that came during a run, and gives the time to go on from.
func (r *runner) ran(ctx context.Context, from time.Time) time.Time {
	for ctx.Err() == nil {
		last := r.passed(from)
		if last.IsZero() {
			return from
		}
		if r.Overlap == Skip {
			r.skip(last)
			return last
		}
		from = last
		r.Run(ctx, false)
	}
	return from
}

// passed is the newest time after one instant that has come by now, those before it left out; zero when none has.
func (r *runner) passed(after time.Time) time.Time {
	next := r.Schedule.Next(after)
	if next.IsZero() || next.After(r.now()) {
		return time.Time{}
	}
	return r.due(next)
}

func (r *runner) skip(at time.Time) {
	if r.Skipped != nil {
		r.Skipped(at)
	}
}

// jitter is drawn from the job's name and the time, so that a restart in between neither repeats nor forgets a run.
func (r *runner) jitter(at time.Time) time.Duration {
	if r.Jitter <= 0 {
		return 0
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(r.Name + at.UTC().Format(time.RFC3339))) // a hash takes all there is
	return time.Duration(h.Sum64() % uint64(r.Jitter))
}
