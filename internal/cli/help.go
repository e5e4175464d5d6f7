package cli

import (
	"github.com/spf13/cobra"

	"aqueduck/internal/cli/usage"
)

const exitCodes = `Exit codes:

    0  success; also when max_time, max_requests or --limit ended the run early: the next run continues;
       also when a model of yours failed: readers have everything else, and status names the model
    1  a stream failed or is newly unavailable, the API did not answer, the audit has an exact finding,
       a command of after:, a statement or sending to the object store failed, verify could not compare a
       stream, the disk failed or is full, too many files are open, or status --exit-code: the published
       files, or the link to them, are gone; committed data is intact
    2  the command line, or a variable of a flag, is wrong; plan --detailed-exitcode: tables or columns would
       be added, or columns widened
    3  the configuration or a variable in it is wrong, this user cannot use the warehouse's directory, the token belongs to
       another workspace, all published files are damaged, or --summary-file cannot be written
    4  the API refused the token, or every requested stream is unavailable; no watermark of that workspace moved
    5  another run holds the lock of the warehouse, another serve runs its pipelines, or another machine sent
       its file to the object store first
    6  manual action needed: the publish guard held a publish back and readers keep the previous file;
       verify found a difference that nobody accepted; status --exit-code: a freshness SLA is breached
   70  a bug in the program; committed data is intact
  130  interrupted by Ctrl-C, 143 by SIGTERM, 129 by a closed terminal; the same command continues

The last line of a run has a stable form and begins with OK, FAILED or INTERRUPTED.`

const variables = `Environment variables. A flag overrides its variable. The variables that pipelines.yaml names may also be set
in a file .env beside it, one NAME=value per line. Only its owner may read the file (mode 0600 or 0400). The
environment overrides .env. aqueduck doctor shows the global flags with their values, and which variables of
pipelines.yaml are set. It does not show the flags of single commands: aqueduck runs show -v has those of a run.

  WORKSPACE_URL        address of the workspace, where pipelines.yaml says ${WORKSPACE_URL};
                       "emulator" runs the embedded workspace: no account, no token, no network
  WORKSPACE_TOKEN      its access token, where pipelines.yaml says ${WORKSPACE_TOKEN}
  AQUEDUCK_FILE        --file; several files are separated by commas, as for every flag with several values
  AQUEDUCK_DIR         --dir
  AQUEDUCK_OUTPUT      --output
  AQUEDUCK_LOG_LEVEL   --log-level
  AQUEDUCK_LOG_FORMAT  --log-format
  AQUEDUCK_PROGRESS    --progress
  AQUEDUCK_COLOR       --color
  AQUEDUCK_…           every other flag has one too, e.g. AQUEDUCK_MAX_TIME for --max-time; exceptions are
                       --yes, --force and the flags of emulate. A misspelled one gives a warning
  AQUEDUCK_WORKSPACE   --workspace; pipelines.yaml may name it, but it is not taken from .env
  AQUEDUCK_DEBUG       1: print stack traces, as -vv does
  AWS_…, PG…,          access to an object store, a catalog in Postgres or by REST, and Temporal:
  ICEBERG_…,           docs/remote.md, docs/mirror.md, docs/worker.md
  TEMPORAL_…
  COLUMNS              width of the terminal that tables fit, in characters
  NO_COLOR             no colours in the log on a terminal
  FORCE_COLOR          colours even if TERM reports none

For the embedded workspace:

  EMULATOR_HOURS       hours of activity that pass before each run but the first (default 0); between runs its
                       clock stands still, and all times in its warehouse are by that clock. Its hour 0 is
                       2026-11-20 02:00 UTC; that of aqueduck emulate is 2024-06-15 02:00 UTC
  EMULATOR_SEED        seed of the generated data, used by the first run (default 1)
  EMULATOR_POPULATION  team, a support team of ten, or odd, every unusual value; used by the first run
                       (default team)
  EMULATOR_CONTACTS    number of active contacts, used by the first run, with three conversations for
                       ten contacts (default: those of the demo, 10,400 and 3,000)`

// helpTopics are help pages that belong to no command.
func helpTopics() []*cobra.Command {
	return []*cobra.Command{
		{Use: "exit-codes", Short: "Exit codes", Long: exitCodes},
		{Use: "env", Short: "Environment variables", Long: variables},
	}
}

// newHelp returns the command that shows the page of a command or a topic.
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
