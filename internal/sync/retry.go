package sync

import (
	"fmt"
	"time"

	"aqueduck/internal/config"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
)

// planRetry sets when a run that its schedule began is tried again. It is, before the pipeline's next time, where what went wrong heals by
// itself, and where there is something left of what the pipeline may use.
func planRetry(r *runner.Runner, past *runlog.PastRun, p *config.Pipeline, o *runner.Options, report *runlog.Report) {
	if past.Try = o.Try; o.Try == 0 || o.Try >= runlog.Tries() || !p.Retry || past.Outcome != "FAILED" || !past.IsRetryable(report) {
		return
	}
	ends, err := runlog.ReadRunNotes(r.Dir)
	now := r.Now()
	at := now.Add(runlog.RetryPauses()[o.Try-1])
	if _, _, left := runlog.TimeLeft(p, append(ends, *past)); err != nil || !left || !at.Before(p.Schedule.Next(now)) {
		return
	}
	past.RetryAt, past.Quiet = runlog.ToMicroseconds(at), !report.NeedsAttention()
	r.Log.Warn("the run is tried again", "pipeline", p.Name, "class", past.Class, "at", at.Format(time.RFC3339), "try", fmt.Sprintf("%d of %d", o.Try+1, runlog.Tries()))
}
