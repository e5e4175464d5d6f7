package sync

import (
	"fmt"

	"aqueduck/internal/config"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
)

// planRetry plans a retry of a failed run that its schedule began, when the cause may be over later.
func planRetry(r *runner.Runner, past *runlog.PastRun, p *config.Pipeline, o *runner.Options, report *runlog.Report) {
	if past.Try = o.Try; past.Outcome == "FAILED" && past.IsRetryable(report) && scheduleRetry(r, past, p) {
		past.Quiet = !report.NeedsAttention()
	}
}

// scheduleRetry plans a retry after a pause, and reports whether it did. A retry takes place before the pipeline's next scheduled time, and only
// while the pipeline's max_requests and max_time are not used up.
func scheduleRetry(r *runner.Runner, past *runlog.PastRun, p *config.Pipeline) bool {
	if past.Try == 0 || past.Try >= runlog.Tries() || !p.Retry || past.Cancelled {
		return false
	}
	ends, err := runlog.ReadRunNotes(r.Dir)
	now := r.MachineNow()
	at := now.Add(runlog.RetryPauses()[past.Try-1])
	if _, _, left := runlog.TimeLeft(p, append(ends, *past)); err != nil || !left || !at.Before(p.Schedule.Next(now)) {
		return false
	}
	past.RetryAt = runlog.ToMicroseconds(at)
	if shown := r.ShownTime(at); !shown.Equal(at) {
		past.RetryAt, past.RetryDue = runlog.ToMicroseconds(shown), past.RetryAt
	}
	r.Log.Warn("the run is retried", "pipeline", p.Name, "class", past.Class, "at", r.FormatScheduled(at.UTC()), "try", fmt.Sprintf("%d of %d", past.Try+1, runlog.Tries()))
	return true
}
