package cli

import (
	"github.com/spf13/cobra"

	"aqueduck/internal/cli/render"
	"aqueduck/internal/cli/usage"
	"aqueduck/internal/plan"
	"aqueduck/internal/problem"
	"aqueduck/internal/runner"
)

func newPlan(env *Env) *cobra.Command {
	var o runner.Options
	var ask, offline, detailed bool
	c := &cobra.Command{
		Use:   "plan [pipeline…]",
		Short: "Preview a sync: windows, schema changes, API requests",
		Long: `Preview a sync without running it: for each stream the window that would be read, the API requests and their duration. Also lists
the tables and columns that would be added, widened or masked, and the schema drift of the last runs. Nothing is written. A plan
reads no records, so only a run finds new fields, custom attributes and words.

The number of records of a stream that was never read takes one request; --ask requests it of all streams, --offline of none.
REQUESTS is an estimate, within a factor of two in tests of streams with over 20 requests. A first run needs one request for each
page of a list, or one for a list without pages. A stream that is read by id needs one for each id. Later, a list that is read whole
needs as many requests as in the last run. An incremental stream needs the pages of its lookback window and those of changed
records. plan expects as many changes since the last run as in the same time before it. The duration is that of all requests at
requests_per_minute, or 1,000 a minute; publishing and waits for exports come on top. CSV lists the streams only, with their number
of schema changes. A table has short times, JSON and CSV have whole ones. What a terminal has no room for in READS and BASIS is
below the table. With --detailed-exitcode, exit code 2 means that tables or columns would be added, or columns widened, for jobs
that need an approval.`,
		Example: `  aqueduck plan
  aqueduck plan nightly --ask
  aqueduck plan --offline
  aqueduck plan --select 'contact*' --exclude nightly.contact_activities
  aqueduck plan --detailed-exitcode -o json`,
		Annotations:       map[string]string{forms: "json csv"},
		ValidArgsFunction: shellCompletion{env}.completePipelines,
		RunE: func(c *cobra.Command, args []string) error {
			if ask && offline {
				return usage.Errorf(c, "--ask requests what --offline must not: give one of them")
			}
			runner, err := newReadOnlyRunner(env)
			if err != nil {
				return err
			}
			pipelines, err := runner.ChoosePipelines(args, o)
			if err != nil {
				return err
			}
			planned, err := plan.Make(c.Context(), runner, pipelines, o, chooseAsking(ask, offline))
			if err != nil {
				return err
			}
			if detailed && planned.Changes() {
				env.exit = problem.ExitChanges
			}
			return writePlan(env, planned)
		},
	}
	c.Flags().StringSliceVar(&o.Workspaces, "workspace", nil, "only these workspaces of the pipelines")
	c.Flags().StringSliceVar(&o.Select, "select", nil, "only these streams: stream or pipeline.stream, names or patterns such as 'reporting_*'")
	c.Flags().StringSliceVar(&o.Exclude, "exclude", nil, "all streams except these: stream or pipeline.stream, names or patterns such as 'reporting_*'")
	c.Flags().BoolVar(&detailed, "detailed-exitcode", false, "exit with 2 if tables or columns would be added, or columns widened")
	c.Flags().BoolVar(&ask, "ask", false, "request the number of records of each stream, also of those read before (needs the token)")
	c.Flags().BoolVar(&offline, "offline", false, "send no request: the size of a first run stays unknown")
	return c
}

// writePlan writes a plan in the format of --output.
func writePlan(env *Env, planned *plan.Plan) error {
	switch env.output {
	case "json":
		return env.printJSON(planned)
	case "csv":
		return render.ListPlanned(planned).WriteCSV(env.Stdout)
	}
	render.PrintPlan(planned, env.Stdout)
	return nil
}

// chooseAsking returns which streams a plan asks for.
func chooseAsking(ask, offline bool) plan.Asking {
	switch {
	case ask:
		return plan.AskAll
	case offline:
		return plan.AskNone
	}
	return plan.AskUnread
}
