package cli

import (
	"cmp"

	"github.com/spf13/cobra"

	"aqueduck/internal/cli/render"
	"aqueduck/internal/cli/usage"
	"aqueduck/internal/runlog"
)

func newRuns(env *Env) *cobra.Command {
	most, name := 20, ""
	c := &cobra.Command{
		Use:   "runs",
		Short: "List past runs, or show one",
		Long: `List past runs, the newest first, also those that published nothing or were killed. MOVED stands for commands that moved checkpoints by hand
(aqueduck state). LEFT OUT stands for skipped runs: times of a schedule at which no run started. Reads the published file and
the run log beside it; needs neither token nor network. While pipelines.yaml has a mistake, give --dir DIR. A table shows the last
eight characters of a run's id, which every command takes; JSON and CSV have whole ids, also in NOTE. A narrow terminal leaves out
FINISHED, EXIT and REQUESTS first.`,
		Example:     "  aqueduck runs\n  aqueduck runs -n 5 --pipeline nightly -o json\n  aqueduck runs show",
		Args:        usage.SubcommandOr("to show a run: aqueduck runs show"),
		Annotations: map[string]string{forms: "json csv"},
		RunE: func(c *cobra.Command, _ []string) error {
			if err := usage.RefuseBelow(c, 1, "number"); err != nil {
				return err
			}
			dir, err := env.warehouseDir()
			if err != nil {
				return err
			}
			runs, err := runlog.History(c.Context(), dir, name, most)
			if err == nil && len(runs) == 0 {
				err = cmp.Or(checkPipelineName(env, name), runlog.ExplainWrong(dir))
			}
			if err != nil {
				return err
			}
			return printRuns(env, runs)
		},
	}
	c.Flags().IntVarP(&most, "number", "n", most, "number of runs")
	c.Flags().StringVar(&name, "pipeline", "", "only runs of this pipeline")
	c.AddCommand(newRunsShow(env))
	return c
}

// checkPipelineName refuses an unknown pipeline name if there is a configuration. The caller asks only for names without a run: runs of a
// pipeline that was removed are still listed.
func checkPipelineName(env *Env, name string) error {
	if config, _, err := env.loadConfig(); err == nil && name != "" {
		_, unknown := config.Select([]string{name})
		return unknown
	}
	return nil
}

func printRuns(env *Env, runs []runlog.PastRun) error {
	switch {
	case env.output == "json":
		return env.printJSON(runs)
	case env.output == "table" && len(runs) == 0:
		env.printNotice("there is no run yet; next: " + env.given.Append("aqueduck sync"))
		return nil
	}
	return env.printTimes(render.ListRuns(runs))
}

func newRunsShow(env *Env) *cobra.Command {
	return &cobra.Command{
		Use:   "show [RUN]",
		Short: "Show one run: streams, errors with next steps, findings, schema drift",
		Long: `Show the last run, or the run or checkpoint move whose id begins with RUN; the short id of eight characters will do. Shows its
outcome and next step, the results of each stream, what was published, findings of the audit, new fields of the source and
rejected values.

With -v, and in JSON, also the provenance of each configuration value: line of the file, variable, flag or default. The values
are not shown.`,
		Example:           "  aqueduck runs show\n  aqueduck runs show 7QRSTVWX -o json\n  aqueduck runs show -v",
		Args:              usage.AtMostOne("a run"),
		Annotations:       map[string]string{forms: "json csv"},
		ValidArgsFunction: shellCompletion{env}.completeRuns,
		RunE: func(c *cobra.Command, args []string) error {
			dir, err := env.warehouseDir()
			if err != nil {
				return err
			}
			id := ""
			if len(args) > 0 {
				id = args[0]
			}
			run, err := runlog.FindRun(c.Context(), dir, id)
			if err != nil {
				return err
			}
			run.RepeatFlags(env.given)
			if env.verbose > 0 || env.output == "json" {
				trace, err := runlog.ReadTrace(dir, run.Run)
				if err != nil {
					return err
				}
				if trace != nil {
					run.Configuration = trace.Configuration
				}
			}
			switch env.output {
			case "json":
				return env.printJSON(run)
			case "csv":
				return render.ListRunStreams(run).WriteCSV(env.Stdout)
			}
			env.explainClock()
			render.PrintRun(run, env.Stdout)
			return nil
		},
	}
}
