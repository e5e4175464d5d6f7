package cli

import (
	"github.com/spf13/cobra"

	"aqueduck/internal/cli/usage"
)

const exitCodes = `What the program ends with:

    0  done; also when max_time, max_requests or --limit cut the run: the next one goes on
    1  a stream failed, or could be read until now and is unavailable, or the audit found something
       exact, or the disk failed or is full; what was committed is safe
    2  the command line cannot be understood; plan --detailed-exitcode: tables or columns would come
    3  the configuration, the warehouse's directory or its owner, or another workspace's token
    4  the API refused the token; no mark of that workspace moved
    5  another run holds the warehouse, or another serve its pipelines
    6  the publish was held back: a table lost too much of its rows, readers keep what they have;
       verify: a row differs from the source; status --exit-code: the freshness of a stream is breached
   70  a fault of the program; what was committed is safe
  130  interrupted by Ctrl-C, 143 by SIGTERM, 129 by a terminal that hung up; the same command goes on

The last line of a run is stable and begins with OK, FAILED or INTERRUPTED.`

const variables = `Variables of the environment. A flag goes before its variable. The variables that pipelines.yaml names may
also stand in a file .env beside it, NAME=value a line, which only its owner can read (mode 0600); the environment
goes before it.

  WORKSPACE_URL        address of the workspace, where pipelines.yaml says ${WORKSPACE_URL};
                       "emulator" runs the embedded workspace: no account, no token, no network
  WORKSPACE_TOKEN      its access token, where pipelines.yaml says ${WORKSPACE_TOKEN}
  AQUEDUCK_FILE        --file; several with commas between them, as for every flag that takes several
  AQUEDUCK_DIR         --dir
  AQUEDUCK_OUTPUT      --output
  AQUEDUCK_LOG_LEVEL   --log-level
  AQUEDUCK_LOG_FORMAT  --log-format
  AQUEDUCK_PROGRESS    --progress
  AQUEDUCK_COLOR       --color
  AQUEDUCK_…           every other flag has one too, AQUEDUCK_MAX_TIME for --max-time, but for those that
                       say yes (--yes, --force) and those of emulate; aqueduck doctor shows what counts
  AQUEDUCK_DEBUG       1: where a fault of the program is, as -vv shows it
  NO_COLOR             no colours in the log on a terminal
  FORCE_COLOR          colours, although TERM says that there are none

Of the embedded workspace:

  EMULATOR_HOURS       hours of its life that pass before a run, the first one excepted
  EMULATOR_SEED        at the first run: another seed is another workspace (default 1)
  EMULATOR_CONTACTS    at the first run: how many active contacts it has (default 10400)`

// helpTopics are pages of help that are no commands.
func helpTopics() []*cobra.Command {
	return []*cobra.Command{
		{Use: "exit-codes", Short: "What the program ends with", Long: exitCodes},
		{Use: "env", Short: "Variables of the environment", Long: variables},
	}
}

// newHelp shows the page of a command or a topic.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:     "help [command or topic]",
		Short:   "Help about a command or a topic",
		Example: "  aqueduck help sync\n  aqueduck help exit-codes\n  aqueduck help env",
		RunE: func(c *cobra.Command, args []string) error {
			found, rest, err := c.Root().Find(args)
			if err != nil {
				return usage.Errorf(c, "%w", err)
			}
			if len(rest) > 0 {
				return usage.Subcommand(found, rest)
			}
			return found.Help()
		},
	}
}
