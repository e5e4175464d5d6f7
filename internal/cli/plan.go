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
		Short: "What a sync would read, make and ask",
		Long: `Show for each stream the window that would be read, the requests and the time that takes, and the tables and columns
that would come. Offline: estimates come from the last run. With --ask each stream is asked once how much there is.
Nothing is written. CSV has the streams alone. With --detailed-exitcode it ends with 2 where tables or columns would come, for jobs that ask somebody first.`,
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
	c.Flags().StringSliceVar(&o.Exclude, "exclude", nil, "all but these streams: stream or pipeline.stream, names or globs")
	c.Flags().BoolVar(&detailed, "detailed-exitcode", false, "end with 2 where tables or columns would come")
	c.Flags().BoolVar(&ask, "ask", false, "ask each stream once how many records there are (needs the token)")
	return c
}

// printPlannedStreams writes what would be read, as CSV; what is not known is empty.
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
