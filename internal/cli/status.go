package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"aqueduck/internal/cli/render"
	"aqueduck/internal/cli/usage"
	"aqueduck/internal/config"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/schemas"
)

func newStatus(env *Env) *cobra.Command {
	exitCode := false
	c := &cobra.Command{
		Use:   "status",
		Short: "What runs now, how the last runs went, how fresh the data is",
		Long: `Show what runs now with its percentage and the time it may still take, the last runs, how far each stream is read and
when the next run is due. A stream is late when the run that was due after it was last read well has not brought it, and its
freshness is breached when two have not; freshness: in pipelines.yaml sets other limits. Reads the published file and run.json only; needs neither token nor network. CSV has the streams alone.`,
		Example:     "  aqueduck status\n  aqueduck status --dir demo -o json\n  aqueduck status -o csv\n  aqueduck status --exit-code",
		Args:        usage.NoArguments,
		Annotations: map[string]string{forms: "json csv"},
		RunE: func(c *cobra.Command, _ []string) error {
			dir, err := env.warehouseDir()
			if err != nil {
				return err
			}
			var config *config.Config // without one there is no next run to tell of
			var catalogue *schemas.Catalogue
			if env.configExists() {
				if config, catalogue, err = env.loadConfig(); err != nil && (env.dir == "" || exitCode) {
					return err
				}
				if err != nil {
					fmt.Fprintf(env.Stderr, "note: %s has mistakes, so that no next run is shown, and nothing is late: aqueduck check lists them\n", env.fileNames())
				}
			}
			s, err := runlog.ReadStatus(c.Context(), dir, config, catalogue, env.Now())
			if err != nil {
				return err
			}
			s.Given = env.given
			switch env.output {
			case "json":
				err = env.printJSON(s)
			case "csv":
				err = printStatusStreams(env, s)
			default:
				render.PrintStatus(s, env.Stdout)
			}
			if stale := s.Stale(); err == nil && exitCode && len(stale) > 0 {
				return &problem.Problem{Class: "freshness", Exit: problem.ExitBreached, What: "older than they may be: " + strings.Join(stale, ", "),
					Next: "aqueduck status shows why; aqueduck sync reads them"}
			}
			return err
		},
	}
	c.Flags().BoolVar(&exitCode, "exit-code", false, "end with 6 when the freshness of a stream is breached")
	return c
}

// printStatusStreams writes how far each stream is, as CSV.
func printStatusStreams(env *Env, s *runlog.Status) error {
	var all [][]any
	for _, x := range s.Streams {
		all = append(all, []any{x.Workspace, x.Stream, x.Outcome, string(x.Freshness), render.TimeCell(x.OK), render.TimeCell(x.SyncedTo), render.TimeCell(x.HistoryTo), x.Backfill})
	}
	return env.printRows([]string{"workspace", "stream", "last_run", "freshness", "read_well_at", "synced_to", "history_to", "backfill"}, all)
}
