package runlog

import (
	"fmt"
	"slices"
	"time"

	"aqueduck/internal/config"
	"aqueduck/internal/problem"
)

// RetryPauses returns the pauses before the retries of a failed run. Most outages are over before the first. More retries would not help while
// somebody repairs a longer outage.
func RetryPauses() []time.Duration {
	return []time.Duration{15 * time.Minute, 45 * time.Minute, 2 * time.Hour}
}

// Tries is the number of runs that one scheduled time may have, with its retries.
func Tries() int { return 1 + len(RetryPauses()) }

// IsRetryable reports whether the cause of a failure, of some streams at least, may be over later. report is nil when the run did not take place.
func (e *PastRun) IsRetryable(report *Report) bool {
	passing := func(class string) bool { return class == "transient" || class == "busy" }
	if report == nil {
		return passing(e.Class)
	}
	return e.Exit == problem.ExitFailed && len(report.Problems()) == 0 &&
		slices.ContainsFunc(report.Streams, func(s StreamResult) bool { return s.Status == StatusFailed && passing(s.Class) })
}

// NeedsAttention reports whether something in the run needs a person, even when other failures are retried.
func (r *Report) NeedsAttention() bool {
	return r != nil && (r.hasExactFindings() || slices.ContainsFunc(r.Streams, func(s StreamResult) bool {
		return (s.Status == StatusFailed || s.Lost) && NeedsAttention(s.Class)
	}))
}

// TimeLeft returns what the runs of one scheduled time have left of the pipeline's max_requests and max_time. runs are sorted, newest last. A
// value is 0 when the pipeline has no such limit; ok is false when a limit is used up.
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

// RetryOf returns the time and the number of a pipeline's next retry, by this machine's clock, from the notes of its runs, newest last; the zero
// time when there is none.
func RetryOf(p *config.Pipeline, ends []PastRun, now time.Time) (at time.Time, try int) {
	for _, e := range slices.Backward(ends) {
		switch {
		case e.Pipeline != p.Name || e.Narrow:
		case e.Outcome == "OK":
			return at, 0
		case e.Try > 0:
			due := e.retryDue()
			if p.Schedule == nil || !p.Retry || due.IsZero() || !now.Before(p.Schedule.Next(due)) {
				return at, 0
			}
			return due, e.Try + 1
		}
	}
	return at, 0
}

// nextRun returns when a pipeline with a schedule runs next, by this machine's clock: at its scheduled time, or before that as a retry.
func nextRun(p *config.Pipeline, ends []PastRun, now time.Time) NextRun {
	if at, try := RetryOf(p, ends, now); at.After(now) {
		return NextRun{Pipeline: p.Name, At: at.In(p.Schedule.Next(now).Location()), Try: try}
	}
	return NextRun{Pipeline: p.Name, At: p.Schedule.Next(now)}
}

// format formats the time when it begins, as the schedule has it: by this machine's clock, and says so where the warehouse has another.
func (n NextRun) format(layout string) string {
	if n.Machine.IsZero() {
		return n.At.Format(layout)
	}
	return n.Machine.Format(layout) + " on this machine"
}

// Again says that the next run is a retry; "" when it is not.
func (n NextRun) Again() string {
	if n.Try == 0 {
		return ""
	}
	return fmt.Sprintf(": retry %d of %d, by aqueduck serve", n.Try, Tries())
}

// NeedsAttention reports whether an error of a class needs a person. The other classes may be over in a later run.
func NeedsAttention(class string) bool {
	return !slices.Contains([]string{"", "transient", "busy", "interrupted"}, class)
}
