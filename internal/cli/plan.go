package cli

import (
	"github.com/spf13/cobra"

	"aqueduck/internal/cli/render"
	"aqueduck/internal/plan"
	"aqueduck/internal/problem"
	"aqueduck/internal/runner"
)

func newPlan(env *Env) *cobra.Command {
	var o runner.Options
	var ask, detailed bool
	c := &cobra.Command{
		Use:   "plan [pipeline…]",
		Short: "Preview a sync: windows, schema changes, API requests",
		Long: `Preview a sync without running it: for each stream the window that would be read, the API requests, their duration, and the
tables and columns that would be added. Nothing is written. Without --ask, plan works offline and estimates from the last run.
With --ask it requests the number of records of each stream. CSV lists the streams only. With --detailed-exitcode, exit code 2
means that tables or columns would be added, for jobs that need an approval.`,
		Example: `  aqueduck plan
  aqueduck plan nightly --ask
  aqueduck plan --select 'contact*' --exclude nightly.contact_activities
  aqueduck plan --detailed-exitcode
  aqueduck plan -o json`,
		Annotations:       map[string]string{forms: "json csv"},
		ValidArgsFunction: shellCompletion{env}.completePipelines,
		RunE: func(c *cobra.Command, args []string) error {
			runner, err := newReadOnlyRunner(env)
			if err != nil {
				return err
			}
			pipelines, err := runner.ChoosePipelines(args, o)
			if err != nil {
				return err
			}
			planned, err := plan.Make(c.Context(), runner, pipelines, o, ask)
			if err != nil {
				return err
			}
			if detailed && planned.Changes() {
				env.exit = problem.ExitChanges
			}
			if env.output == "json" {
				return env.printJSON(planned)
			}
			if env.output == "csv" {
				return printPlannedStreams(env, planned)
			}
			render.PrintPlan(planned, env.Stdout)
			return nil
		},
	}
	c.Flags().StringSliceVar(&o.Select, "select", nil, "only these streams: stream or pipeline.stream, names or globs")
	c.Flags().StringSliceVar(&o.Exclude, "exclude", nil, "all streams except these: stream or pipeline.stream, names or globs")
	c.Flags().BoolVar(&detailed, "detailed-exitcode", false, "exit with 2 if tables or columns would be added")
	c.Flags().BoolVar(&ask, "ask", false, "request the number of records of each stream (needs the token)")
	return c
}

// printPlannedStreams writes the plan as CSV; unknown values are empty.
func printPlannedStreams(env *Env, p *plan.Plan) error {
	var all [][]any
	known := func(n int64) any {
		if n < 0 {
			return nil
		}
		return n
	}
	for _, s := range p.Streams {
		all = append(all, []any{s.Workspace, s.Stream, s.Read, known(s.Records), known(s.Requests), s.Change, s.Basis})
	}
	return env.printRows([]string{"workspace", "stream", "reads", "records", "requests", "requests_per_change", "basis"}, all)
}
