package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/renameio/v2"
	"github.com/spf13/cobra"

	"aqueduck/extract"
	"aqueduck/internal/pipeline"
	"aqueduck/internal/sandbox"
	"aqueduck/load/layout"
)

func (a *app) sync() *cobra.Command {
	var o pipeline.Options
	var since, until, summary string
	c := &cobra.Command{
		Use:   "sync [pipeline…]",
		Short: "Read what is new and publish it",
		Long: `Run pipelines once, all of them when none is named. Each stream goes on where its last run ended; what is
committed stays, whatever ends the run. Ctrl-C asks no more, commits what is whole and says how to go on.

A terminal shows each stream while it is read, how much of its history is there, and when the run may end.`,
		Example: `  aqueduck sync nightly
  aqueduck sync nightly --failed
  aqueduck sync nightly --limit 100 --dir trial
  aqueduck sync nightly --max-time 2h --max-requests 5000 --wait 1h
  aqueduck sync --select 'nightly.contact*' --exclude '*.contact_activities'
  aqueduck sync --select contacts --since 2026-11-01 --until 2026-11-08
  aqueduck sync --full-refresh --exclude contact_activities
  aqueduck sync --accept-drop deleted_contacts
  aqueduck sync --fail-fast
  aqueduck sync nightly -q --summary-file run.json --log-format json
  WORKSPACE_URL=emulator aqueduck sync nightly --dir demo`,
		Annotations:       map[string]string{forms: "json"},
		ValidArgsFunction: a.completePipelines,
		RunE: func(c *cobra.Command, args []string) error {
			if err := spans(c, &o, since, until); err != nil {
				return err
			}
			return a.syncAll(c.Context(), args, o, summary)
		},
	}
	c.Flags().StringSliceVar(&o.Select, "select", nil, "only these streams: stream or pipeline.stream, names or globs")
	c.Flags().StringSliceVar(&o.Exclude, "exclude", nil, "all but these streams: stream or pipeline.stream, names or globs")
	c.Flags().StringVar(&since, "since", "", "read records changed from this date or time on, of exports its days, and move no mark")
	c.Flags().StringVar(&until, "until", "", "read records changed up to this date or time, and move no mark")
	c.Flags().BoolVar(&o.Failed, "failed", false, "only the streams that did not end well in the last run")
	c.Flags().BoolVar(&o.FullRefresh, "full-refresh", false, "read everything again and replace what differs, also where updated_at went back; no table is emptied")
	c.Flags().BoolVar(&o.FailFast, "fail-fast", false, "end with the first stream that fails, and begin no other pipeline")
	c.Flags().DurationVar(&o.MaxTime, "max-time", 0, "end cleanly after this long; the next run goes on (default: the pipeline's max_time)")
	c.Flags().Int64Var(&o.MaxRequests, "max-requests", 0, "end cleanly after this many requests")
	c.Flags().Int64Var(&o.Limit, "limit", 0, "read each stream no further than the page that brings this many records, to try it; the next run goes on")
	c.Flags().DurationVar(&o.Wait, "wait", 30*time.Minute, "how long to wait for another run of this warehouse")
	c.Flags().StringSliceVar(&o.AcceptDrop, "accept-drop", nil, "streams or tables that may have lost a large share of their rows")
	c.Flags().BoolVar(&o.AcceptHashKey, "accept-hash-key", false, "with --full-refresh: hash with the hash.key that is there, or a new one, though stored values have the hashes of another")
	c.Flags().StringVar(&summary, "summary-file", "", "write what the runs did into this file, as JSON (as -o json writes it to stdout)")
	return c
}

// syncAll runs the named pipelines one after the other; the worst exit code is the program's.
func (a *app) syncAll(ctx context.Context, names []string, o pipeline.Options, file string) (err error) {
	runner, err := a.runner()
	if err != nil {
		return err
	}
	pipelines, err := runner.Chosen(names, o)
	if err != nil {
		return err
	}
	if err := a.ready(runner, pipelines, o); err != nil {
		return err
	}
	runner.Alerts = runner.Sender(runner.Config.Lookup)
	summary := &pipeline.Summary{Version: 1, Program: release(), Runs: []*pipeline.RunDetail{}}
	runner.Ended = summary.Add
	defer func() { err = errors.Join(err, a.summarize(summary, file)) }()
	defer a.watch(runner)()
	for _, p := range pipelines {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		out, ended := a.outputOf(p)
		report, err := runner.Run(ctx, p, o, out)
		ended()
		a.unwatch()
		if err != nil {
			if a.output != "json" {
				a.lastLine(err)
			}
			return err
		}
		a.report(report)
		if a.exit = max(a.exit, report.Exit()); o.FailFast && a.exit != pipeline.ExitOK {
			return nil
		}
	}
	return nil
}

// lastLine writes how a run ended that was none: what is wrong is told beside it.
func (a *app) lastLine(err error) {
	var stopped *pipeline.StoppedError
	if errors.As(err, &stopped) {
		fmt.Fprintln(a.stdout, stopped.Line)
	}
}

// summarize tells programs what the runs did: on stdout where they asked for JSON, and in a file where they named one.
func (a *app) summarize(s *pipeline.Summary, file string) error {
	if file != "" {
		text, err := json.MarshalIndent(s, "", "  ")
		if err == nil {
			err = renameio.WriteFile(file, append(text, '\n'), 0o644)
		}
		if err != nil {
			return &pipeline.Problem{Class: "config", What: "write the summary of the runs, which have ended as they say", Err: err, Next: "give --summary-file a file in a directory that can be written"}
		}
	}
	if a.output == "json" {
		return a.encode(s)
	}
	return nil
}

func (a *app) report(r *pipeline.Report) {
	defer func() {
		for _, fault := range r.Faults() {
			a.trace(fault)
		}
	}()
	if a.output == "json" {
		return
	}
	if a.quiet {
		fmt.Fprintln(a.stdout, r.LastLine())
		return
	}
	r.Print(a.stdout)
}

// spans checks the flags of sync that hold a time or a span of time.
func spans(c *cobra.Command, o *pipeline.Options, since, until string) (err error) {
	if o.Since, err = instant(since); err == nil {
		o.Until, err = instant(until)
	}
	switch {
	case err != nil:
		return misused(c, "%w", err)
	case !o.Since.IsZero() && !o.Until.IsZero() && !o.Since.Before(o.Until):
		return misused(c, "--since %s is not before --until %s", since, until)
	case o.FullRefresh && (!o.Since.IsZero() || !o.Until.IsZero()):
		return misused(c, "--full-refresh reads everything: it goes without --since and --until")
	case o.AcceptHashKey && !o.FullRefresh:
		return misused(c, "--accept-hash-key makes other hashes: it goes with --full-refresh, which brings them")
	case o.Limit < 0 || o.MaxTime < 0 || o.MaxRequests < 0 || o.Wait < 0:
		return misused(c, "--limit, --max-time, --max-requests and --wait cannot be below zero")
	}
	return nil
}

// ready finds what would stop a run before it touches anything: names of streams, addresses, tokens.
func (a *app) ready(runner *pipeline.Runner, pipelines []*pipeline.Pipeline, o pipeline.Options) error {
	for _, p := range pipelines {
		for _, name := range p.Workspaces(runner.Config) {
			if _, _, err := runner.Config.Connect(name, runner.Config.Lookup); err != nil {
				return err
			}
		}
	}
	return nil
}

// runner is a Runner over the configuration, the clock and the environment.
func (a *app) runner() (*pipeline.Runner, error) { return a.runnerWith(a.embedded) }

// looker is a Runner that writes nothing: the embedded workspace stands still.
func (a *app) looker() (*pipeline.Runner, error) { return a.runnerWith(a.still) }

func (a *app) runnerWith(embedded func(layout.Dir) (pipeline.Source, error)) (*pipeline.Runner, error) {
	config, catalogue, err := a.load()
	if err != nil {
		return nil, err
	}
	program, err := sandbox.Self()
	if err != nil {
		return nil, err
	}
	dir := layout.Dir(config.Warehouse.Dir)
	return &pipeline.Runner{
		Config: config, Catalogue: catalogue, Dir: dir, Program: program, Now: a.now, Wait: a.wait, Log: a.log(), Version: release(), Given: a.given, Flags: a.flags, Interrupted: interruptCode,
		Connect: func(_ context.Context, name string) (pipeline.Source, error) {
			url, token, err := config.Connect(name, config.Lookup)
			if err == nil && url == pipeline.Emulator {
				return embedded(dir)
			}
			return pipeline.Source{BaseURL: url, Token: token, Refresh: func() (extract.Secret, error) { return a.rotated(config, name) }}, err
		},
	}, nil
}

// rotated looks a token up again: its file, or .env, may hold another one by now.
func (a *app) rotated(config *pipeline.Config, workspace string) (extract.Secret, error) {
	lookup, err := a.variables()
	if err != nil {
		return "", err
	}
	_, token, err := config.Connect(workspace, lookup)
	return token, err
}

// wait waits by the machine's clock, no longer than the context lives.
func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// instant reads a date or a time as a person writes it; dates begin at midnight UTC.
func instant(s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04", "2006-01-02 15:04", time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is no date or time; write 2026-11-01 or 2026-11-01T02:00:00Z", s)
}
