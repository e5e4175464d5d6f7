package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"aqueduck/internal/cli/render"
	"aqueduck/internal/cli/usage"
	"aqueduck/internal/config"
	"aqueduck/internal/fleet"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/schemas"
)

const statusHelp = `Show the current run with its percentage and remaining time, the last runs, the watermark of each stream and the next run. A
stream is late when one scheduled run did not read it completely, and its freshness SLA is breached after two such runs;
freshness: in pipelines.yaml sets other limits. Without schedule: and freshness: no stream is ever late. A stream whose
new records no run has read to the end has no freshness until it is late. Where cron starts the runs, write its times as schedule:, too. The next run of
an emulated workspace is shown in the time of this machine. Also shows the schema drift of the last run and of the 7 days before it: new
fields, words and custom attributes of the source, and changed columns. Reads only the published file, the run log and run.json;
needs neither token nor network. While pipelines.yaml or .env has a mistake, --dir DIR shows the status without them. CSV lists the
streams only, with their number of schema changes.

--workspaces shows one line for each workspace instead: its last run, how it ended and on which machine, how old the data is, and
what needs action. So does status alone where warehouse.dir has ${AQUEDUCK_WORKSPACE} and the variable is not set. For a warehouse
with warehouse.remote it sends two requests to the object store, which knows the runs of all machines.

--exit-code of one warehouse: 1 if its published file or the link to it is gone, 6 if a freshness SLA is breached, otherwise 0. It
is 3 if the directory cannot be used, or a file is in place of the link. If nothing is published yet it is 0.

--workspaces --exit-code: the code of the worst workspace. For a workspace it is the code of its last run if that failed,
1 if the published file is gone, 6 if a freshness SLA is breached, otherwise 0. If a store cannot be asked, it is 1 or 3.`

func newStatus(env *Env) *cobra.Command {
	exitCode, each := false, false
	c := &cobra.Command{
		Use:         "status",
		Short:       "Show the current run, the last runs and the freshness of the data",
		Long:        statusHelp,
		Example:     "  aqueduck status\n  aqueduck status --dir demo -o json\n  aqueduck status -o csv\n  aqueduck status --exit-code\n  aqueduck status --workspaces",
		Args:        usage.NoArguments,
		Annotations: map[string]string{forms: "json csv"},
		RunE: func(c *cobra.Command, _ []string) error {
			if each {
				places, err := env.listPlaces()
				if err != nil {
					return err
				}
				return printFleet(c.Context(), env, places, exitCode)
			}
			s, note, err := readStatus(c.Context(), env, exitCode)
			if err != nil {
				if places := env.unnamedPlaces(); places != nil {
					return printFleet(c.Context(), env, places, exitCode)
				}
				return err
			}
			if note != "" {
				fmt.Fprintln(env.Stderr, note)
			}
			switch env.output {
			case "json":
				err = env.printJSON(s)
			case "csv":
				err = render.ListStatus(s).WriteCSV(env.Stdout)
			default:
				env.explainClock()
				render.PrintStatus(s, env.Stdout)
			}
			if err == nil && exitCode {
				return judgeStatus(s)
			}
			return err
		},
	}
	c.Flags().BoolVar(&exitCode, "exit-code", false, "exit with 1 if the published file or the link to it is gone, with 6 if a freshness SLA is breached; with --workspaces: the worst code")
	c.Flags().BoolVar(&each, "workspaces", false, "one line for each workspace, also of those that other machines ran")
	return c
}

// judgeStatus is the error of a warehouse that needs somebody; nil if there is nothing.
func judgeStatus(s *runlog.Status) error {
	if found := s.WhyUnreadable(); found != nil {
		return found
	}
	if stale := s.Stale(); len(stale) > 0 {
		return &problem.Problem{Class: "freshness", Exit: problem.ExitBreached, What: "freshness SLA breached: " + strings.Join(stale, ", "),
			Next: "see the cause: aqueduck status; read these streams: aqueduck sync"}
	}
	return nil
}

// readStatus reads the status of the warehouse. A configuration with mistakes only gives a note, if --dir names the warehouse and whole is false.
func readStatus(ctx context.Context, env *Env, whole bool) (s *runlog.Status, note string, err error) {
	dir, err := env.warehouseDir()
	if err != nil {
		return nil, "", err
	}
	var config *config.Config // without one, the next run is unknown
	var catalogue *schemas.Catalogue
	if env.configExists() {
		if config, catalogue, err = env.loadConfig(); err != nil && (env.dir == "" || whole) {
			return nil, "", err
		}
		if err != nil {
			note = fmt.Sprintf("note: %s or .env has a mistake or cannot be read, so no next run and no late stream is shown; see it: %s", env.fileNames(), env.given.Append("aqueduck check"))
		}
	}
	if s, err = runlog.ReadStatus(ctx, dir, config, catalogue, env.Now()); err == nil {
		s.RepeatFlags(env.given)
	}
	return s, note, err
}

// printFleet writes the state of some workspaces, one row each. strict: it ends with the exit code of the worst.
func printFleet(ctx context.Context, env *Env, places []fleet.Place, strict bool) error {
	rows, err := fleet.ReadRows(ctx, places, env.Now())
	if err != nil {
		return err
	}
	for _, row := range rows {
		for i := range row.Needs {
			row.Needs[i].Next = env.given.Append(row.Needs[i].Next)
		}
	}
	switch env.output {
	case "json":
		err = env.printJSON(map[string]any{"workspaces": rows})
	case "csv":
		err = render.ListFleet(rows).WriteCSV(env.Stdout)
	default:
		err = render.PrintFleet(rows, env.Stdout)
	}
	if p := fleet.Failure(rows, strict); err == nil && p != nil {
		return p
	}
	return err
}
