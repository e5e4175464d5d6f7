package cli

import (
	"context"

	"github.com/spf13/cobra"

	"aqueduck/internal/cli/apart"
	"aqueduck/internal/cli/working"
	"aqueduck/internal/config"
	"aqueduck/internal/runner"
	"aqueduck/internal/worker"
)

func newWorker(env *Env) *cobra.Command {
	var c *cobra.Command
	c = working.NewCommand(working.Host{
		Asked: func() bool { return env.asked != nil }, One: func(ctx context.Context) error { return runOne(ctx, env) }, Log: env.newLogger,
		Load:  func(workspace string) (*runner.Runner, error) { return newRunner(env.ofWorkspace(workspace)) },
		Check: func(r *runner.Runner) error { return checkConnections(r, r.Config.Pipelines) },
		Run: func(ctx context.Context, r *runner.Runner, p *config.Pipeline, o runner.Options, beat func()) worker.Outcome {
			ctx = context.WithValue(ctx, signalKey{}, c.Context().Value(signalKey{})) // a run that a signal stops has its exit code
			return env.execute(ctx, r, p, apart.Request{Workspace: o.Workspaces[0], Options: o}, beat)
		},
	})
	return c
}
