package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"aqueduck/internal/pipeline"
	"aqueduck/internal/schedule"
)

func (a *app) serve() *cobra.Command {
	return &cobra.Command{
		Use:   "serve",
		Short: "Run the pipelines at their times",
		Long: `Run each pipeline that has a schedule at its times, in warehouse.timezone, until SIGTERM or Ctrl-C; a run under way
then commits what is whole and ends. A time missed while the program was down is made up for once; a time that comes
while the pipeline still runs is left out, unless the pipeline says otherwise. The warehouse is locked only while
something runs.`,
		Example: "  aqueduck serve\n  aqueduck serve -f pipelines.yaml -q",
		Args:    noArguments,
		RunE:    func(c *cobra.Command, _ []string) error { return a.serveAll(c.Context()) },
	}
}

// lookAtAge is how often serve looks whether data has grown too old while nothing runs.
const lookAtAge = 10 * time.Minute

func (a *app) serveAll(ctx context.Context) error {
	runner, err := a.runner()
	if err != nil {
		return err
	}
	if err := a.ready(runner, runner.Config.Pipelines, pipeline.Options{}); err != nil {
		return err
	}
	runner.Alerts = runner.Sender(a.lookup)
	last, err := pipeline.LastRuns(ctx, runner.Dir)
	if err != nil {
		return err
	}
	var jobs []schedule.Job
	for _, p := range runner.Config.Pipelines {
		if p.Schedule == nil {
			continue
		}
		runner.Log.Info("waiting", "pipeline", p.Name, "next", p.Schedule.Next(runner.Now()).Format(time.RFC3339))
		jobs = append(jobs, schedule.Job{
			Name: p.Name, Schedule: p.Schedule, CatchUp: p.CatchUp, Overlap: p.Overlap, Jitter: p.Jitter, Last: last[p.Name],
			Run: func(ctx context.Context) { a.serveOne(ctx, runner, p) },
			Skipped: func(at time.Time) {
				runner.Log.Warn("a run was left out: the last one still ran, or the machine slept", "pipeline", p.Name, "at", at.Format(time.RFC3339))
			},
		})
	}
	if len(jobs) == 0 {
		return &pipeline.Problem{Class: "config", What: "no pipeline of " + a.file + " has a schedule",
			Next: `give one, e.g. schedule: "0 2 * * *"`}
	}
	var looking sync.WaitGroup
	looking.Go(func() {
		for runner.Wait(ctx, lookAtAge) == nil {
			runner.TellAge(ctx)
		}
	})
	schedule.Run(ctx, jobs, runner.Now, runner.Wait)
	looking.Wait()
	runner.Log.Info("stopped")
	return nil // asked to stop, and stopped
}

// serveOne runs a pipeline once. Its failure is written down; the next time comes all the same.
func (a *app) serveOne(ctx context.Context, runner *pipeline.Runner, p *pipeline.Pipeline) {
	report, err := runner.Run(ctx, p, pipeline.Options{Wait: time.Hour}, a.stderr)
	switch {
	case err != nil && ctx.Err() != nil: // asked to stop before anything was read
	case err != nil:
		fmt.Fprintln(a.stdout, pipeline.Stopped(ctx, p, err))
		fmt.Fprintln(a.stderr, pipeline.AsProblem(err).Text())
	default:
		a.report(report)
	}
	if ctx.Err() == nil {
		runner.Log.Info("waiting", "pipeline", p.Name, "next", p.Schedule.Next(runner.Now()).Format(time.RFC3339))
	}
}
