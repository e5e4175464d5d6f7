package main

import (
	"github.com/spf13/cobra"

	"aqueduck/internal/pipeline"
)

func (a *app) plan() *cobra.Command {
	var o pipeline.Options
	var ask bool
	c := &cobra.Command{
		Use:   "plan [pipeline…]",
		Short: "What a sync would read, make and ask",
		Long: `Show for each stream the window that would be read, the requests and the time that takes, and the tables and columns
that would come. Offline: estimates come from the last run. With --ask each stream is asked once how much there is.
Nothing is written.`,
		Example: `  aqueduck plan
  aqueduck plan nightly --ask
  aqueduck plan --select 'contact*' --exclude contact_activities
  aqueduck plan -o json`,
		Annotations:       map[string]string{forms: "json"},
		ValidArgsFunction: a.completePipelines,
		RunE: func(c *cobra.Command, args []string) error {
			runner, err := a.looker()
			if err != nil {
				return err
			}
			pipelines, err := runner.Config.Select(args)
			if err != nil {
				return err
			}
			plan, err := runner.Plan(c.Context(), pipelines, o, ask)
			if err != nil {
				return err
			}
			if a.output == "json" {
				return a.encode(plan)
			}
			plan.Print(a.stdout)
			return nil
		},
	}
	c.Flags().StringSliceVar(&o.Select, "select", nil, "only these streams (names or globs)")
	c.Flags().StringSliceVar(&o.Exclude, "exclude", nil, "all but these streams (names or globs)")
	c.Flags().BoolVar(&ask, "ask", false, "ask each stream once how many records there are (needs the token)")
	return c
}
