package pipeline

import (
	"fmt"
	"slices"
	"time"
)

// pauses are how long after its end a run that failed is tried again: most outages are over by the first, and five times an hour for
// three hours would be of no use to whoever mends a longer one.
func pauses() []time.Duration {
	return []time.Duration{15 * time.Minute, 45 * time.Minute, 2 * time.Hour}
}

// Tries is how many runs one time of a schedule may have, with those that make up for a failure.
func Tries() int { return 1 + len(pauses()) }

// planRetry sets when a run that its schedule began is tried again. It is, before the pipeline's next time, where what went wrong heals by
// itself, and where there is something left of what the pipeline may use.
func planRetry(r *Runner, past *PastRun, p *Pipeline, o *Options, report *Report) {
	if past.Try = o.Try; o.Try == 0 || o.Try >= Tries() || !p.Retry || past.Outcome != "FAILED" || !past.heals(report) {
		return
	}
	ends, err := readEnds(r.Dir)
	now := r.Now()
	at := now.Add(pauses()[o.Try-1])
	if _, _, left := timeLeft(p, append(ends, *past)); err != nil || !left || !at.Before(p.Schedule.Next(now)) {
		return
	}
	past.RetryAt, past.quiet = toMicro(at), !report.wanting()
	r.Log.Warn("the run is tried again", "pipeline", p.Name, "class", past.Class, "at", at.Format(time.RFC3339), "try", fmt.Sprintf("%d of %d", o.Try+1, Tries()))
}

// heals says that what went wrong may be over later, of some streams at least.
func (e *PastRun) heals(report *Report) bool {
	passing := func(class string) bool { return class == "transient" || class == "busy" }
	if report == nil {
		return passing(e.Class)
	}
	return e.Exit == ExitFailed && report.Held == nil && report.After == nil &&
		slices.ContainsFunc(report.Streams, func(s StreamResult) bool { return s.Status == StatusFailed && passing(s.Class) })
}

// wanting says that something in the run wants a person, whatever else heals by itself.
func (r *Report) wanting() bool {
	return r != nil && (r.exact() || slices.ContainsFunc(r.Streams, func(s StreamResult) bool {
		return (s.Status == StatusFailed || s.Lost) && Wanting(s.Class)
	}))
}

// timeLeft is what the runs of one time of the schedule, the newest last, have left of the pipeline's max_requests and max_time; 0 where it
// has none, and not ok where nothing is left.
func timeLeft(p *Pipeline, runs []PastRun) (requests int64, d time.Duration, ok bool) {
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

// NextRetry is when a pipeline's last run by its schedule is tried again, and how; the zero time where it is not, or has been since. A run
// that went well since, by hand, leaves nothing to try, and one whose next time has come stands for it.
func NextRetry(r *Runner, p *Pipeline) (at time.Time, o Options) {
	ends, err := readEnds(r.Dir)
	if err != nil {
		r.Log.Warn("it cannot be told whether a run is to be tried again", "pipeline", p.Name, "error", err)
		return time.Time{}, o
	}
	at, try := retryOf(p, ends, r.Now())
	if at.IsZero() {
		return at, o
	}
	o = Options{Failed: true, Try: try}
	o.MaxRequests, o.MaxTime, _ = timeLeft(p, ends)
	return at, o
}

// retryOf finds in how runs ended, the newest last, when the pipeline is tried again, and which try that is.
func retryOf(p *Pipeline, ends []PastRun, now time.Time) (at time.Time, try int) {
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
func nextRun(p *Pipeline, ends []PastRun, now time.Time) NextRun {
	if at, try := retryOf(p, ends, now); at.After(now) {
		return NextRun{Pipeline: p.Name, At: at.In(p.Schedule.Next(now).Location()), Try: try}
	}
	return NextRun{Pipeline: p.Name, At: p.Schedule.Next(now)}
}

// again says that the run is one more try, if it is.
func (n NextRun) again() string {
	if n.Try == 0 {
		return ""
	}
	return fmt.Sprintf(": try %d of %d, by aqueduck serve", n.Try, Tries())
}
