package sync

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"aqueduck/internal/alert"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/internal/term"
	"aqueduck/load/failure"
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
		r.Alerts.NotifyStarted(ctx, alert.Run{Pipeline: past.Pipeline, ID: past.Run, At: past.Started})
	}
}

// notifyRunEnded sends the alerts about the end of a run, and about streams that are too old.
func notifyRunEnded(ctx context.Context, r *runner.Runner, past *runlog.PastRun) {
	if r.Alerts == nil {
		return
	}
	ended := alert.Run{Pipeline: past.Pipeline, ID: past.Run, Succeeded: past.Exit == problem.ExitOK, Interrupted: past.Outcome == "INTERRUPTED", WillRetry: past.Quiet, Class: past.Class,
		Error: past.Error, Next: past.Next, Line: past.Line, At: past.Finished}
	var err error
	if ended.Changes, err = columnChanges(ctx, r, past.Run); err != nil {
		r.Log.Warn("schema drift cannot be reported", "run", past.Run, "error", err)
	}
	r.Alerts.NotifyEnded(ctx, ended)
	NotifyFreshness(ctx, r)
}

// columnChanges returns the changes that the run met in the source: new fields, added and widened columns. Changes of a table that the run itself
// created are not among them.
func columnChanges(ctx context.Context, r *runner.Runner, run string) (changes []string, err error) {
	if !isSubscribed(r, alert.Changed) {
		return nil, nil
	}
	err = runlog.QueryPublished(ctx, r.Dir, `SELECT concat_ws('.', schema, table_name, nullif(column_name, '')), change, path FROM _sync.schema_changes c WHERE run_id = '`+run+`'
		AND NOT EXISTS (FROM _sync.schema_changes m WHERE m.run_id = c.run_id AND m.schema = c.schema AND m.table_name = c.table_name AND m.change LIKE 'made%')
		ORDER BY ALL`, func(v []any) error {
		changes = append(changes, runlog.AsText(v[0])+": "+runlog.AsText(v[1])+term.WithNote(", at ", runlog.AsText(v[2])))
		return nil
	})
	if errors.Is(err, failure.ErrNothingPublished) {
		err = nil
	}
	return changes, err
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
