package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"aqueduck/internal/cli/emulate"
	"aqueduck/internal/cli/usage"
	"aqueduck/internal/problem"
)

// newRoot returns the root command with all others below it.
func newRoot(env *Env) *cobra.Command {
	root := &cobra.Command{
		Use:   "aqueduck",
		Short: "Copy a customer-messaging workspace into DuckDB and Parquet",
		Long: `aqueduck copies the data of a customer-messaging workspace from its HTTP API into a warehouse: one DuckDB file for analysts, and
the same tables as Parquet files. It reads incrementally, and stores each record exactly once.

Results go to stdout. Logs, progress and errors go to stderr.`,
		Example: `  aqueduck init --emulator
  aqueduck sync nightly
  aqueduck query "SELECT role, count(*) FROM contacts GROUP BY ALL"`,
		SilenceErrors: true, SilenceUsage: true,
		Args: usage.Subcommand, RunE: usage.ShowHelp,
	}
	flags := root.PersistentFlags()
	flags.StringSliceVarP(&env.file, "file", "f", strings.Split(env.variableOr("AQUEDUCK_FILE", "pipelines.yaml"), ","), "configuration file; repeat the flag, or name a directory, to read several files as one")
	flags.StringVar(&env.dir, "dir", env.variableOr("AQUEDUCK_DIR", ""), "directory of the warehouse; overrides warehouse.dir")
	flags.StringVarP(&env.output, "output", "o", env.variableOr("AQUEDUCK_OUTPUT", "table"), "format of results: table, json or csv where the command supports it; query also writes parquet")
	flags.StringVar(&env.logLevel, "log-level", env.variableOr("AQUEDUCK_LOG_LEVEL", "info"), "lowest level that is logged: debug, info, warn or error")
	flags.StringVar(&env.logFormat, "log-format", env.variableOr("AQUEDUCK_LOG_FORMAT", "auto"), "log format: text, json or auto (pretty on a terminal, text elsewhere)")
	flags.StringVar(&env.progress, "progress", env.variableOr("AQUEDUCK_PROGRESS", "auto"), "progress display on stderr: tty, plain, json, none or auto (tty on a terminal, plain elsewhere)")
	flags.StringVar(&env.color, "color", env.variableOr("AQUEDUCK_COLOR", "auto"), "colours in the log: always, never or auto (decided by NO_COLOR, FORCE_COLOR and TERM)")
	flags.BoolVarP(&env.quiet, "quiet", "q", false, "print only the last line of a run or a verification to stdout; stderr keeps warnings and errors; a verification without -q lists what differs")
	flags.VarPF(&env.verbose, "verbose", "v", "log at level debug; -vv also prints stack traces").NoOptDefVal = "true"
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return &usage.Error{Command: c.CommandPath(), Err: usage.SuggestFlag(c, err)}
	})
	root.PersistentPreRunE = func(c *cobra.Command, _ []string) error {
		env.given, env.flags = cliFlags(c), givenFlags(env, c)
		env.Lookup = forWorkspace(env.Lookup, namedWorkspace(c))
		warnOfVariables(env, c)
		return checkGlobals(env, c)
	}
	root.AddCommand(newInit(env), newCheck(env), newSchema(env), newPlan(env), newSchedule(env), newSync(env), newStatus(env), newTop(env), newRuns(env),
		newRollback(env), newPull(env), newMirror(env), newVerify(env), newQuery(env), newDoctor(env), newStreams(env), newState(env), newErase(env), newServe(env), newWorker(env),
		emulate.NewCommand(emulate.Host{Name: env.Name, Stdout: env.Stdout, Now: env.Now, Log: env.newLogger}), newVersion(env))
	root.AddCommand(helpTopics()...)
	// Without this, --help after a misspelled subcommand shows the help of the command above it.
	show := root.HelpFunc()
	root.SetHelpFunc(func(c *cobra.Command, args []string) {
		if c.HasSubCommands() {
			if env.misuse = c.ValidateArgs(c.Flags().Args()); env.misuse != nil {
				return
			}
		}
		show(c, args)
	})
	root.SetHelpCommand(newHelp())
	completeFlags(env, root)
	root.InitDefaultCompletionCmd("completion")
	if shells, _, err := root.Find([]string{"completion"}); err == nil {
		shells.Args = usage.Subcommand
	}
	return root
}

// namedWorkspace returns the workspace that --workspace names on the command line; "" without the flag, or if it names several.
func namedWorkspace(c *cobra.Command) string {
	f := c.Flag("workspace")
	if f == nil || !f.Changed {
		return ""
	}
	if names := usage.FlagValues(f); len(names) == 1 {
		return names[0]
	}
	return ""
}

// cliFlags returns the flags that name the configuration and the warehouse.
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
