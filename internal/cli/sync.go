package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/google/renameio/v2"
	"github.com/spf13/cobra"

	"aqueduck/internal/cli/render"
	"aqueduck/internal/cli/usage"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/internal/sync"
)

func newSync(env *Env) *cobra.Command {
	o := runner.Options{Wait: 30 * time.Minute}
	var summary string
	c := &cobra.Command{
		Use:   "sync [pipeline…]",
		Short: "Read new and changed records and publish them",
		Long: `Run pipelines once: the named ones, or all. Each stream continues from its last checkpoint. Committed data stays, however the
run ends. Ctrl-C stops new requests, commits complete batches and prints the command that continues the run.

A terminal shows each stream while it is read, the percentage of the run that is done, and the time left. Both are unknown in the
first minute, and until each stream expects a number of requests.`,
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
		ValidArgsFunction: shellCompletion{env}.completePipelines,
		RunE: func(c *cobra.Command, args []string) error {
			o.Since, o.Until = o.Since.UTC(), o.Until.UTC()
			if err := checkRunFlags(c, &o); err != nil {
				return err
			}
			return syncAll(c.Context(), env, args, o, summary)
		},
	}
	c.Flags().StringSliceVar(&o.Select, "select", nil, "only these streams: stream or pipeline.stream, names or patterns such as 'reporting_*'")
	c.Flags().StringSliceVar(&o.Exclude, "exclude", nil, "all streams except these: stream or pipeline.stream, names or patterns such as 'reporting_*'")
	c.Flags().StringSliceVar(&o.Workspaces, "workspace", nil, "only these workspaces of the pipelines, e.g. one for each CronJob")
	c.Flags().TimeVar(&o.Since, "since", time.Time{}, usage.TimeFormats, "read only records changed since this date or time (exports: days since); watermarks do not move")
	c.Flags().TimeVar(&o.Until, "until", time.Time{}, usage.TimeFormats, "read only records changed before this date or time; watermarks do not move")
	c.Flags().BoolVar(&o.Failed, "failed", false, "only the streams that failed, were interrupted or cut in the last run that was to read them, or that no run has read yet; not unavailable ones")
	c.Flags().BoolVar(&o.FullRefresh, "full-refresh", false, "read everything again and replace what differs, even if updated_at moved back; no table is emptied")
	c.Flags().BoolVar(&o.FailFast, "fail-fast", false, "stop at the first stream that fails, and start no other pipeline")
	usage.DurationVar(c.Flags(), &o.MaxTime, "max-time", "end cleanly after this `duration`, such as 2h or 1d; the next run continues (default: the pipeline's max_time)")
	c.Flags().Int64Var(&o.MaxRequests, "max-requests", 0, "request budget: end cleanly after this many requests; 0 is no limit")
	c.Flags().Int64Var(&o.Limit, "limit", 0, "for trials: stop each stream after the page that reaches this many records; the next run continues; 0 is no limit")
	usage.DurationVar(c.Flags(), &o.Wait, "wait", "wait for this `duration` while another run holds the lock of this warehouse (default 30m)")
	c.Flags().StringSliceVar(&o.AcceptDrop, "accept-drop", nil, "accept that these streams or tables lose a large share of their rows (publish guard)")
	c.Flags().BoolVar(&o.AcceptHashKey, "accept-hash-key", false, "with --full-refresh: accept a hash.key that differs from the one of the stored hashes")
	c.Flags().StringVar(&summary, "summary-file", "", "write the run summary as JSON into this file (the same as -o json prints)")
	return c
}

// syncAll runs the named pipelines one after the other; one that cannot run does not stop the others. The program ends with the worst of their exit codes.
func syncAll(ctx context.Context, env *Env, names []string, o runner.Options, file string) (err error) {
	runner, err := newRunner(env)
	if err != nil {
		return err
	}
	pipelines, err := runner.ChoosePipelines(names, o)
	if err != nil {
		return err
	}
	if err := checkConnections(runner, pipelines); err != nil {
		return err
	}
	runner.Alerts = sync.NewSender(runner, runner.Config.Lookup)
	summary := &runlog.Summary{Version: 1, Program: buildVersion(), Runs: []*runlog.RunDetail{}}
	runner.Ended = summary.Add
	defer func() { err = errors.Join(err, writeSummary(env, summary, file)) }()
	defer watchRuns(env, runner)()
	for _, p := range pipelines {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		out, ended := afterOutput(env, p)
		report, err := sync.Run(ctx, runner, p, o, out)
		ended()
		clearScreen(env)
		if err != nil {
			if env.output != "json" {
				printLastLine(env, err)
			}
			if ctx.Err() != nil {
				return err
			}
			refused := env.printProblem(err)
			if env.exit = max(env.exit, refused.ExitCode()); o.FailFast || keepsAllFromRunning(runner, refused) {
				return nil
			}
			continue
		}
		printReport(env, report)
		if env.exit = max(env.exit, report.Exit()); o.FailFast && env.exit != problem.ExitOK {
			return nil
		}
	}
	return nil
}

// keepsAllFromRunning reports whether the other pipelines would be refused like this one: for the directory, its lock or its disk.
func keepsAllFromRunning(r *runner.Runner, refused *problem.Problem) bool {
	return refused.Class == "busy" || refused.Class == "disk" || r.PrepareDir() != nil
}

// printLastLine writes the last line of a run that was refused, or stopped before it had a report; its error is printed separately.
func printLastLine(env *Env, err error) {
	var stopped *runlog.StoppedError
	if errors.As(err, &stopped) {
		fmt.Fprintln(env.Stdout, stopped.Line)
	}
}

// writeSummary writes what the runs did: to stdout with -o json, and to the file of --summary-file.
func writeSummary(env *Env, s *runlog.Summary, file string) error {
	if file != "" {
		text, err := json.MarshalIndent(s, "", "  ")
		if err == nil {
			err = renameio.WriteFile(file, append(text, '\n'), 0o644)
		}
		if broken := (*fs.PathError)(nil); errors.As(err, &broken) {
			err = fmt.Errorf("%s: %w", file, broken.Err) // the path is that of a temporary file
		}
		if err != nil {
			return &problem.Problem{Class: "config", What: "write the run summary; the runs themselves ended as reported", Err: err, Next: "give --summary-file a path in a writable directory"}
		}
	}
	if env.output == "json" {
		return env.printJSON(s)
	}
	return nil
}

func printReport(env *Env, r *runlog.Report) {
	defer func() {
		for _, fault := range r.Faults() {
			env.printTrace(fault)
		}
	}()
	if env.output == "json" {
		return
	}
	if env.quiet {
		for _, failure := range r.Failures() {
			env.printProblem(failure)
		}
		fmt.Fprintln(env.Stdout, r.LastLine())
		return
	}
	render.PrintReport(r, env.Stdout)
}

// checkRunFlags refuses flags of sync that contradict each other, and values below zero.
func checkRunFlags(c *cobra.Command, o *runner.Options) error {
	switch {
	case !o.Since.IsZero() && !o.Until.IsZero() && !o.Since.Before(o.Until):
		return usage.Errorf(c, "--since %s is not before --until %s: give an earlier --since, or a later --until", c.Flag("since").Value, c.Flag("until").Value)
	case o.FullRefresh && (!o.Since.IsZero() || !o.Until.IsZero()):
		return usage.Errorf(c, "--full-refresh reads everything: omit --since and --until")
	case o.AcceptHashKey && !o.FullRefresh:
		return usage.Errorf(c, "--accept-hash-key needs --full-refresh, which hashes all values again")
	}
	return usage.RefuseBelow(c, 0, "limit", "max-requests")
}
