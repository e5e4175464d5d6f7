package sync

import (
	"context"
	"io"

	"aqueduck/internal/config"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
)

// Run runs a pipeline once with everything around it: Sync, the commands of `after:`, a note of the end beside the database, and alerts. `status`
// reads the note even when nothing could be published. Commands write to out. A run that did not take place returns a *StoppedError.
func Run(ctx context.Context, r *runner.Runner, p *config.Pipeline, o runner.Options, out io.Writer) (*runlog.Report, error) {
	began, wasEmulated := r.MachineNow(), r.IsEmulated()
	var err error
	if o.RunID == "" {
		if o.RunID, err = r.NameRun(); err != nil {
			return nil, err
		}
	}
	unlogged := r.Log
	r, file := keepLog(r, o.RunID)
	file.log.Info("the run begins", "pipeline", p.Name, "version", r.Version)
	past := runlog.PastRun{Run: o.RunID, Pipeline: p.Name, Started: runlog.ToMicroseconds(r.Now()), Narrow: o.IsNarrow(), Part: o.IsPart(), Span: o.IsWindowed(), CaughtUp: o.CaughtUp}
	notifyRunBegan(ctx, r, &past)
	report, err := Sync(ctx, r, p, o)
	if err == nil {
		runAfter(ctx, r, p, report, out)
	}
	past.Finished, past.Emulated = runlog.ToMicroseconds(r.Now()), r.IsEmulated()
	var drift []runlog.Drift
	if report == nil || report.Drifted || !report.HasShown() { // else the file has none of this run, and need not be opened
		drift = driftOfRun(ctx, r, past.Run, err)
	}
	if report != nil {
		report.Drift = runlog.SentDrift(drift)
	}
	if err != nil {
		// Since the run began, hours have passed in the emulated workspace, or its clock has taken the place of this machine's.
		if start := past.Finished.Add(began.Sub(r.MachineNow())); past.Emulated && (!wasEmulated || start.After(past.Started)) {
			past.Started = runlog.ToMicroseconds(start)
		}
		past.Stopped(ctx, p, err)
		if past.Outcome == "INTERRUPTED" {
			past.Exit = r.InterruptedCode(ctx)
		}
	} else {
		past.Reported(report)
	}
	past.Cancelled = past.Outcome == "INTERRUPTED" && isCancelled(ctx)
	past.Next = r.Given.Append(past.Next)
	planRetry(r, &past, p, &o, report)
	if noted := past.Save(r.Dir); noted != nil {
		r.Log.Warn("the end of the run could not be recorded: status and runs may not show it", "run", o.RunID, "error", noted)
	}
	shareRun(ctx, r, &past)
	notifyRunEnded(ctx, r, &past, drift)
	file.logEnd(ctx, &past, report)
	if missing := file.file.Err(); missing != nil {
		unlogged.Warn("the log of the run is not whole: the console shows a part of it", "run", o.RunID, "error", missing)
	}
	if r.Ended != nil {
		r.Ended(past, report)
	}
	if err != nil {
		return nil, &runlog.StoppedError{Err: err, Line: past.Line}
	}
	return report, nil
}
