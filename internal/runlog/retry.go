package runlog

import (
	"fmt"
	"slices"
	"time"

	"aqueduck/internal/config"
	"aqueduck/internal/problem"
)

// RetryPauses are how long after its end a run that failed is tried again: most outages are over by the first, and five times an hour for
// three hours would be of no use to whoever mends a longer one.
func RetryPauses() []time.Duration {
	return []time.Duration{15 * time.Minute, 45 * time.Minute, 2 * time.Hour}
}

// Tries is how many runs one time of a schedule may have, with those that make up for a failure.
func Tries() int { return 1 + len(RetryPauses()) }

// IsRetryable says that what went wrong may be over later, of some streams at least.
func (e *PastRun) IsRetryable(report *Report) bool {
	passing := func(class string) bool { return class == "transient" || class == "busy" }
	if report == nil {
		return passing(e.Class)
	}
	return e.Exit == problem.ExitFailed && report.Held == nil && report.After == nil &&
		slices.ContainsFunc(report.Streams, func(s StreamResult) bool { return s.Status == StatusFailed && passing(s.Class) })
}

// NeedsAttention says that something in the run wants a person, whatever else heals by itself.
func (r *Report) NeedsAttention() bool {
	return r != nil && (r.hasExactFindings() || slices.ContainsFunc(r.Streams, func(s StreamResult) bool {
		return (s.Status == StatusFailed || s.Lost) && NeedsAttention(s.Class)
	}))
}

// TimeLeft is what the runs of one time of the schedule, the newest last, have left of the pipeline's max_requests and max_time; 0 where it
// has none, and not ok where nothing is left.
func TimeLeft(p *config.Pipeline, runs []PastRun) (requests int64, d time.Duration, ok bool) {
	requests, d = p.MaxRequests, p.MaxTime
	for _, r := range slices.Backward(runs) {
		if r.Pipeline != p.Name || r.Try == 0 {
			continue
		}
		requests -= r.Requests
		d -= r.Finished.Sub(r.Started)
		if r.Try == 1 {
			break
		}
	}
	ok = (p.MaxRequests == 0 || requests > 0) && (p.MaxTime == 0 || d > 0)
	return max(requests, 0), max(d, 0), ok
}

// RetryOf finds in how runs ended, the newest last, when the pipeline is tried again, and which try that is.
func RetryOf(p *config.Pipeline, ends []PastRun, now time.Time) (at time.Time, try int) {
	for _, e := range slices.Backward(ends) {
		switch {
		case e.Pipeline != p.Name || e.Narrow:
		case e.Outcome == "OK":
			return at, 0
		case e.Try > 0:
			if p.Schedule == nil || !p.Retry || e.RetryAt.IsZero() || !now.Before(p.Schedule.Next(e.RetryAt)) {
				return at, 0
			}
			return e.RetryAt, e.Try + 1
		}
	}
	return at, 0
}

// nextRun is when a pipeline with a schedule runs next: at its time, or once more before that.
func nextRun(p *config.Pipeline, ends []PastRun, now time.Time) NextRun {
	if at, try := RetryOf(p, ends, now); at.After(now) {
		return NextRun{Pipeline: p.Name, At: at.In(p.Schedule.Next(now).Location()), Try: try}
	}
	return NextRun{Pipeline: p.Name, At: p.Schedule.Next(now)}
}

// Again says that the run is one more try, if it is.
func (n NextRun) Again() string {
	if n.Try == 0 {
		return ""
	}
	return fmt.Sprintf(": retry %d of %d, by aqueduck serve", n.Try, Tries())
}

// NeedsAttention says whether an error of a class wants a person: others heal by themselves.
func NeedsAttention(class string) bool {
	return !slices.Contains([]string{"", "transient", "busy", "interrupted"}, class)
}
