package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"aqueduck/internal/cli/emulate"
	"aqueduck/internal/cli/usage"
	"aqueduck/internal/problem"
)

// newRoot is the program as a command, with all others below it.
func newRoot(env *Env) *cobra.Command {
	root := &cobra.Command{
		Use:   "aqueduck",
		Short: "Bring a customer-messaging workspace into a DuckDB file and Parquet files",
		Long: `aqueduck reads a customer-messaging workspace through its HTTP API and keeps it in a warehouse:
a DuckDB file for analysts and Parquet files beside it, incrementally, losing nothing and doubling nothing.

Results go to stdout, everything else to stderr.`,
		Example: `  WORKSPACE_URL=emulator aqueduck sync nightly --dir demo
  aqueduck query --dir demo "SELECT role, count(*) FROM contacts GROUP BY ALL"`,
		SilenceErrors: true, SilenceUsage: true,
		Args: usage.Subcommand, RunE: usage.ShowHelp,
	}
	flags := root.PersistentFlags()
	flags.StringSliceVarP(&env.file, "file", "f", strings.Split(env.variableOr("AQUEDUCK_FILE", "pipelines.yaml"), ","), "the configuration; several files, or the *.yaml of a directory, are read as one")
	flags.StringVar(&env.dir, "dir", env.variableOr("AQUEDUCK_DIR", ""), "the warehouse's directory, instead of warehouse.dir")
	flags.StringVarP(&env.output, "output", "o", env.variableOr("AQUEDUCK_OUTPUT", "table"), "how results are written: table, json or csv, as far as the command has them; those of query as parquet too")
	flags.StringVar(&env.logLevel, "log-level", env.variableOr("AQUEDUCK_LOG_LEVEL", "info"), "what is logged to stderr: debug, info, warn or error")
	flags.StringVar(&env.logFormat, "log-format", env.variableOr("AQUEDUCK_LOG_FORMAT", "auto"), "how is logged: text, json, or auto: for people on a terminal, text elsewhere")
	flags.StringVar(&env.progress, "progress", env.variableOr("AQUEDUCK_PROGRESS", "auto"), "how a run under way is shown on stderr: tty, plain, json, none, or auto: tty on a terminal, plain elsewhere")
	flags.StringVar(&env.color, "color", env.variableOr("AQUEDUCK_COLOR", "auto"), "colours of the log on a terminal: always, never, or auto, which goes by NO_COLOR, FORCE_COLOR and TERM")
	flags.BoolVarP(&env.quiet, "quiet", "q", false, "of a run or a verification print only the last line")
	flags.VarPF(&env.verbose, "verbose", "v", "log everything: --log-level debug; -vv shows besides where a fault of the program is").NoOptDefVal = "true"
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return &usage.Error{Command: c.CommandPath(), Err: usage.SuggestFlag(c, err)}
	})
	root.PersistentPreRunE = func(c *cobra.Command, _ []string) error {
		env.given, env.flags = cliFlags(c), givenFlags(env, c)
		return checkGlobals(env, c)
	}
	root.AddCommand(newInit(env), newCheck(env), newSchema(env), newPlan(env), newSchedule(env), newSync(env), newStatus(env), newRuns(env),
		newRollback(env), newVerify(env), newQuery(env), newDoctor(env), newStreams(env), newState(env), newErase(env), newServe(env),
		emulate.NewCommand(emulate.Host{Name: env.Name, Stdout: env.Stdout, Now: env.Now, Log: env.newLogger}), newVersion(env))
	root.AddCommand(helpTopics()...)
	root.SetHelpCommand(newHelp())
	completeFlags(env, root)
	return root
}

// cliFlags are the flags that name the configuration and the warehouse.
func cliFlags(c *cobra.Command) problem.CLIFlags {
	var words []string
	for _, f := range []struct{ name, flag string }{{"file", "-f"}, {"dir", "--dir"}} {
		if !c.Flags().Changed(f.name) {
			continue
		}
		for _, value := range usage.FlagValues(c.Flag(f.name)) {
			words = append(words, f.flag, value)
		}
	}
	return problem.JoinCLIFlags(words...)
}
