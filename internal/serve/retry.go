package serve

import (
	"slices"
	"time"

	"aqueduck/internal/config"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
)

// NextRetry returns the time, by this machine's clock, and the options of the retry of a pipeline's last scheduled run; the zero time when there is none. A successful run
// since then, even by hand, cancels the retry, and so does the next scheduled time.
func NextRetry(r *runner.Runner, p *config.Pipeline) (at time.Time, o runner.Options) {
	ends, err := runlog.ReadRunNotes(r.Dir)
	if err != nil {
		r.Log.Warn("cannot decide whether to retry a run", "pipeline", p.Name, "error", err)
		return time.Time{}, o
	}
	at, try := runlog.RetryOf(p, ends, r.MachineNow())
	if at.IsZero() {
		return at, o
	}
	o = runner.Options{Failed: true, Try: try}
	o.MaxRequests, o.MaxTime, _ = runlog.TimeLeft(p, ends)
	return at, o
}

// RecordSkip records a skipped run, in the log and in the list of runs. at is when this machine's clock showed its time.
func RecordSkip(r *runner.Runner, p *config.Pipeline, at time.Time) {
	at = r.ShownTime(at)
	r.Log.Warn("a run was skipped: "+runlog.WhySkipped, "pipeline", p.Name, "at", at.Format(time.RFC3339))
	if err := (runlog.PastRun{Pipeline: p.Name, Started: runlog.ToMicroseconds(at), Finished: runlog.ToMicroseconds(at), Outcome: runlog.Skipped}).Save(r.Dir); err != nil {
		r.Log.Warn("a skipped run could not be recorded: aqueduck runs does not list it", "pipeline", p.Name, "error", err)
	}
}

// CatchUpTry returns the number of the try that a catch-up run would be, when the last scheduled run was interrupted or crashed; 0 when no
// catch-up run is needed.
func CatchUpTry(r *runner.Runner, p *config.Pipeline) (try int) {
	ends, err := runlog.ReadRunNotes(r.Dir)
	if err != nil {
		r.Log.Warn("cannot decide whether to start a catch-up run", "pipeline", p.Name, "error", err)
		return 0
	}
	for _, e := range slices.Backward(ends) {
		switch {
		case e.Pipeline != p.Name || e.Narrow:
		case e.Try == 0 && e.Outcome != "OK": // a failed run by hand does not replace the scheduled one
		case !runlog.IsCatchUp(p, &e):
			return 0
		case e.Outcome == runlog.Killed:
			return e.Try + 1
		default:
			return e.Try
		}
	}
	return 0
}
