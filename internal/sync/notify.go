package sync

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"aqueduck/extract"
	"aqueduck/internal/alert"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/internal/sync/stream"
	"aqueduck/load"
)

// NewSender returns the sender of the configured alerts; nil when there are no targets. A target whose address cannot be resolved is logged and
// left out: no run depends on alerts.
func NewSender(r *runner.Runner, lookup func(string) (string, bool)) *alert.Sender {
	targets, missing := r.Config.Alerts(lookup)
	for _, err := range missing {
		r.Log.Warn("this alert is not sent to anyone", "error", err)
	}
	if len(targets) == 0 {
		return nil
	}
	return &alert.Sender{Targets: targets, State: filepath.Join(r.Dir.State(), "alerts.json"), Now: r.MachineNow, Wait: r.Wait, Log: r.Log,
		Emulated: r.IsEmulated}
}

// notifyRunBegan sends the pings of a run that begins.
func notifyRunBegan(ctx context.Context, r *runner.Runner, past *runlog.PastRun) {
	if r.Alerts != nil {
		r.Alerts.NotifyStarted(ctx, alert.Run{Pipeline: past.Pipeline, ID: past.Run, Part: past.Part, At: past.Started})
	}
}

// notifyRunEnded sends the alerts about the end of a run, about its schema drift, and about streams that are too old.
func notifyRunEnded(ctx context.Context, r *runner.Runner, past *runlog.PastRun, drift []runlog.Drift) {
	if r.Alerts == nil {
		return
	}
	ended := alert.Run{Pipeline: past.Pipeline, ID: past.Run, Part: past.Part, Misses: past.Misses, Succeeded: past.Exit == problem.ExitOK, Interrupted: past.Outcome == "INTERRUPTED", WillRetry: past.Quiet, Class: past.Class,
		Error: past.Error, Next: past.Next, Line: past.Line, At: past.Finished}
	for _, d := range drift {
		ended.Changes = append(ended.Changes, d.String())
	}
	r.Alerts.NotifyEnded(ctx, ended)
	if !ended.Interrupted { // the process is to end; the next run looks
		NotifyFreshness(ctx, r)
	}
}

// noteMissing notes in the report whether a stream of the pipeline that was read before is unavailable now, also where this run did not ask for it.
// A state without any time is that of a stream that failed at its first request.
func noteMissing(ctx context.Context, r *stream.Run) error {
	if !isSubscribed(r.Runner, alert.Recovery) {
		return nil
	}
	return r.Writer.Use(func(work *load.Work) error {
		for _, w := range r.Workspaces {
			answers, err := work.Facts.LastAnswers(ctx, w.Name)
			if err != nil {
				return err
			}
			states, err := work.Facts.States(ctx, w.Name)
			if err != nil {
				return err
			}
			for name, answer := range answers {
				state, err := extract.ParseState(states[name])
				wasRead := err != nil || state.SyncedTo > 0 || state.HistoryTo > 0 || state.Bookmark != nil
				if answer == string(runlog.StatusUnavailable) && wasRead && runlog.ReadsStream(r.Pipeline, r.Config, r.Runner.Catalogue, w.Name, name) {
					r.Reported.Misses = true
				}
			}
		}
		return nil
	})
}

// driftOfRun returns the schema drift that a run recorded and published. A signal that ended the run does not stop the reading.
// stopped is why the run did not take place, or nil: then it has no drift, and its own error says why nothing can be read.
func driftOfRun(ctx context.Context, r *runner.Runner, run string, stopped error) []runlog.Drift {
	drift, err := runlog.RunDrift(context.WithoutCancel(ctx), r.Dir, r.Catalogue, run)
	if err != nil && stopped == nil {
		r.Log.Warn("the schema drift of the run cannot be read: neither its report nor an alert has it", "run", run, "error", err)
	}
	return drift
}

// NotifyFreshness sends alerts about the streams whose freshness SLA is breached, and about those that are no longer breached.
func NotifyFreshness(ctx context.Context, r *runner.Runner) {
	if !isSubscribed(r, alert.Late) {
		return
	}
	s, err := runlog.ReadStatus(ctx, r.Dir, r.Config, r.Catalogue, r.MachineNow())
	if err != nil {
		r.Log.Warn("the freshness of the data cannot be determined", "error", err)
		return
	}
	for _, p := range r.Config.Pipelines {
		var names []string
		for _, stream := range s.Streams {
			if stream.Freshness == runlog.Breached && runlog.ReadsStream(p, r.Config, r.Catalogue, stream.Workspace, stream.Stream) {
				names = append(names, strings.TrimPrefix(stream.Workspace+".", "main.")+stream.Stream)
			}
		}
		r.Alerts.NotifyFreshness(ctx, p.Name, names, s.Now)
	}
}

// isSubscribed reports whether any alert target wants messages of a kind.
func isSubscribed(r *runner.Runner, kind alert.Kind) bool {
	return r.Alerts != nil && slices.ContainsFunc(r.Alerts.Targets, func(t alert.Target) bool { return t.Webhook != "" && slices.Contains(t.On, kind) })
}
