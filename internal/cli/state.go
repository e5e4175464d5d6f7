package cli

import (
	"fmt"
	"os"
	"os/user"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"aqueduck/internal/admin"
	"aqueduck/internal/cli/render"
	"aqueduck/internal/cli/usage"
	"aqueduck/internal/grammar"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
)

func newState(env *Env) *cobra.Command {
	c := &cobra.Command{
		Use:   "state",
		Short: "Show or move the checkpoints of streams",
		Long: `A checkpoint is where the next run continues a stream: the watermark, the cursor of an unfinished list, and how far back the
history is read. The watermark is the time up to which everything of the stream is committed; status and state show print it as
SYNCED TO. For a stream that is not read by time, such as tags, SYNCED TO is when its last complete read began. Checkpoints are
stored with the data, in the same transactions.

After a checkpoint is moved back or reset, the next run reads more; no row is removed. Every move is recorded in _sync.moves and
listed by aqueduck runs: who, from, to and when.`,
		Example: "  aqueduck state show\n  aqueduck state rewind contacts --to 2026-11-01\n  aqueduck state reset contacts --workspace main",
		Args:    usage.Subcommand,
		RunE:    usage.ShowHelp,
	}
	c.AddCommand(newStateShow(env), newStateRewind(env), newStateReset(env))
	return c
}

func newStateShow(env *Env) *cobra.Command {
	return &cobra.Command{
		Use:   "show [stream…]",
		Short: "Show the checkpoint of each stream",
		Long: `Show the checkpoints of the published file: SYNCED TO is the watermark of a stream, HISTORY TO how far back it is read (–: all
of it). For a stream that is not read by time, SYNCED TO is when its last complete read began. JSON and CSV also have the number
of the commit (seq) and the rest of the checkpoint (state), such as a cursor; the form of state may change. The last move by hand
is shown with user, old position and time.
Needs neither token nor network.`,
		Example:           "  aqueduck state show\n  aqueduck state show contacts -o json",
		Annotations:       map[string]string{forms: "json csv"},
		ValidArgsFunction: shellCompletion{env}.completeStreams,
		RunE: func(c *cobra.Command, args []string) error {
			dir, err := env.warehouseDir()
			if err != nil {
				return err
			}
			states, err := runlog.ReadStates(c.Context(), dir, nil)
			if err != nil {
				return err
			}
			if states, err = selectStates(env, c, states, args); err != nil {
				return err
			}
			return printStates(env, states)
		},
	}
}

// selectStates returns the checkpoints of the named streams; all if none is named.
func selectStates(env *Env, c *cobra.Command, states []runlog.StreamState, names []string) ([]runlog.StreamState, error) {
	if len(names) == 0 {
		return states, nil
	}
	var known []string
	for _, s := range states {
		known = append(known, s.Stream)
	}
	for _, name := range names {
		if slices.Contains(known, name) {
			continue
		}
		return nil, &problem.Problem{Class: "usage", What: fmt.Sprintf("no checkpoint of a stream %q", name),
			Next: grammar.BeforeStep(name, known) + "list those that have one: aqueduck state show"}
	}
	return slices.DeleteFunc(states, func(s runlog.StreamState) bool { return !slices.Contains(names, s.Stream) }), nil
}

func printStates(env *Env, states []runlog.StreamState) error {
	if env.output == "json" {
		return env.printJSON(render.Checkpoints(states))
	}
	if err := env.printTimes(render.ListCheckpoints(states, env.output != "table")); err != nil || env.output != "table" {
		return err
	}
	for _, s := range states {
		if s.Moved != nil {
			fmt.Fprintf(env.Stdout, "moved by hand: %s\n", s.Moved)
		}
	}
	return nil
}

func newStateRewind(env *Env) *cobra.Command {
	var to time.Time
	var m checkpointMove
	c := &cobra.Command{
		Use:   "rewind STREAM --to TIME",
		Short: "Move the watermark of a stream back to a time",
		Long: `Move the watermark of a stream back, so that the next run reads again everything that changed since then, and compares. Applies
to every workspace that has read the stream, or with --workspace to one. Shows what is read again, with -v each checkpoint
before and after, and asks for confirmation. If one checkpoint cannot be moved, none is. A stream that is not read by time has no
watermark: reset it instead. reporting, or 'reporting_*', means each dataset of reporting; no other stream can be named by a pattern.

A date is its midnight in UTC. The next run reads from there less the lookback window of the stream, for most 48 hours.`,
		Example: "  aqueduck state rewind contacts --to 2026-11-01\n  aqueduck state rewind contacts --to 2026-11-01T12:00:00Z --yes\n" +
			"  aqueduck state rewind contacts --to 2026-11-01 --workspace main",
		Args:              usage.OneArgument("a stream"),
		ValidArgsFunction: shellCompletion{env}.completeStreams,
		RunE: func(c *cobra.Command, args []string) error {
			if to.IsZero() {
				return usage.Errorf(c, "--to is missing: the date or time to read again from, e.g. --to 2026-11-01")
			}
			return moveCheckpoints(env, m, func(r *runner.Runner, confirm admin.Confirm) error {
				return admin.Rewind(c.Context(), r, m.workspace, args[0], to.UTC(), confirm)
			})
		},
	}
	c.Flags().TimeVar(&to, "to", time.Time{}, usage.TimeFormats, "date or time to read again from")
	m.addFlags(c)
	return c
}

func newStateReset(env *Env) *cobra.Command {
	var m checkpointMove
	c := &cobra.Command{
		Use:   "reset STREAM",
		Short: "Clear the checkpoint: the next run reads the whole stream",
		Long: `Clear the checkpoint of a stream in every workspace that has one, or with --workspace in one. Its rows stay; the next run reads
everything and compares. Shows what is read again, with -v each checkpoint before and after, and asks for confirmation.
reporting, or 'reporting_*', means each dataset of reporting; no other stream can be named by a pattern.`,
		Example:           "  aqueduck state reset contacts\n  aqueduck state reset 'reporting_*'\n  aqueduck state reset contacts --workspace main --yes",
		Args:              usage.OneArgument("a stream"),
		ValidArgsFunction: shellCompletion{env}.completeStreams,
		RunE: func(c *cobra.Command, args []string) error {
			return moveCheckpoints(env, m, func(r *runner.Runner, confirm admin.Confirm) error {
				return admin.Reset(c.Context(), r, m.workspace, args[0], confirm)
			})
		},
	}
	m.addFlags(c)
	return c
}

// checkpointMove has the flags of commands that move checkpoints.
type checkpointMove struct {
	workspace string
	yes       bool
}

func (m *checkpointMove) addFlags(c *cobra.Command) {
	c.Flags().StringVar(&m.workspace, "workspace", "", "only the checkpoint of this workspace (default: all that have one)")
	c.Flags().BoolVar(&m.yes, "yes", false, "do not ask")
}

// moveCheckpoints shows which checkpoints would move, asks for confirmation, and moves them.
func moveCheckpoints(env *Env, m checkpointMove, do func(*runner.Runner, admin.Confirm) error) error {
	runner, err := newReadOnlyRunner(env)
	if err != nil {
		return err
	}
	runner.By = operatorName()
	changed := false
	var done []string
	err = do(runner, func(moves []admin.Move) (bool, error) {
		env.explainClockOf(env.Stderr)
		question := "change the checkpoint? [y/N] "
		if len(moves) > 1 {
			question = fmt.Sprintf("change all %d checkpoints? [y/N] ", len(moves))
		}
		for _, one := range moves {
			name := one.Stream
			if len(runner.Config.Workspaces) > 1 {
				name = one.Workspace + "." + one.Stream
			}
			fmt.Fprintf(env.Stderr, "%s: %s\n", name, one)
			done = append(done, name+": "+one.Done())
			if env.verbose > 0 {
				fmt.Fprintf(env.Stderr, "- %s\n+ %s\n", one.Before, one.After)
			}
		}
		changed = m.yes
		if !m.yes {
			var err error
			if changed, err = askConfirmation(env, question); err != nil {
				return false, err
			}
		}
		return changed, nil
	})
	switch {
	case err == nil && !changed:
		fmt.Fprintln(env.Stderr, "nothing was changed")
	case err == nil:
		fmt.Fprintln(env.Stderr, strings.Join(done, "\n"))
	}
	return err
}

// operatorName returns the user and the machine, as far as the system knows them.
func operatorName() string {
	name, place := "somebody", "somewhere"
	if u, err := user.Current(); err == nil && u.Username != "" {
		name = u.Username
	}
	if host, err := os.Hostname(); err == nil && host != "" {
		place = host
	}
	return name + "@" + place
}
