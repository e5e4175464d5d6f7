package main

import (
	"encoding/json"

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
that would come. Offline: estimates come from the last run. With --ask each stream is asked once how much there is.`,
		Example: "  aqueduck plan nightly\n  aqueduck plan nightly --ask",
		RunE: func(c *cobra.Command, args []string) error {
			runner, err := a.runner()
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
				out := json.NewEncoder(a.stdout)
				out.SetIndent("", "  ")
				return out.Encode(plan)
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
