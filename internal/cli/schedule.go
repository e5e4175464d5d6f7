package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"aqueduck/internal/cli/render"
	"aqueduck/internal/cli/usage"
	"aqueduck/internal/config"
)

func newSchedule(env *Env) *cobra.Command {
	c := &cobra.Command{
		Use:     "schedule",
		Short:   "Show when pipelines run next",
		Long:    `Show the times at which aqueduck serve runs the pipelines.`,
		Example: "  aqueduck schedule next\n  aqueduck schedule next nightly -n 10",
		Args:    usage.Subcommand,
		RunE:    usage.ShowHelp,
	}
	c.AddCommand(newScheduleNext(env))
	return c
}

func newScheduleNext(env *Env) *cobra.Command {
	each := 5
	c := &cobra.Command{
		Use:   "next [pipeline…]",
		Short: "List the next runs of each pipeline",
		Long: `List the next times at which aqueduck serve runs each pipeline, in warehouse.timezone and in UTC. Times that daylight saving
skips or repeats are marked. Reads only the configuration. Schedules follow the clock of this machine, also where an emulated
workspace fills the warehouse.`,
		Example:           "  aqueduck schedule next\n  aqueduck schedule next nightly -n 10\n  aqueduck schedule next -o json",
		Annotations:       map[string]string{forms: "json csv"},
		ValidArgsFunction: shellCompletion{env}.completePipelines,
		RunE: func(c *cobra.Command, args []string) error {
			if each < 1 || each > 1000 {
				return usage.Errorf(c, "--number %d: expected 1 to 1000", each)
			}
			cfg, _, err := env.loadConfig()
			if err != nil {
				return err
			}
			pipelines, err := cfg.Select(args)
			if err != nil {
				return err
			}
			due := config.NextRuns(pipelines, env.Now(), each)
			if env.output == "json" {
				return env.printJSON(due)
			}
			if env.output == "csv" {
				var all [][]any
				for _, d := range due {
					all = append(all, []any{d.Pipeline, d.Local, d.Zone, d.At, d.Note})
				}
				return env.printRows([]string{"pipeline", "local", "zone", "at", "note"}, all)
			}
			if len(due) == 0 {
				_, err := fmt.Fprintf(env.Stdout, "no schedule: %s runs only by hand\n", env.fileNames())
				return err
			}
			render.PrintDue(env.Stdout, due)
			return nil
		},
	}
	c.Flags().IntVarP(&each, "number", "n", each, "number of times per pipeline")
	return c
}
